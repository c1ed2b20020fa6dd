#include "verify/reference/open_ops.h"

#include <algorithm>

#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/open_elements.h"
#include "verify/reference/ops.h"
#include "verify/scalar/nan_bits.h"

namespace affirm::hlo {

bool MovesElements(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAllGather:
    case Opcode::kAllToAll:
    case Opcode::kAsyncDone:
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kConcatenate:
    case Opcode::kConstant:
    case Opcode::kCopy:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSelect:
    case Opcode::kSetDimensionSize:
    case Opcode::kSlice:
    case Opcode::kSort:
    case Opcode::kTopk:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

bool MayNoteOpen(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kGather:
      return op.attributes.indices_are_sorted;
    case Opcode::kCholesky:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
    case Opcode::kSort:
      return true;
    case Opcode::kRngBitGenerator: {
      const std::string* algorithm = op.attributes.FindExtra("algorithm");
      return algorithm != nullptr && *algorithm == "rng_default";
    }
    case Opcode::kScatter:
      return op.attributes.unique_indices || op.attributes.indices_are_sorted ||
             OrderOfUpdatesCounts(op);
    default:
      return false;
  }
}

bool CallsWhatSees(const Instruction& op) {
  return llvm::any_of(op.called, [](const Computation* called) {
    return llvm::any_of(called->instructions, [](const auto& inside) {
      return SeesBitsOfNaN(*inside) || CallsWhatSees(*inside);
    });
  });
}

bool ReadsTooMuch(const Instruction& op, llvm::ArrayRef<const Literal*> operands) {
  constexpr double kMostReads = 1 << 24;
  switch (op.opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormTraining:
    case Opcode::kCholesky:
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kFft:
    case Opcode::kRaggedDot:
    case Opcode::kReduceWindow:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kSelectAndScatter:
    case Opcode::kTopk:
    case Opcode::kTriangularSolve:
      break;
    default:
      return false;
  }
  double most = 0, results = 0;
  for (const Literal* operand : operands) {
    if (operand->shape().IsArray()) most = std::max<double>(most, operand->NumElements());
  }
  for (const Shape* leaf : LeafShapes(op.shape)) {
    if (leaf->IsArray()) results += static_cast<double>(leaf->NumElements());
  }
  return most * results > kMostReads;
}

int64_t FirstDecidingOperand(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kDynamicReshape:
    case Opcode::kSetDimensionSize:
      return 1;
    default:
      return -1;
  }
}

}  // namespace affirm::hlo
