#include "driver/validate/buffers.h"

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

bool IsPacked(const kernel::Param& param) {
  const int bits = hlo::BitWidth(param.shape.type);
  if (bits >= 8 || param.shape.type == hlo::PrimitiveType::kPred) return false;
  return param.bytes < param.shape.NumElements();
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
