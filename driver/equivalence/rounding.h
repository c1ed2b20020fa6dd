// How far the floats of two modules may lie apart that a compiler has made from one another.
//
// Passes move roundings: they drop a conversion to bf16 and back, sum in another order, expand a
// function. A difference is one of rounding where
//
//   - the distance of kernels (driver/validate/distance.h), of either module, allows it: of A with
//     all its folds in other orders, of B with those that add or multiply floats, for what depends
//     on no order in A must not in B; or
//   - in either module something that the result is computed from is a float of fewer bits than
//     f32, is converted to such a one, or rounded to fewer bits (reduce-precision), and the values
//     lie within kNarrowPlaces places of that type, of the largest finite number of the array, and
//     within kNarrowShare of that number: of types of two or three bits a few places are all.
//
// Integers and predicates have none, except where the distance of kernels says that they depend on
// the order of a fold, or that they move where floats do, narrow
// ones by a place of theirs.
#ifndef AFFIRM_DRIVER_EQUIVALENCE_ROUNDING_H_
#define AFFIRM_DRIVER_EQUIVALENCE_ROUNDING_H_

#include <optional>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "driver/validate/distance.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::driver {

inline constexpr double kNarrowPlaces = 16;
inline constexpr double kNarrowShare = 0.5;

class Rounding {
 public:
  Rounding(const hlo::Computation& a, const hlo::Computation& b);

  // The first element of array leaf `leaf` that is further off than roundings bring it. The values
  // are those of all array leaves of the results of both on the arguments; elements that are equal
  // to the bit are not looked at, nor are those that are open.
  std::optional<Distance::Difference> Compare(const std::vector<hlo::Literal>& arguments,
                                              const std::vector<const hlo::Literal*>& a,
                                              const std::vector<const hlo::Literal*>& b,
                                              size_t leaf,
                                              llvm::function_ref<bool(int64_t)> is_open) const;

 private:
  Distance of_a_, of_b_;
  // For each leaf the bits of mantissa of the narrowest type that it is computed in; 0: none.
  std::vector<int> narrowest_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_ROUNDING_H_
