// Theorems: equalities of two terms that follow from facts by the rules of
// verify/logic/inference.h.
//
//   {th_x <= 9, c}  |-  (c ? load0[th_x] : 0.0) = load0[th_x]
//   {c}             |-  c = true            "the condition c holds"
//
// Semantics. An environment maps each variable to an integer in its range and each buffer index to
// a value. It also interprets unknown integers, arbitrary values and underspecified operations
// (Op::kApproximate) as fixed functions of the variables. A theorem states: in every environment
// that satisfies all facts, both sides are equal. Variables that a fold binds are not part of the
// environment.
//
// Only class Inference makes theorems, so a wrong strategy cannot state a false one, except through
// the rules that record an oracle.
#ifndef AFFIRM_VERIFY_LOGIC_THEOREM_H_
#define AFFIRM_VERIFY_LOGIC_THEOREM_H_

#include <memory>
#include <utility>

#include "verify/logic/facts.h"
#include "verify/logic/oracle.h"
#include "verify/terms/term.h"

namespace affirm::logic {

// How equal the two sides are. Integers, predicates and conditions are always equal to the bit.
enum class Equality : uint8_t {
  // Equal up to the sign of a zero and the bits of NaNs. An operation that observes the sign of a
  // zero, such as a division by it, may tell the two apart.
  kZerosAreOne,
  // Both are NaN, or both have the same bits: the equality that verdicts claim. A bitcast may tell
  // the two apart.
  kNansAreOne,
  // Equal to the bit, NaNs included. A computed NaN is one value for all operands, since HLO leaves
  // its bits open.
  kBits,
};

class Theorem {
 public:
  // Both sides have the same sort and type.
  terms::Term left() const { return node_->left; }
  terms::Term right() const { return node_->right; }
  const Facts& facts() const { return node_->facts; }
  Equality equality() const { return node_->equality; }
  const Oracles& oracles() const { return node_->oracles; }

  // Whether it states a = b; for a condition, that it holds.
  bool States(terms::Term a, terms::Term b) const { return left() == a && right() == b; }
  bool States(terms::Term condition) const {
    return left() == condition && right()->kind == terms::Kind::kTrue;
  }

 private:
  friend class Inference;
  struct Node {
    Facts facts;
    terms::Term left, right;
    Equality equality;
    Oracles oracles;
  };
  explicit Theorem(Node node) : node_(std::make_shared<const Node>(std::move(node))) {}

  std::shared_ptr<const Node> node_;
};

// "{th_x + -9 >= 0} |- load0[th_x] = load0[9]  (ranges)".
std::string ToString(const Theorem& theorem);

}  // namespace affirm::logic

#endif  // AFFIRM_VERIFY_LOGIC_THEOREM_H_
