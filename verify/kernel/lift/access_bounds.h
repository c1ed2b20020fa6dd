// Accesses that depend on data: how many sectors they take at least and at most. Internal to
// verify/kernel/lift, but for AccessBounds.
//
// An address is a part that follows from the thread and the block, and one that depends on data.
// Lanes whose second parts are the same expression of the same elements go together: where a row of
// 128 bytes is gathered by all lanes of a warp, it takes 4 sectors wherever it is. Of lanes whose
// parts are of different elements nothing is known: they may all meet, or none.
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

// What a lane may touch, where an instruction is executed once more.
struct DependentLane {
  LaneBytes bytes;  // `first` without the part that depends on data
  // A number of that part: lanes with the same one have the same. 0 where there is none.
  int64_t base = 0;
  int64_t alignment = 1;  // what each value of that part is a multiple of; a power of two
  // A number of the condition under which it is executed, as far as that depends on data; 0: it is
  // executed whatever the data.
  int64_t condition = 0;
};

// Numbers the parts of addresses and guards that depend on data.
class DataParts {
 public:
  using PlaceValue = llvm::function_ref<terms::Int128(terms::Term)>;

  // Whether the term depends on nothing but the thread and the block.
  bool IsOfPlace(terms::Term term);
  // Whether it depends on these, and on data, and on nothing else (such as the variable of a loop).
  bool IsOfPlaceAndData(terms::Term term);

  // The access of a thread, of which `value` gives the integers and conditions of its place;
  // nullopt where it is not executed. The lane's number and memory remain to be set.
  std::optional<DependentLane> LaneOf(const MemoryAccess& access, PlaceValue value);

 private:
  // The largest parts that are of the place: what the term is an expression of, beside data.
  const std::vector<terms::Term>& PlacesIn(terms::Term term);
  // The number of a term where the parts of its place have their values.
  void Describe(terms::Term term, PlaceValue value, std::vector<terms::Int128>& description);
  int64_t NumberOf(std::vector<terms::Int128> description);

  llvm::DenseMap<terms::Term, bool> of_place_;
  llvm::DenseMap<terms::Term, std::vector<terms::Term>> places_;
  std::map<std::vector<terms::Int128>, int64_t> numbers_;
  terms::Int128 unknowns_ = 0;
};

// The executions of one instruction by the threads of a warp, each one's in its order.
// `sectors_of_memory`: more an access cannot touch.
AccessBounds BoundsOfWarp(const std::vector<std::vector<DependentLane>>& threads,
                          int64_t sectors_of_memory, const WarpModel& model);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_ACCESS_BOUNDS_H_
