// Shape rules of the data-movement operations: broadcast, transpose, reverse, reshape, bitcast,
// and bitcast-convert. The result has the elements of the operand at other indices.
#include <algorithm>

#include "core/hlo/shape_inference.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;

Expected Broadcast(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  Expected written = WrittenShape(instruction);
  if (!written) return written.takeError();
  const Shape& operand = Operand(instruction, 0);
  const std::vector<int64_t>& dims = instruction.attributes.dimensions;
  if (llvm::Error error = CheckCount(dims.size(), operand.rank(), "dimensions of the broadcast")) {
    return error;
  }
  if (llvm::Error error = CheckDimensions(dims, written->rank(), "dimensions of the broadcast")) {
    return error;
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!SameSizes(operand.dims[d], written->dims[dims[d]])) {
      return Violation("expected dimension " + llvm::Twine(dims[d]) + " of the broadcast to have " +
                       llvm::Twine(operand.dims[d]) + " elements, as the operand, found " +
                       llvm::Twine(written->dims[dims[d]]));
    }
  }
  return Shape::Array(operand.type, written->dims);
}

Expected Transpose(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  const Shape& operand = Operand(instruction, 0);
  const std::vector<int64_t>& order = instruction.attributes.dimensions;
  if (llvm::Error error = CheckCount(order.size(), operand.rank(), "dimensions of the transpose")) {
    return error;
  }
  if (llvm::Error error = CheckDimensions(order, operand.rank(), "dimensions of the transpose")) {
    return error;
  }
  std::vector<int64_t> sizes;
  sizes.reserve(order.size());
  for (int64_t d : order) sizes.push_back(operand.dims[d]);
  return Shape::Array(operand.type, std::move(sizes));
}

// A dynamic size may be anything up to its bound, so that only static shapes can be held against
// each other.
Expected Reshape(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  Expected written = WrittenShape(instruction);
  if (!written) return written.takeError();
  const Shape& operand = Operand(instruction, 0);
  if (!written->IsArray()) return Violation("expected an array as the result of a reshape");
  const bool counts = operand.dynamic.empty() && written->dynamic.empty();
  if (counts && operand.NumElements() != written->NumElements()) {
    return Violation("expected as many elements as the operand of the reshape has, " +
                     llvm::Twine(operand.NumElements()) + ", found " +
                     llvm::Twine(written->NumElements()));
  }
  return Shape::Array(operand.type, written->dims);
}

// Keeps the bytes: element types of different widths change the number of elements, tuples pass.
Expected Bitcast(const Instruction& instruction) {
  Expected written = WrittenShape(instruction);
  if (!written) return written.takeError();
  const Shape& operand = Operand(instruction, 0);
  if (!operand.IsArray() || !written->IsArray()) return written;
  if (BitWidth(operand.type) == BitWidth(written->type) && !operand.HasUnboundedSize() &&
      !written->HasUnboundedSize() && operand.NumElements() != written->NumElements()) {
    return Violation("expected as many elements as the operand of the bitcast has, " +
                     llvm::Twine(operand.NumElements()) + ", found " +
                     llvm::Twine(written->NumElements()));
  }
  return written;
}

// A wider result type takes a minor dimension in; a narrower one adds it.
Expected BitcastConvert(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  Expected written = WrittenShape(instruction);
  if (!written) return written.takeError();
  const Shape& operand = Operand(instruction, 0);
  // The width of a stored pred is the machine's affair.
  if (operand.type == PrimitiveType::kPred || written->type == PrimitiveType::kPred) return written;
  const int from = BitWidth(operand.type);
  const int to = BitWidth(written->type);
  if (to == 0 || std::max(from, to) % std::min(from, to) != 0) {
    return Violation("expected element types of bitcast-convert whose widths divide, found " +
                     Name(operand.type) + " and " + Name(written->type));
  }
  std::vector<int64_t> sizes = operand.dims;
  if (from > to) sizes.push_back(from / to);
  if (from < to) {
    if (sizes.empty() || !SameSizes(sizes.back(), int64_t{to / from})) {
      return Violation("expected an operand of bitcast-convert with a last dimension of " +
                       llvm::Twine(to / from) + " elements");
    }
    sizes.pop_back();
  }
  return Shape::Array(written->type, std::move(sizes));
}

Expected Reverse(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  const Shape& operand = Operand(instruction, 0);
  if (llvm::Error error = CheckDimensions(instruction.attributes.dimensions, operand.rank(),
                                          "dimensions to reverse")) {
    return error;
  }
  return Shape::Array(operand.type, operand.dims);
}

constexpr OpcodeRule kMovementRules[] = {
    {Opcode::kBitcast, Bitcast},     {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kBroadcast, Broadcast}, {Opcode::kReshape, Reshape},
    {Opcode::kReverse, Reverse},     {Opcode::kTranspose, Transpose},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> MovementRules() { return kMovementRules; }

}  // namespace affirm::hlo
