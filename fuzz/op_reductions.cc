// Instances of the ops that combine along dims: reduce, windows, scan, sort, top-k.
#include <algorithm>

#include "fuzz/op_families.h"

namespace affirm::fuzz {
namespace {

using hlo::Attributes;
using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// One to three arrays of the sizes of the first, then what their initial values are.
std::vector<Instruction*> ArraysAndInitials(OpBuilder& b, std::vector<PrimitiveType>& types) {
  std::vector<Instruction*> operands = {b.MainOperand()};
  types = {operands[0]->shape.type};
  for (int64_t more = b.choices().OneIn(3) ? b.Small(1, 2) : 0; more > 0; --more) {
    types.push_back(b.AnyType(TypeClass::kAny));
    operands.push_back(b.Operand(b.Array(types.back(), operands[0]->shape.dims)));
  }
  for (PrimitiveType type : types) operands.push_back(b.Operand(Shape::Array(type, {})));
  return operands;
}

Instruction* Reduce(OpBuilder& b, Opcode opcode) {
  std::vector<PrimitiveType> types;
  const std::vector<Instruction*> operands = ArraysAndInitials(b, types);
  Attributes attributes;
  attributes.dimensions = b.Subset(operands[0]->shape.rank());
  return b.Add(opcode, operands, attributes, {}, {{"to_apply", b.Combiner(types)}});
}

std::vector<hlo::WindowDimension> AnyWindows(OpBuilder& b, const Shape& shape) {
  std::vector<hlo::WindowDimension> window;
  for (int64_t size : shape.dims) {
    window.push_back(b.choices().OneIn(3) ? hlo::WindowDimension() : b.AnyWindow(size));
  }
  return window;
}

Instruction* ReduceWindow(OpBuilder& b, Opcode opcode) {
  std::vector<PrimitiveType> types;
  const std::vector<Instruction*> operands = ArraysAndInitials(b, types);
  Attributes attributes;
  attributes.window = AnyWindows(b, operands[0]->shape);
  return b.Add(opcode, operands, attributes, {}, {{"to_apply", b.Combiner(types)}});
}

hlo::Computation* Comparator(OpBuilder& b, llvm::ArrayRef<PrimitiveType> types,
                             const char* direction) {
  return b.AddComputation([&](OpBuilder& body) {
    std::vector<Instruction*> first;
    for (PrimitiveType type : types) {
      Instruction* lhs = body.Operand(Shape::Array(type, {}));
      Instruction* rhs = body.Operand(Shape::Array(type, {}));
      if (first.empty()) first = {lhs, rhs};
    }
    Attributes attributes;
    attributes.comparison_direction = direction;
    return body.Add(Opcode::kCompare, first, attributes);
  });
}

// Operand, source (an element for each place of the window), initial value.
Instruction* SelectAndScatter(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand(1, TypeClass::kSortable);
  const PrimitiveType type = operand->shape.type;
  Attributes attributes;
  Sizes source;
  attributes.window = AnyWindows(b, operand->shape);
  for (size_t d = 0; d < attributes.window.size(); ++d) {
    hlo::WindowDimension& w = attributes.window[d];
    // XLA's select-and-scatter has no dilations.
    w.base_dilation = w.window_dilation = 1;
    const int64_t size = operand->shape.dims[d];
    w.padding_high = std::max(w.padding_high, -(size + w.padding_low));
    const int64_t padded = size + w.padding_low + w.padding_high;
    source.push_back(padded < w.size ? 0 : (padded - w.size) / w.stride + 1);
  }
  Instruction* sources = b.Operand(b.Array(type, source));
  Instruction* initial = b.Operand(Shape::Array(type, {}));
  hlo::Computation* select = Comparator(b, {type}, b.choices().Pick({"GE", "LE", "GT"}));
  return b.Add(opcode, {operand, sources, initial}, attributes, {},
               {{"select", select}, {"scatter", b.Combiner({type})}});
}

Instruction* Sort(OpBuilder& b, Opcode opcode) {
  std::vector<Instruction*> operands = {b.MainOperand(1, TypeClass::kSortable)};
  std::vector<PrimitiveType> types = {operands[0]->shape.type};
  for (int64_t more = b.choices().OneIn(3) ? b.Small(1, 2) : 0; more > 0; --more) {
    types.push_back(b.AnyType(TypeClass::kAny));
    operands.push_back(b.Operand(b.Array(types.back(), operands[0]->shape.dims)));
  }
  Attributes attributes;
  attributes.dimensions = {static_cast<int64_t>(b.choices().Below(operands[0]->shape.rank()))};
  attributes.is_stable = b.Flip();
  hlo::Computation* less = Comparator(b, types, b.choices().Pick({"LT", "GT"}));
  return b.Add(opcode, operands, attributes, {}, {{"to_apply", less}});
}

Instruction* TopK(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand(1, TypeClass::kSortable);
  Sizes sizes = operand->shape.dims;
  sizes.back() = b.Small(std::min<int64_t>(1, sizes.back()), sizes.back());
  Attributes attributes;
  attributes.other = {{"k", std::to_string(sizes.back())},
                      {"largest", b.choices().Pick({"true", "false"})}};
  Shape values = b.Array(operand->shape.type, sizes);
  Shape places = b.Array(PrimitiveType::kS32, sizes);
  return b.Add(opcode, {operand}, attributes, Shape::Tuple({values, places}));
}

Sizes Without(Sizes sizes, int64_t dim) {
  sizes.erase(sizes.begin() + dim);
  return sizes;
}

// Inputs of one length along the scanned dim and carries of the shape of a slice; each output is a
// carry as it stands after the step.
Instruction* Scan(OpBuilder& b, Opcode opcode) {
  Instruction* first = b.MainOperand(1, TypeClass::kNumber);
  const PrimitiveType type = first->shape.type;
  Attributes attributes;
  const auto dim = static_cast<int64_t>(b.choices().Below(first->shape.rank()));
  attributes.dimensions = {dim};
  attributes.is_reverse = b.Flip();
  attributes.num_carries = b.Small(1, 2);
  const int64_t inputs = b.Small(1, 2);
  const Shape slice = Shape::Array(type, Without(first->shape.dims, dim));
  std::vector<Instruction*> operands = {first};
  for (int64_t k = 1; k < inputs; ++k) {
    operands.push_back(b.Operand(b.Array(type, first->shape.dims)));
  }
  for (int64_t k = 0; k < attributes.num_carries; ++k) operands.push_back(b.Operand(slice));
  hlo::Computation* step = b.AddComputation([&](OpBuilder& body) {
    std::vector<Instruction*> slices, carries;
    for (int64_t k = 0; k < inputs; ++k) slices.push_back(body.Operand(slice));
    for (int64_t k = 0; k < attributes.num_carries; ++k) {
      Instruction* carry = body.Operand(slice);
      carries.push_back(body.Add(Opcode::kAdd, {carry, slices[k % inputs]}));
    }
    std::vector<Instruction*> results = {carries[0]};
    results.insert(results.end(), carries.begin(), carries.end());
    return body.Add(Opcode::kTuple, results);
  });
  std::vector<Shape> results = {Shape::Array(type, first->shape.dims)};
  results.insert(results.end(), attributes.num_carries, slice);
  return b.Add(opcode, operands, attributes, Shape::Tuple(results), {{"to_apply", step}});
}

constexpr OpFamily kFamilies[] = {
    {Opcode::kReduce, Reduce}, {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kScan, Scan},     {Opcode::kSelectAndScatter, SelectAndScatter},
    {Opcode::kSort, Sort},     {Opcode::kTopk, TopK},
};

}  // namespace

llvm::ArrayRef<OpFamily> ReductionFamilies() { return kFamilies; }

}  // namespace affirm::fuzz
