// A while loop on a tuple of arrays, split into the initial value and the update of each element.
// Internal to loop_states.cc.
//
//   while (i, x, j, n) { i < n;  i + 1, x * j, j + 2, n }      from (0, p, 7, q)
//
// Element 3 is invariant. Elements 0 and 2 are induction variables, and j = 7 + 2 * (i - 0) holds
// before and after each trip, by induction: i leads j.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_LOOP_PARTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_LOOP_PARTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::equivalence {

// Induction variables: elements to which each trip adds a constant, modulo 2^n for n bits.
class Counters {
 public:
  // counter = start + factor * (leader - start of leader), of one type. A leader has no leader.
  struct Led {
    size_t leader = 0;
    int64_t factor = 1;
  };

  Counters() = default;
  // `next`: each element's value after a trip, in the flattened body.
  explicit Counters(llvm::ArrayRef<hlo::Instruction*> next);

  // The constant that a trip adds; nullopt if the element is not a counter.
  std::optional<int64_t> StepOf(size_t k) const { return steps_[k]; }
  std::optional<Led> LeaderOf(size_t k) const { return leaders_[k]; }

 private:
  std::vector<std::optional<int64_t>> steps_;
  std::vector<std::optional<Led>> leaders_;
};

struct Loop {
  const hlo::Instruction* loop = nullptr;
  std::unique_ptr<hlo::Computation> body, condition;  // flattened
  llvm::ArrayRef<hlo::Instruction*> init;             // by element
  bool chooses = false;                               // whether a trip has an open choice
  Counters counters;

  llvm::ArrayRef<hlo::Instruction*> next() const { return body->root->operands; }
  size_t size() const { return init.size(); }
  // Whether the element keeps its initial value.
  bool IsInvariant(size_t k) const;
  // The constant initial value of a counter.
  std::optional<int64_t> StartOf(size_t k) const;
  // Whether the element is used after the loop.
  bool IsSeenBehind(size_t k) const;
};

// Whether element k keeps its initial value in a trip that updates it to `next`: the body passes it
// through, or both are the same constant.
bool IsKept(const hlo::Instruction& next, size_t k, const hlo::Instruction& init);

// nullopt if the loop has a known_trip_count, non-array elements, or uses its state as a whole.
std::optional<Loop> TakeApart(const hlo::Instruction& loop);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LOOP_PARTS_H_
