#include "core/hlo/choices.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {

bool MayChoose(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kCholesky:
    case Opcode::kConvolution:
    case Opcode::kCustomCall:
    case Opcode::kDot:
    case Opcode::kFft:
    case Opcode::kFusion:
    case Opcode::kRaggedDot:
    case Opcode::kReduce:
    case Opcode::kReduceScatter:
    case Opcode::kReduceWindow:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kTriangularSolve:
      return true;
    case Opcode::kSort:
      return !op.attributes.is_stable;
    default:
      return false;
  }
}

bool MayChooseInside(const Instruction& op) {
  const bool is_call = op.opcode == Opcode::kCall || op.opcode == Opcode::kFusion;
  if (MayChoose(op) && !is_call) return true;
  return llvm::any_of(op.called, [](const Computation* called) {
    return llvm::any_of(called->instructions,
                        [](const auto& inner) { return MayChooseInside(*inner); });
  });
}

}  // namespace affirm::hlo
