#include "driver/validate/buffers.h"

#include <algorithm>
#include <cstring>

#include "llvm/Support/MathExtras.h"

namespace affirm::driver {

std::vector<int64_t> PhysicalOrder(const hlo::Shape& shape) {
  const int64_t rank = shape.rank();
  std::vector<int64_t> stride(rank, 0);
  int64_t next = 1;
  for (int64_t dim : shape.MinorToMajor()) {
    stride[dim] = next;
    next *= shape.dims[dim];
  }
  std::vector<int64_t> order(shape.NumElements());
  std::vector<int64_t> index(rank, 0);
  int64_t at = 0;
  for (int64_t& place : order) {
    place = at;
    for (int64_t dim = rank; dim-- > 0;) {
      at += stride[dim];
      if (++index[dim] < shape.dims[dim]) break;
      at -= stride[dim] * shape.dims[dim];
      index[dim] = 0;
    }
  }
  return order;
}

std::vector<const hlo::Literal*> LeavesOf(const hlo::Literal& value) {
  if (!value.shape().IsTuple()) return {&value};
  std::vector<const hlo::Literal*> leaves;
  for (const hlo::Literal& element : value.tuple()) {
    for (const hlo::Literal* leaf : LeavesOf(element)) leaves.push_back(leaf);
  }
  return leaves;
}

std::vector<int64_t> IndexOf(const hlo::Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.rank());
  for (int64_t d = shape.rank(); d-- > 0; linear /= shape.dims[d])
    index[d] = linear % shape.dims[d];
  return index;
}

int64_t PositionOf(const hlo::Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.rank());
  for (int64_t dim = shape.rank(); dim-- > 0; linear /= shape.dims[dim]) {
    index[dim] = linear % shape.dims[dim];
  }
  int64_t position = 0, stride = 1;
  for (int64_t dim : shape.MinorToMajor()) {
    position += index[dim] * stride;
    stride *= shape.dims[dim];
  }
  return position;
}

int64_t LinearAtPosition(const hlo::Shape& shape, int64_t position) {
  std::vector<int64_t> index(shape.rank());
  for (int64_t dim : shape.MinorToMajor()) {
    index[dim] = position % shape.dims[dim];
    position /= shape.dims[dim];
  }
  int64_t linear = 0;
  for (int64_t dim = 0; dim < shape.rank(); ++dim) linear = linear * shape.dims[dim] + index[dim];
  return linear;
}

ElementCodec::ElementCodec(const kernel::Param& param)
    : element_(hlo::Shape::Array(param.shape.type, {})),
      bits_(IsPacked(param) ? hlo::BitWidth(param.shape.type)
                            : 8 * hlo::ByteWidth(param.shape.type)),
      mask_(bits_ >= 128 ? ~static_cast<unsigned __int128>(0)
                         : (static_cast<unsigned __int128>(1) << bits_) - 1) {}

unsigned __int128 ElementCodec::Encode(const hlo::Scalar& value) {
  hlo::Store(element_, 0, value);
  unsigned __int128 bits = 0;
  std::memcpy(&bits, element_.data(), element_.bytes().size());
  return bits & mask_;
}

hlo::Scalar ElementCodec::Decode(unsigned __int128 bits) {
  PutInto(element_, 0, bits);
  return hlo::Load(element_, 0);
}

void ElementCodec::PutInto(hlo::Literal& array, int64_t linear, unsigned __int128 bits) const {
  const hlo::PrimitiveType type = array.shape().type;
  const bool is_narrow = bits_ < 8;
  if (is_narrow && hlo::IsSignedInt(type) && (bits >> (bits_ - 1) & 1) != 0) bits |= ~mask_;
  const int64_t width = hlo::ByteWidth(type);
  std::memcpy(array.data() + linear * width, &bits, width);
}

unsigned __int128 ElementCodec::Read(kernel::SparseMemory& memory, int64_t position) const {
  const int64_t bit = position * bits_;
  if (bits_ < 8) return memory.Read(bit / 8, 1) >> (bit % 8) & static_cast<uint64_t>(mask_);
  unsigned __int128 bits = 0;
  for (int k = 0; k < bits_ / 8; k += 8) {
    const auto bytes = static_cast<unsigned>(std::min(8, bits_ / 8 - k));
    bits |= static_cast<unsigned __int128>(memory.Read(bit / 8 + k, bytes)) << (8 * k);
  }
  return bits;
}

std::vector<uint8_t> ToBuffer(const hlo::Literal& literal, const kernel::Param& param) {
  std::vector<uint8_t> bytes(param.bytes);
  const std::vector<int64_t> order = PhysicalOrder(param.shape);
  const int64_t width = hlo::ByteWidth(param.shape.type);
  const int bits = hlo::BitWidth(param.shape.type);
  const bool packed = IsPacked(param);
  for (size_t k = 0; k < order.size(); ++k) {
    const uint8_t* from = literal.data() + static_cast<int64_t>(k) * width;
    if (packed) {
      const int64_t bit = order[k] * bits;
      bytes[bit / 8] |= (*from & ((1 << bits) - 1)) << (bit % 8);
    } else {
      std::memcpy(bytes.data() + order[k] * width, from, width);
    }
  }
  return bytes;
}

hlo::Literal FromBuffer(const std::vector<uint8_t>& bytes, const kernel::Param& param) {
  hlo::Literal literal(param.shape);
  const std::vector<int64_t> order = PhysicalOrder(param.shape);
  const int64_t width = hlo::ByteWidth(param.shape.type);
  const int bits = hlo::BitWidth(param.shape.type);
  const bool packed = IsPacked(param);
  for (size_t k = 0; k < order.size(); ++k) {
    uint8_t* to = literal.data() + static_cast<int64_t>(k) * width;
    if (packed) {
      const int64_t bit = order[k] * bits;
      const int value = bytes[bit / 8] >> (bit % 8) & ((1 << bits) - 1);
      const bool negative = hlo::IsSignedInt(param.shape.type) && (value >> (bits - 1) & 1) != 0;
      *to = static_cast<uint8_t>(negative ? value - (1 << bits) : value);
    } else {
      std::memcpy(to, bytes.data() + order[k] * width, width);
    }
  }
  return literal;
}

}  // namespace affirm::driver
