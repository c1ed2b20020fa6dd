// Shape rules of batch-norm-training, batch-norm-inference and batch-norm-grad (XLA operation
// semantics, "BatchNormTraining" and so on).
#include "core/hlo/shape_inference.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;

// An array of floats, and vectors with an element for each of its features; the last operand is as
// large as the array where `has_gradient` says so. The array's type is also that of the results.
llvm::Expected<Shape> FeaturesOf(const Instruction& instruction, bool has_gradient) {
  const size_t count = instruction.operands.size();
  if (llvm::Error error = CheckArrays(instruction, count)) return error;
  const Shape& array = Operand(instruction, 0);
  if (!IsFloat(array.type))
    return Violation("expected floats as operand of " + instruction.opcode_text + ", found " +
                     array.ToString(false));
  int64_t feature = 0;
  const std::string* text = instruction.attributes.FindExtra("feature_index");
  if (text == nullptr || llvm::StringRef(*text).getAsInteger(10, feature))
    return Violation("expected feature_index to be a dimension of " + instruction.opcode_text);
  if (llvm::Error error = CheckDimensions(feature, array.rank(), "feature_index")) return error;
  const Shape vector = Shape::Array(array.type, {array.dims[static_cast<size_t>(feature)]});
  for (size_t k = 1; k < count; ++k) {
    const Shape& expected = has_gradient && k + 1 == count ? array : vector;
    const Shape& operand = Operand(instruction, static_cast<int64_t>(k));
    if (!CompatibleUpToPrecision(operand, expected))
      return Violation("expected " + expected.ToString(false) + " as operand " + llvm::Twine(k) +
                       " of " + instruction.opcode_text + ", found " + operand.ToString(false));
  }
  return vector;
}

template <bool kIsGradient>
Expected WithStatistics(const Instruction& instruction) {
  auto vector = FeaturesOf(instruction, kIsGradient);
  if (!vector) return vector;
  const Shape& array = Operand(instruction, 0);
  return Shape::Tuple({Shape::Array(array.type, array.dims), *vector, *vector});
}

Expected Inference(const Instruction& instruction) {
  auto vector = FeaturesOf(instruction, /*has_gradient=*/false);
  if (!vector) return vector;
  return Shape::Array(Operand(instruction, 0).type, Operand(instruction, 0).dims);
}

constexpr OpcodeRule kNormalizationRules[] = {
    {Opcode::kBatchNormGrad, WithStatistics<true>},
    {Opcode::kBatchNormInference, Inference},
    {Opcode::kBatchNormTraining, WithStatistics<false>},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> NormalizationRules() { return kNormalizationRules; }

}  // namespace affirm::hlo
