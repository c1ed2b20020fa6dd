// Modules whose sizes are known at run time only, up to a bound, and change nothing but how much of
// an array there is.
//
//   p = f32[<=5] parameter(0)      n = f32[<=5] negate(p)      r = f32[1,<=5] reshape(n)
//
// Where each element of a result is computed from the elements at its own place alone, as here, it
// is the same whatever the sizes are: what holds of f32[5] holds of all that there is of f32[<=5].
//
//   ROOT r = (f32[5], s32[]) custom-call(p), custom_call_target="PadToStatic"
//
// gives, beside the elements that there are, how many: a number that the caller says with p, and
// one more argument. What stands behind the elements that there are, nothing defines.
#ifndef AFFIRM_DRIVER_CHECK_BOUNDED_SIZES_H_
#define AFFIRM_DRIVER_CHECK_BOUNDED_SIZES_H_

#include <cstdint>
#include <optional>

#include "core/hlo/module.h"

namespace affirm::driver {

// Gives arrays of such a module the sizes that are their bounds, and answers how many sizes became
// arguments; nothing where it stays as it is: a module with any other use of a size, and one
// without such sizes.
std::optional<int64_t> TakeSizesAtTheirBounds(hlo::Module& module);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_BOUNDED_SIZES_H_
