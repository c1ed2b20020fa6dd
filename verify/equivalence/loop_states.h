// Two loops of which the states correspond are one, although they carry other elements.
//
//   while (i, x, n) { i < n;  i + 1, f(x, n), n }        n is handed on, and is what it was
//   while (j, x)    { j > 0;  j - 1, f(x, 5) }           where n is 5, i is 5 - j
//
// XLA drops elements that nobody looks at, moves out of a loop what is the same in each trip, and
// counts otherwise: counters of one loop are computed from one of them (loop_parts.h). What is
// asked: let some elements of the states be the same, or one a linear function of the other. Then
// the conditions are the same, and so are these elements after a trip; and they are before the
// first one. Then both loops have the same number of trips, and the elements are the same behind
// them, by induction. Elements that are handed on are what they were.
//
// This is a question about two computations without the loop, whose parameters are the elements:
// whoever asks proves them equal. Which elements correspond is guessed, and what is not proved to
// is given up, until what is left holds.
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

// A value beside the loops, by which both sides name it: instructions of one key have one value.
using ValueKey = std::pair<int64_t, int64_t>;

// The proof around the two loops.
struct LoopContext {
  // The key of an instruction of one of the computations.
  std::function<ValueKey(const hlo::Instruction&)> key;
  // Told of each instruction of B that stands for one of A by its key.
  std::function<void(const hlo::Instruction& of_b)> keyed;
  // Whether two instructions, of the one computation and of the other, are proved to be the same.
  std::function<bool(const hlo::Instruction& of_a, const hlo::Instruction& of_b)> are_same;
  // Proves two computations of one signature equal, result by result.
  std::function<EquivalenceProof(std::unique_ptr<hlo::Computation> a,
                                 std::unique_ptr<hlo::Computation> b)>
      prove;
};

// For each element of the state of loop `b` the one of `a` that is the same behind the loops, where
// there is one; nullopt where it is not proved that the loops have the same trips. Both are
// functions of their operands (IsFunctionOfOperands).
std::optional<std::vector<std::optional<int64_t>>> MatchLoops(const hlo::Instruction& a,
                                                              const hlo::Instruction& b,
                                                              const LoopContext& context);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LOOP_STATES_H_
