// Instances of the ops that cut out and put together: slice, pad, concatenate, dynamic slices, and
// of those that read and set the size of a dimension.
#include <algorithm>

#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

Instruction* Slice(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  Attributes attributes;
  for (int64_t size : operand->shape.dims) {
    const int64_t start = b.UpTo(size);
    const int64_t limit = size - b.UpTo(size - start);
    attributes.slice.push_back({start, limit, b.Flip() ? b.Stride(size) : 1});
  }
  return b.Add(opcode, {operand}, attributes);
}

// Low and high may cut off more than there is between them, down to no elements.
Instruction* Pad(OpBuilder& b, Opcode opcode) {
  // The text has no way to write the padding of a scalar.
  Instruction* operand = b.MainOperand(b.limits().portable ? 1 : 0);
  Attributes attributes;
  const int64_t most = b.limits().max_window;
  for (int64_t size : operand->shape.dims) {
    hlo::PaddingDimension padding;
    if (b.Flip())
      padding.interior = b.choices().OneIn(6) ? 1000 : b.Small(1, std::max<int64_t>(most, 1));
    const int64_t spread = size + std::max<int64_t>(size - 1, 0) * padding.interior;
    // From thousands between elements a few stay: `rest`, behind the ones that are cut off.
    const bool is_wide = padding.interior > most && size > 1;
    const int64_t cut = is_wide ? b.Small(0, spread) : 0;
    const int64_t rest = is_wide ? b.Small(0, std::min<int64_t>(spread - cut, 9)) : spread;
    const int64_t low = b.Small(-std::min(rest, most), most);
    padding.low = low - cut;
    padding.high = b.Small(std::max(-most, -(rest + low)), most) - (spread - cut - rest);
    attributes.padding.push_back(padding);
  }
  Instruction* value = b.Operand(Shape::Array(operand->shape.type, {}));
  return b.Add(opcode, {operand, value}, attributes);
}

Instruction* Concatenate(OpBuilder& b, Opcode opcode) {
  Instruction* first = b.MainOperand(1);
  Attributes attributes;
  attributes.dimensions = {static_cast<int64_t>(b.choices().Below(first->shape.rank()))};
  std::vector<Instruction*> operands = {first};
  for (int64_t more = b.Small(0, 3); more > 0; --more) {
    if (b.choices().OneIn(4)) {
      operands.push_back(first);
      continue;
    }
    Sizes sizes = first->shape.dims;
    int64_t& size = sizes[attributes.dimensions[0]];
    if (b.Flip()) size = b.Size(b.limits().zero_sizes ? 0 : 1, size);
    operands.push_back(b.Operand(b.Array(first->shape.type, sizes)));
  }
  return b.Add(opcode, operands, attributes);
}

// Starts for each dim of `shape`, now and then the same instruction for two.
void AddStarts(OpBuilder& b, const Shape& shape, std::vector<Instruction*>& operands) {
  const PrimitiveType type = b.AnyType(TypeClass::kInteger);
  const size_t first = operands.size();
  for (int64_t size : shape.dims) {
    const bool again = operands.size() > first && b.choices().OneIn(6);
    operands.push_back(again ? operands.back() : b.Position(size, type));
  }
}

Sizes SizesWithin(OpBuilder& b, const Shape& shape) {
  Sizes sizes;
  const int64_t least = b.limits().zero_sizes && b.choices().OneIn(16) ? 0 : 1;
  for (int64_t size : shape.dims) sizes.push_back(size - b.UpTo(size - std::min(least, size)));
  return sizes;
}

Instruction* DynamicSlice(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  std::vector<Instruction*> operands = {operand};
  Attributes attributes;
  attributes.dynamic_slice_sizes = SizesWithin(b, operand->shape);
  AddStarts(b, operand->shape, operands);
  return b.Add(opcode, operands, attributes);
}

Instruction* DynamicUpdateSlice(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  const Sizes sizes = SizesWithin(b, operand->shape);
  std::vector<Instruction*> operands = {operand, b.Operand(b.Array(operand->shape.type, sizes))};
  AddStarts(b, operand->shape, operands);
  return b.Add(opcode, operands);
}

Sizes OneDimension(OpBuilder& b, const Shape& shape) {
  return {static_cast<int64_t>(b.choices().Below(shape.rank()))};
}

Instruction* GetDimensionSize(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand(1);
  return b.Add(opcode, {operand}, WithDimensions(OneDimension(b, operand->shape)));
}

Instruction* SetDimensionSize(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand(1);
  const Sizes dimension = OneDimension(b, operand->shape);
  // A size that the array has room for; more of it would be undefined.
  auto number = [&](int64_t v) {
    hlo::Literal value(Shape::Array(PrimitiveType::kS32, {}));
    value.SetInt(0, v);
    return b.AddConstant(std::move(value));
  };
  Instruction* any = b.Operand(Shape::Array(PrimitiveType::kS32, {}));
  Instruction* size =
      b.Add(Opcode::kClamp, {number(0), any, number(operand->shape.dims[dimension[0]])});
  Shape written = operand->shape;
  written.dynamic.assign(written.rank(), false);
  written.dynamic[dimension[0]] = true;
  return b.Add(opcode, {operand, size}, WithDimensions(dimension), written);
}

constexpr OpEntry kSlicingOps[] = {
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kDynamicSlice, DynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice, InGraphs::kAffirmed, 2},
    {Opcode::kPad, Pad},
    {Opcode::kSlice, Slice},
    {Opcode::kGetDimensionSize, GetDimensionSize, InGraphs::kGenerated},
    {Opcode::kSetDimensionSize, SetDimensionSize, InGraphs::kGenerated},
};

}  // namespace

llvm::ArrayRef<OpEntry> SlicingFamily() { return kSlicingOps; }

}  // namespace affirm::fuzz
