// Shape rules of the operations that combine the elements along dimensions: reduce and scan.
#include "core/hlo/shape_inference.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;
using Ints = std::vector<int64_t>;

Expected Reduce(const Instruction& instruction) {
  if (llvm::Error error = CheckReduction(instruction)) return error;
  const Shape& input = Operand(instruction, 0);
  const Ints& dims = instruction.attributes.dimensions;
  if (llvm::Error error = CheckDimensions(dims, input.rank(), "dimensions to reduce")) return error;
  return ReducedShape(instruction, SizesWithout(input, dims));
}

// inputs, initial carries -> outputs, carries. The computation takes and returns slices of them.
Expected Scan(const Instruction& instruction) {
  if (llvm::Error error = CheckCallees(instruction, 1)) return error;
  const Computation& callee = *instruction.called[0];
  const int64_t carries = instruction.attributes.num_carries;
  if (carries < 0 || carries > static_cast<int64_t>(instruction.operands.size())) {
    return Violation("expected num_carries from 0 to " + llvm::Twine(instruction.operands.size()) +
                     ", found " + llvm::Twine(carries));
  }
  if (llvm::Error error = CheckParameterCount(callee, instruction.operands.size())) return error;
  return WrittenShape(instruction);
}

constexpr OpcodeRule kReductionRules[] = {
    {Opcode::kReduce, Reduce},
    {Opcode::kScan, Scan},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> ReductionRules() { return kReductionRules; }

}  // namespace affirm::hlo
