// Shape rules of sort and topk.
#include <optional>

#include "core/hlo/attribute_values.h"
#include "core/hlo/shape_inference.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;

Expected Sort(const Instruction& instruction) {
  if (llvm::Error error = CheckCallees(instruction, 1)) return error;
  if (instruction.operands.empty()) return Violation("expected at least 1 operand of sort");
  const Computation& comparator = *instruction.called[0];
  if (llvm::Error error = CheckPredicate(comparator)) return error;
  if (llvm::Error error = CheckParameterCount(comparator, 2 * instruction.operands.size())) {
    return error;
  }
  std::vector<Shape> results;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (llvm::Error error = CheckArray(instruction, static_cast<int64_t>(i))) return error;
    const Shape& operand = Operand(instruction, i);
    if (!SameSizes(operand.dims, Operand(instruction, 0).dims)) {
      return Violation("expected operands of sort of one size");
    }
    for (size_t side : {0, 1}) {
      const auto number = static_cast<int64_t>(2 * i + side);
      if (llvm::Error error = CheckBinding(comparator, number, Shape::Array(operand.type, {}))) {
        return error;
      }
    }
    results.push_back(operand);
  }
  if (llvm::Error error = CheckDimensions(instruction.attributes.dimensions, results[0].rank(),
                                          "dimensions to sort")) {
    return error;
  }
  if (const size_t count = instruction.attributes.dimensions.size(); count != 1)
    return Violation("expected one dimension to sort along, found " + std::to_string(count));
  return results.size() == 1 ? results[0] : Shape::Tuple(std::move(results));
}

// The k largest or smallest of each row of the last dimension, and where they stand in it.
Expected TopK(const Instruction& instruction) {
  if (llvm::Error error = CheckArray(instruction, 0)) return error;
  const Shape& operand = Operand(instruction, 0);
  const std::optional<int64_t> k = IntegerAttribute(instruction.attributes, "k");
  if (!k || operand.dims.empty() || *k < 0 ||
      (operand.dims.back() != kUnboundedSize && *k > operand.dims.back())) {
    return Violation("expected k, at most the size of the last dimension of " +
                     operand.ToString(false));
  }
  std::vector<int64_t> sizes = operand.dims;
  sizes.back() = *k;
  return Shape::Tuple(
      {Shape::Array(operand.type, sizes), Shape::Array(PrimitiveType::kS32, sizes)});
}

constexpr OpcodeRule kSortingRules[] = {
    {Opcode::kSort, Sort},
    {Opcode::kTopk, TopK},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> SortingRules() { return kSortingRules; }

}  // namespace affirm::hlo
