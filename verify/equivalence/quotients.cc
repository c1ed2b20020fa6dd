#include "verify/equivalence/quotients.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::equivalence {

namespace {

bool MayBeQuotient(const hlo::Instruction& op) {
  switch (op.opcode) {
    case hlo::Opcode::kDivide:
      return !hlo::IsInt(op.shape.type);
    case hlo::Opcode::kBatchNormGrad:
    case hlo::Opcode::kBatchNormInference:
    case hlo::Opcode::kBatchNormTraining:
    case hlo::Opcode::kCustomCall:
    case hlo::Opcode::kLogistic:
    case hlo::Opcode::kPower:
    case hlo::Opcode::kRsqrt:
    case hlo::Opcode::kSqrt:
      return true;
    default:
      return false;
  }
}

bool HasQuotientsBeyond(const hlo::Computation& computation,
                        llvm::DenseSet<const hlo::Computation*>& seen) {
  if (!seen.insert(&computation).second) return false;
  return llvm::any_of(computation.instructions, [&](const auto& op) {
    return MayBeQuotient(*op) || llvm::any_of(op->called, [&](const hlo::Computation* called) {
             return called != nullptr && HasQuotientsBeyond(*called, seen);
           });
  });
}

}  // namespace

bool HasQuotients(const hlo::Computation& computation) {
  llvm::DenseSet<const hlo::Computation*> seen;
  return HasQuotientsBeyond(computation, seen);
}

}  // namespace affirm::equivalence
