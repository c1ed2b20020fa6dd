#include "core/hlo/choices.h"

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

}  // namespace affirm::hlo
