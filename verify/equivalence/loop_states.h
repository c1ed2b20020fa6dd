// Proves two loops equal by a simulation relation between their states, which may have different
// elements.
//
//   while (i, x, n) { i < n;  i + 1, f(x, n), n }        n is invariant
//   while (j, x)    { j > 0;  j - 1, f(x, 5) }           if n is 5, then i is 5 - j
//
// XLA drops unused elements, moves invariants out of loops, and changes counters; counters of one
// loop are expressed by one of them (loop_parts.h). The relation says that some elements of the
// states are equal, or linear functions of each other. The proof is by induction: the relation
// holds initially; it implies equal conditions; and one trip preserves it. So both loops have the
// same number of trips, and related elements agree after them. Invariant elements keep their
// values.
//
// The induction step compares two loop-free computations whose parameters are the elements; the
// caller proves them equal. The relation is guessed, and elements that are not proved are dropped
// until the rest is inductive.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_LOOP_STATES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_LOOP_STATES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/hlo/module.h"
#include "verify/equivalence/equivalence_proof.h"

namespace affirm::equivalence {

// Identifies a value outside of the loops: instructions of either side with one key are equal.
using ValueKey = std::pair<int64_t, int64_t>;

// The proof around the two loops.
struct LoopContext {
  // The key of an instruction of one of the computations.
  std::function<ValueKey(const hlo::Instruction&)> key;
  // Called for each instruction of B that is used for one of A by its key.
  std::function<void(const hlo::Instruction& of_b)> keyed;
  // Whether an instruction of A and one of B are proved equal.
  std::function<bool(const hlo::Instruction& of_a, const hlo::Instruction& of_b)> are_same;
  // Proves two computations of one signature equal, result by result.
  std::function<EquivalenceProof(std::unique_ptr<hlo::Computation> a,
                                 std::unique_ptr<hlo::Computation> b)>
      prove;
};

// For each element of the state of loop `b`, the element of `a` that is equal after the loops, if
// any; nullopt if the loops are not proved to have the same trips. Both must be functions of their
// operands (IsFunctionOfOperands).
std::optional<std::vector<std::optional<int64_t>>> MatchLoops(const hlo::Instruction& a,
                                                              const hlo::Instruction& b,
                                                              const LoopContext& context);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LOOP_STATES_H_
