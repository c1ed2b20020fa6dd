// Literals from and to the buffers of a device: physical order by the layout, narrow types packed.
#ifndef AFFIRM_DRIVER_VALIDATE_BUFFERS_H_
#define AFFIRM_DRIVER_VALIDATE_BUFFERS_H_

#include <cstdint>
#include <vector>

#include "core/hlo/literal.h"
#include "verify/kernel/emulator/sparse_memory.h"
#include "verify/kernel/launch.h"
#include "verify/scalar/scalar.h"

namespace affirm::driver {

// For each element in row-major order of the logical index, its number in the buffer by the layout.
std::vector<int64_t> PhysicalOrder(const hlo::Shape& shape);

// The array leaves of a value, in order.
std::vector<const hlo::Literal*> LeavesOf(const hlo::Literal& value);

// The index of the element with a number in row-major order.
std::vector<int64_t> IndexOf(const hlo::Shape& shape, int64_t linear);
// The place of an element, row-major, in the order of the layout; and the element at a place.
int64_t PositionOf(const hlo::Shape& shape, int64_t linear);
int64_t LinearAtPosition(const hlo::Shape& shape, int64_t position);

// The bytes of an array as the parameter's buffer has them.
std::vector<uint8_t> ToBuffer(const hlo::Literal& literal, const kernel::Param& param);
// Single elements of an array in memory: what its bits are, packed or not, and where they stand.
class ElementCodec {
 public:
  explicit ElementCodec(const kernel::Param& param);

  int bits() const { return bits_; }  // from one element to the next
  // The bits of an element, and the element that has these.
  unsigned __int128 Encode(const hlo::Scalar& value);
  hlo::Scalar Decode(unsigned __int128 bits);
  // The bits as element `linear` of an array of the type, as they are: a predicate of 3 stays one.
  void PutInto(hlo::Literal& array, int64_t linear, unsigned __int128 bits) const;
  // The bits of the element at a place of the order of the layout.
  unsigned __int128 Read(kernel::SparseMemory& memory, int64_t position) const;

 private:
  hlo::Literal element_;
  int bits_;
  unsigned __int128 mask_;
};

// The array that a buffer holds.
hlo::Literal FromBuffer(const std::vector<uint8_t>& bytes, const kernel::Param& param);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_BUFFERS_H_
