// Instances of the ops that rearrange a whole array: broadcast, transpose, reverse, reshape,
// bitcast and their kin.
#include <algorithm>

#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

// The operand's dims go to distinct dims of the result, in any order.
Instruction* Broadcast(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  const Shape& in = operand->shape;
  const int64_t rank = b.Small(in.rank(), std::max(in.rank(), b.limits().max_rank));
  Sizes places = b.Permutation(rank);
  places.resize(in.rank());
  // Only the order that they have is portable.
  if (b.limits().portable || !b.choices().OneIn(3)) llvm::sort(places);
  int64_t budget = b.limits().max_elements / std::max<int64_t>(in.NumElements(), 1);
  Sizes sizes(rank, -1);
  for (int64_t d = 0; d < in.rank(); ++d) sizes[places[d]] = in.dims[d];
  for (int64_t& size : sizes) {
    if (size >= 0) continue;
    size = b.Size(1, budget);
    budget /= size;
  }
  return b.Add(opcode, {operand}, WithDimensions(places), b.Array(in.type, sizes));
}

Instruction* Transpose(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  return b.Add(opcode, {operand}, WithDimensions(b.Permutation(operand->shape.rank())));
}

Instruction* Reverse(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  return b.Add(opcode, {operand}, WithDimensions(b.Subset(operand->shape.rank())));
}

Instruction* Reshape(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  Sizes sizes = b.SizesOfProduct(operand->shape.NumElements());
  return b.Add(opcode, {operand}, {}, b.Array(operand->shape.type, std::move(sizes)));
}

// The sizes are those of the operand's elements; the shape may leave room for more along one dim.
Instruction* DynamicReshape(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand(1);
  Sizes sizes = b.SizesOfProduct(operand->shape.NumElements());
  std::vector<Instruction*> operands = {operand};
  for (int64_t size : sizes) {
    hlo::Literal value(Shape::Array(PrimitiveType::kS64, {}));
    value.SetInt(0, size);
    operands.push_back(b.AddConstant(std::move(value)));
  }
  Shape shape = b.Array(operand->shape.type, sizes);
  if (!sizes.empty() && b.choices().OneIn(4)) {
    const size_t dim = b.choices().Below(sizes.size());
    shape.dims[dim] += b.Small(1, 2);
    shape.dynamic.resize(sizes.size());
    shape.dynamic[dim] = true;
  }
  return b.Add(opcode, operands, {}, shape);
}

// A type for the operand's bits: of one width with it, or of any other where that is allowed.
PrimitiveType TypeOfBits(OpBuilder& b, PrimitiveType from, bool any_width) {
  for (int tries = 0; tries < 4; ++tries) {
    const PrimitiveType type = b.AnyType(TypeClass::kNumber);
    const bool is_same = hlo::BitWidth(type) == hlo::BitWidth(from);
    if (hlo::IsComplex(type) == hlo::IsComplex(from) && (any_width || is_same)) return type;
  }
  return from;
}

// Layouts say what a bitcast means; the type may change to another one of the same width.
Instruction* Bitcast(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  PrimitiveType type = operand->shape.type;
  const bool may_change = b.limits().any_bitcast && type != PrimitiveType::kPred;
  if (may_change && b.choices().OneIn(4)) type = TypeOfBits(b, type, false);
  if (type != operand->shape.type) operand = b.WithDefinedBits(operand);
  Sizes sizes = b.SizesOfProduct(operand->shape.NumElements());
  Shape written = b.Array(type, sizes);
  if (b.limits().layouts) written.layout = hlo::Layout{b.Permutation(written.rank()), ""};
  return b.Add(opcode, {operand}, {}, written);
}

// Types of one width, or a last dim that makes up for the difference.
Instruction* BitcastConvert(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand(0, b.limits().max_rank - 1, TypeClass::kNumber);
  const PrimitiveType from = operand->shape.type;
  const PrimitiveType to = TypeOfBits(b, from, b.limits().any_bitcast);
  Sizes sizes = operand->shape.dims;
  const int64_t width = hlo::BitWidth(from), new_width = hlo::BitWidth(to);
  if (width > new_width) sizes.push_back(width / new_width);
  if (width < new_width) {
    Sizes parts = sizes;
    parts.push_back(new_width / width);
    operand = b.Operand(b.Array(from, parts));
  }
  return b.Add(opcode, {b.WithDefinedBits(operand)}, {}, b.Array(to, sizes));
}

constexpr OpEntry kMovementOps[] = {
    {Opcode::kBitcast, Bitcast},
    {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kBroadcast, Broadcast},
    {Opcode::kDynamicReshape, DynamicReshape, InGraphs::kGenerated},
    {Opcode::kReshape, Reshape},
    {Opcode::kReverse, Reverse},
    {Opcode::kTranspose, Transpose},
};

}  // namespace

llvm::ArrayRef<OpEntry> MovementFamily() { return kMovementOps; }

}  // namespace affirm::fuzz
