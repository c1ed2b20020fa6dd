// Attempts to make a theorem of one's own, each of which a compiler refuses:
// tests/logic/CMakeLists.txt.
#include "verify/logic/inference.h"

namespace affirm::logic {

Theorem Honest(Inference& infer, terms::Term t) { return infer.Reflexivity(t); }

#ifdef FORGE_BY_constructor
Theorem Forged(Facts facts, terms::Term a, terms::Term b) {
  return Theorem({facts, a, b, Equality::kBits, {}});
}
#endif

#ifdef FORGE_BY_node
Theorem Forged(Facts facts, terms::Term a, terms::Term b) {
  return Theorem(Theorem::Node{facts, a, b, Equality::kBits, {}});
}
#endif

#ifdef FORGE_BY_make
Theorem Forged(Facts facts, terms::Term a, terms::Term b) {
  return Inference::Make(facts, a, b, Equality::kBits, {});
}
#endif

#ifdef FORGE_BY_derived
struct Forger : Theorem {
  Forger(const Theorem& honest, terms::Term right) : Theorem(honest) {
    node_ =
        std::make_shared<Node>(Node{honest.facts(), honest.left(), right, honest.equality(), {}});
  }
};
#endif

}  // namespace affirm::logic
