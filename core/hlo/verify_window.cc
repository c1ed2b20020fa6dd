// Shape rules of the operations over sliding windows: reduce-window and select-and-scatter.
#include "core/hlo/shape_inference.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;
using Ints = std::vector<int64_t>;

llvm::Expected<Ints> WindowSizes(const Instruction& instruction, const Shape& input) {
  const std::vector<WindowDimension>& window = instruction.attributes.window;
  if (window.size() != input.dims.size()) {
    return Violation("expected a window of " + llvm::Twine(input.rank()) + " dimensions, found " +
                     llvm::Twine(window.size()));
  }
  Ints sizes;
  for (size_t d = 0; d < window.size(); ++d) {
    llvm::Expected<int64_t> positions = WindowPositions(input.dims[d], window[d]);
    if (!positions) return positions.takeError();
    sizes.push_back(*positions);
  }
  return sizes;
}

Expected ReduceWindow(const Instruction& instruction) {
  if (llvm::Error error = CheckReduction(instruction)) return error;
  llvm::Expected<Ints> sizes = WindowSizes(instruction, Operand(instruction, 0));
  if (!sizes) return sizes.takeError();
  return ReducedShape(instruction, *sizes);
}

// Operand, source, initial value: the source has an element for each position of the window.
Expected SelectAndScatter(const Instruction& instruction) {
  if (llvm::Error error = CheckArrays(instruction, 3)) return error;
  if (instruction.called.size() != 2) {
    return Violation("expected the computations select and scatter of select-and-scatter");
  }
  const Shape& operand = Operand(instruction, 0);
  llvm::Expected<Ints> sizes = WindowSizes(instruction, operand);
  if (!sizes) return sizes.takeError();
  if (!SameSizes(*sizes, Operand(instruction, 1).dims)) {
    return Violation("expected a source of the sizes " +
                     Shape::Array(operand.type, *sizes).ToString(false) + ", found " +
                     Operand(instruction, 1).ToString(false));
  }
  return Shape::Array(operand.type, operand.dims);
}

constexpr OpcodeRule kWindowRules[] = {
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kSelectAndScatter, SelectAndScatter},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> WindowRules() { return kWindowRules; }

}  // namespace affirm::hlo
