// Shape rules of the operations without operands: constant, iota, parameter, partition-id and
// replica-id.
#include "core/hlo/shape_inference.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;

Expected Iota(const Instruction& instruction) {
  Expected written = WrittenShape(instruction);
  if (!written) return written.takeError();
  if (!written->IsArray() || written->type == PrimitiveType::kPred) {
    return Violation("expected an array of numbers as the result of iota, found " +
                     written->ToString(false));
  }
  const std::vector<int64_t>& dims = instruction.attributes.dimensions;
  if (llvm::Error error = CheckDimensions(dims, written->rank(), "iota_dimension")) return error;
  if (written->rank() == 0 || dims.size() == 1) return written;
  return Violation("expected iota_dimension, one of " + llvm::Twine(written->rank()) +
                   " dimensions");
}

Expected Parameter(const Instruction& instruction) {
  if (instruction.parameter_number < 0) return Violation("expected the number of the parameter");
  return WrittenShape(instruction);
}

Expected Constant(const Instruction& instruction) {
  Expected written = WrittenShape(instruction);
  if (!written) return written.takeError();
  if (instruction.literal && !instruction.literal->shape().SameIgnoringLayout(*written)) {
    return Violation("expected a value of the shape " + written->ToString(false) + ", found " +
                     instruction.literal->shape().ToString(false));
  }
  return written;
}

Expected ReplicaOrPartitionId(const Instruction&) { return Shape::Array(PrimitiveType::kU32, {}); }

constexpr OpcodeRule kNullaryRules[] = {
    {Opcode::kConstant, Constant},
    {Opcode::kIota, Iota},
    {Opcode::kParameter, Parameter},
    {Opcode::kPartitionId, ReplicaOrPartitionId},
    {Opcode::kReplicaId, ReplicaOrPartitionId},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> NullaryRules() { return kNullaryRules; }

}  // namespace affirm::hlo
