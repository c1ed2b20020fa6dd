// Theorems: equalities of two terms that follow from facts by the rules of
// verify/logic/inference.h.
//
//   {th_x <= 9, c}  |-  (c ? load0[th_x] : 0.0) = load0[th_x]
//   {c}             |-  c = true            "the condition c holds"
//
// The reading. An environment gives each variable an integer in its range, each buffer a value at
// each position, and each unknown integer, arbitrary value and operation of which the terms do not
// say everything (Op::kApproximate) a fixed meaning at each value of the variables. A theorem says:
// in every environment in which all facts hold, both sides are equal. Variables that a fold binds
// are not among those of the environment.
//
// No code but class Inference makes theorems, so that a wrong strategy cannot state a false one.
// The only rules that take somebody's word are those that leave an oracle behind.
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
  // The same but for the sign of a zero, and NaNs are one. What divides by such a value, or looks
  // at its sign, may differ.
  kZerosAreOne,
  // Both are NaN, or both have the same bits: what verdicts claim. A bitcast of such values may
  // differ.
  kNansAreOne,
  // The bits of NaNs are the same too. The NaN that an operation computes is one value, whatever
  // its operands: HLO leaves its bits open.
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

  // Whether it says a = b, or, of a condition, that it holds.
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
