// Instances of reduce-window and select-and-scatter.
#include <algorithm>

#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

std::vector<hlo::WindowDimension> AnyWindows(OpBuilder& b, const Shape& shape) {
  std::vector<hlo::WindowDimension> window;
  window.reserve(shape.dims.size());
  for (int64_t size : shape.dims) {
    window.push_back(b.choices().OneIn(4) ? hlo::WindowDimension() : b.AnyWindow(size));
  }
  return window;
}

Instruction* ReduceWindow(OpBuilder& b, Opcode opcode) {
  const Combining c = AnyCombining(b);
  Attributes attributes;
  attributes.window = AnyWindows(b, c.operands[0]->shape);
  return b.Add(opcode, c.operands, attributes, {}, {{"to_apply", c.combiner}});
}

// The operands: an array, a source with an element for each position of the window, an initial
// value.
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
               {{"select", select}, {"scatter", b.Combiner(type)}});
}

constexpr OpEntry kWindowOps[] = {
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kSelectAndScatter, SelectAndScatter, InGraphs::kGenerated},
};

}  // namespace

llvm::ArrayRef<OpEntry> WindowFamily() { return kWindowOps; }

}  // namespace affirm::fuzz
