// Literals from and to the buffers of a device: physical order by the layout, narrow types packed.
#ifndef AFFIRM_DRIVER_VALIDATE_BUFFERS_H_
#define AFFIRM_DRIVER_VALIDATE_BUFFERS_H_

#include <cstdint>
#include <vector>

#include "core/hlo/literal.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

// For each element in row-major order of the logical index, its number in the buffer by the layout.
std::vector<int64_t> PhysicalOrder(const hlo::Shape& shape);

// Whether elements narrower than a byte stand in parts of bytes, lowest bits first, as the size of
// the buffer says.
bool IsPacked(const kernel::Param& param);

// The bytes of an array as the parameter's buffer has them.
std::vector<uint8_t> ToBuffer(const hlo::Literal& literal, const kernel::Param& param);
// The array that a buffer holds.
hlo::Literal FromBuffer(const std::vector<uint8_t>& bytes, const kernel::Param& param);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_BUFFERS_H_
