// A loop on a tuple of arrays, taken apart: what each element starts from, and what a trip makes of
// it. Internal to loop_states.cc.
//
//   while (i, x, j, n) { i < n;  i + 1, x * j, j + 2, n }      from (0, p, 7, q)
//
// Element 3 is invariant. Elements 0 and 2 are counters, and j is 7 + 2 * (i - 0) before and after
// each trip, by induction: i leads j.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_LOOP_PARTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_LOOP_PARTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::equivalence {

// The elements to which each trip adds a constant, modulo 2^n for integers of n bits.
class Counters {
 public:
  // The counter is start + factor * (leader - start of leader), of one type. A leader has none.
  struct Led {
    size_t leader = 0;
    int64_t factor = 1;
  };

  Counters() = default;
  // By element: the values after a trip, as the flattened body computes them.
  explicit Counters(llvm::ArrayRef<hlo::Instruction*> next);

  // The constant that a trip adds; nullopt where the element is no counter.
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
  bool chooses = false;                               // whether a trip leaves something open
  Counters counters;

  llvm::ArrayRef<hlo::Instruction*> next() const { return body->root->operands; }
  size_t size() const { return init.size(); }
  // Whether the element is the initial one after each trip.
  bool IsInvariant(size_t k) const;
  // The constant that a counter starts from.
  std::optional<int64_t> StartOf(size_t k) const;
  // Whether an instruction behind the loop takes the element.
  bool IsSeenBehind(size_t k) const;
};

// Whether element k of a loop's state is the initial one again after a trip that makes `next` of
// it: the body hands it on, or both are one constant.
bool IsKept(const hlo::Instruction& next, size_t k, const hlo::Instruction& init);

// Null where the loop claims a number of trips, has other parts than arrays, or hands its state on
// as a whole.
std::optional<Loop> TakeApart(const hlo::Instruction& loop);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_LOOP_PARTS_H_
