// Arguments for scatters with unique_indices, by which a program asserts that the windows of its
// updates do not overlap; if they did, its behavior would be undefined.
#include <algorithm>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/reference/index_uses.h"
#include "verify/reference/ops.h"
#include "verify/reference/scalar.h"

namespace affirm::hlo {
namespace {

// For each parameter of a computation, the parameter of the outermost computation that has the same
// elements in the same order; -1 if none has.
using SameParameters = llvm::SmallVector<int64_t>;

// Sets index vectors, in ascending order, whose windows do not overlap. When the operand has no
// room for more windows they point behind it, so that these updates are skipped.
void Separate(const Instruction& scatter, Literal& indices) {
  const Attributes& a = scatter.attributes;
  const Shape& operand = scatter.operands.front()->shape;
  const std::vector<int64_t> window = ScatterWindowSizes(scatter);
  const Shape& shape = indices.shape();
  const bool has_vector = a.index_vector_dim < shape.rank();
  const int64_t components = has_vector ? shape.dims[a.index_vector_dim] : 1;
  if (components != static_cast<int64_t>(a.scatter_dims_to_operand_dims.size())) return;
  // How many windows fit side by side along each indexed dimension, in all, and in what the type
  // can count.
  const IntType type = IntType::Of(shape.type);
  const int64_t largest = type.bits >= 63 ? INT64_MAX : type.Max();
  llvm::SmallVector<int64_t> slots;
  int64_t room = 1;
  for (int64_t d : a.scatter_dims_to_operand_dims) {
    const int64_t width = std::max<int64_t>(window[d], 1);
    slots.push_back(std::min(operand.dims[d] / width, largest / width + 1));
    room *= slots.back();
  }
  int64_t inner = 1;  // elements behind the vector's dimension
  for (int64_t d = a.index_vector_dim + 1; d < shape.rank(); ++d) inner *= shape.dims[d];
  const int64_t rows = components == 0 ? 0 : shape.NumElements() / components;
  const int64_t step = rows == 0 ? 0 : std::max<int64_t>(room / rows, 1);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t slot = row * step;
    const bool fits = slot < room;
    for (int64_t c = components - 1; c >= 0; --c) {
      const int64_t d = a.scatter_dims_to_operand_dims[c];
      const int64_t start = fits ? slot % slots[c] * window[d] : largest;
      if (fits) slot /= slots[c];
      indices.SetInt((row / inner * components + c) * inner + row % inner, start);
    }
  }
}

void Visit(const Computation& computation, const SameParameters& parameters,
           std::vector<Literal>& arguments) {
  llvm::DenseMap<const Instruction*, int64_t> sources;
  auto source_of = [&](const Instruction* instruction) {
    auto found = sources.find(instruction);
    return found == sources.end() ? -1 : found->second;
  };
  for (const auto& instruction : computation.instructions) {
    switch (instruction->opcode) {
      case Opcode::kParameter:
        sources[instruction.get()] = parameters[instruction->parameter_number];
        break;
      case Opcode::kCopy:
      case Opcode::kReshape:
        sources[instruction.get()] = source_of(instruction->operands[0]);
        break;
      case Opcode::kFusion:
      case Opcode::kCall: {
        if (instruction->called.size() != 1) break;
        SameParameters passed;
        for (const Instruction* operand : instruction->operands)
          passed.push_back(source_of(operand));
        if (passed.size() == instruction->called[0]->parameters.size())
          Visit(*instruction->called[0], passed, arguments);
        break;
      }
      case Opcode::kScatter: {
        const Instruction* indices = instruction->operands[instruction->operands.size() / 2];
        const int64_t source = source_of(indices);
        if (!instruction->attributes.unique_indices || source < 0 || !IsInt(indices->shape.type))
          break;
        // A reshape keeps the order of the elements, so the argument is written through the shape
        // that the scatter sees.
        Literal seen(indices->shape);
        if (arguments[source].NumElements() != seen.NumElements()) break;
        Separate(*instruction, seen);
        for (int64_t i = 0; i < seen.NumElements(); ++i)
          arguments[source].SetInt(i, seen.GetInt(i));
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace

void EnforceUniqueIndices(const Computation& computation, std::vector<Literal>& arguments) {
  SameParameters parameters;
  for (size_t k = 0; k < arguments.size(); ++k) parameters.push_back(static_cast<int64_t>(k));
  Visit(computation, parameters, arguments);
}

}  // namespace affirm::hlo
