// Modules with bounded dynamic sizes that only determine how many elements of an array exist.
//
//   p = f32[<=5] parameter(0)      n = f32[<=5] negate(p)      r = f32[1,<=5] reshape(n)
//
// If each element of a result depends only on the elements at its own position, as here, it does
// not depend on the sizes. So a proof for f32[5] holds for the existing elements of f32[<=5].
//
//   ROOT r = (f32[5], s32[]) custom-call(p), custom_call_target="PadToStatic"
//
// returns the existing elements and their number, which the caller passes with p: it becomes one
// more argument. The elements beyond are undefined.
#ifndef AFFIRM_DRIVER_CHECK_BOUNDED_SIZES_H_
#define AFFIRM_DRIVER_CHECK_BOUNDED_SIZES_H_

#include <cstdint>
#include <optional>

#include "core/hlo/module.h"

namespace affirm::driver {

// Sets dynamic sizes to their bounds, and returns how many sizes became arguments. Returns nullopt,
// without changing the module, if it has no dynamic sizes, or another use of a size.
std::optional<int64_t> TakeSizesAtTheirBounds(hlo::Module& module);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_BOUNDED_SIZES_H_
