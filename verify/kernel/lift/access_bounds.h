// Bounds on the sectors of accesses whose address or guard depends on data. Internal to
// verify/kernel/lift, except for AccessBounds.
//
// An address is split into a part that depends on thread and block alone, and one that depends on
// data. Lanes whose data parts are the same expression of the same elements have one base: if all
// lanes of a warp gather from one row of 128 bytes, that takes 4 sectors for every base. Lanes with
// different data parts are unrelated: their sectors may coincide or not.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_ACCESS_BOUNDS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_ACCESS_BOUNDS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "verify/kernel/access_count.h"
#include "verify/kernel/lift/lane_bytes.h"
#include "verify/kernel/lift/lift.h"

namespace affirm::kernel {

// The access of one lane in one execution of an instruction.
struct DependentLane {
  LaneBytes bytes;  // `first` without the data part
  // Identifies the data part: equal numbers mean equal parts. 0 if there is none.
  int64_t base = 0;
  int64_t alignment = 1;  // a power of two that divides every value of the data part
  // Identifies the data-dependent part of the guard; 0 if the access is executed for all data.
  int64_t condition = 0;
};

// Numbers the parts of addresses and guards that depend on data.
class DataParts {
 public:
  using PlaceValue = llvm::function_ref<terms::Int128(terms::Term)>;

  // Whether the term depends on thread and block alone.
  bool IsOfPlace(terms::Term term);
  // Whether it depends on thread, block and data alone, and not, say, on a loop variable.
  bool IsOfPlaceAndData(terms::Term term);

  // The access of a thread; `value` evaluates terms of its thread and block. nullopt where it is
  // not executed. The caller sets the lane's number and memory.
  std::optional<DependentLane> LaneOf(const MemoryAccess& access, PlaceValue value);

 private:
  // The maximal subterms that depend on thread and block alone.
  const std::vector<terms::Term>& PlacesIn(terms::Term term);
  // Appends a key of the term, with the values of these subterms.
  void Describe(terms::Term term, PlaceValue value, std::vector<terms::Int128>& description);
  int64_t NumberOf(std::vector<terms::Int128> description);

  llvm::DenseMap<terms::Term, bool> of_place_;
  llvm::DenseMap<terms::Term, std::vector<terms::Term>> places_;
  std::map<std::vector<terms::Int128>, int64_t> numbers_;
  terms::Int128 unknowns_ = 0;
};

// Bounds for the executions of one instruction by a warp: `threads` has each thread's, in order.
// `sectors_of_memory` is the most that an access can touch.
AccessBounds BoundsOfWarp(const std::vector<std::vector<DependentLane>>& threads,
                          int64_t sectors_of_memory, const WarpModel& model);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_ACCESS_BOUNDS_H_
