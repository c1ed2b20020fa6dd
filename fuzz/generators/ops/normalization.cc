// Instances of batch normalization.
#include "fuzz/generators/ops/families.h"

namespace affirm::fuzz {

namespace {

// The array first, then vectors with a number for each feature; grad also takes the gradient of the
// output.
Instruction* BatchNorm(OpBuilder& b, Opcode opcode) {
  const PrimitiveType type = b.choices().Pick({PrimitiveType::kF32, PrimitiveType::kF64});
  const Shape array = b.Array(type, b.AnySizes(1, b.limits().max_rank));
  Attributes attributes;
  const auto feature = static_cast<int64_t>(b.choices().Below(array.rank()));
  attributes.extra = {{"epsilon", "0.001"}, {"feature_index", std::to_string(feature)}};
  const Shape vector = Shape::Array(type, {array.dims[feature]});
  std::vector<Instruction*> operands = {b.Operand(array)};
  const int vectors = opcode == Opcode::kBatchNormTraining ? 2
                      : opcode == Opcode::kBatchNormGrad   ? 3
                                                           : 4;
  for (int k = 0; k < vectors; ++k) operands.push_back(b.Operand(vector));
  if (opcode == Opcode::kBatchNormGrad) operands.push_back(b.Operand(array));
  const Shape result = b.Array(type, array.dims);
  return b.Add(
      opcode, operands, attributes,
      opcode == Opcode::kBatchNormInference ? result : Shape::Tuple({result, vector, vector}));
}

constexpr OpEntry kNormalizationOps[] = {
    {Opcode::kBatchNormGrad, BatchNorm, InGraphs::kGenerated},
    {Opcode::kBatchNormInference, BatchNorm, InGraphs::kGenerated},
    {Opcode::kBatchNormTraining, BatchNorm, InGraphs::kGenerated},
};

}  // namespace

llvm::ArrayRef<OpEntry> NormalizationFamily() { return kNormalizationOps; }

}  // namespace affirm::fuzz
