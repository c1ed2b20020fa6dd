#include "driver/check/host_ops.h"

#include "driver/check/library_ops.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/devices.h"

namespace affirm::driver {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

bool ForwardsValues(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kConstant:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

bool IsControl(const Instruction& op) {
  switch (op.opcode) {
    // Devices communicate between kernels, not in one.
    // Nor are loops run in one.
    case Opcode::kFusion:
      return llvm::any_of(op.called, [](const Computation* c) {
        return hlo::DependsOnDevices(*c) || HasLibraryOp(*c);
      });
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

bool HasKernel(Opcode opcode) {
  if (hlo::IsElementwise(opcode)) return true;
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kConvolution:
    case Opcode::kCopy:
    case Opcode::kDot:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kMap:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kRngBitGenerator:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSlice:
    case Opcode::kSort:
    case Opcode::kTopk:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

}  // namespace affirm::driver
