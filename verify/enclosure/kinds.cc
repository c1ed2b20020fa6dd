#include "verify/enclosure/kinds.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::Opcode;

namespace {

// Operations that a library does by an algorithm of its own: a loop says what it gives, not how
// it rounds.
bool IsLibraryAlgorithm(const Instruction& call) {
  const std::string* notes = call.attributes.FindExtra("frontend_attributes");
  return notes != nullptr && llvm::StringRef(*notes).contains("custom_call_target=") &&
         llvm::any_of(call.called[0]->instructions,
                      [](const auto& op) { return op->opcode == Opcode::kWhile; });
}

}  // namespace

Kind KindOf(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    // Collectives are those of one device, as in the interpreter.
    case Opcode::kAllGather:
    case Opcode::kAllGatherDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceDone:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncUpdate:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kConcatenate:
    case Opcode::kCopyDone:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kPad:
    case Opcode::kReduceScatter:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return Kind::kMovement;
    case Opcode::kBitcastConvert:
    case Opcode::kConstant:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kRngBitGenerator:
    case Opcode::kSetDimensionSize:
      return Kind::kGiven;
    case Opcode::kMap:
      return Kind::kMap;
    case Opcode::kConvolution:
    case Opcode::kDot:
    case Opcode::kRaggedDot:
      return Kind::kProducts;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return Kind::kReduction;
    case Opcode::kScatter:
      return Kind::kScatter;
    case Opcode::kSelectAndScatter:
      return Kind::kSelectAndScatter;
    case Opcode::kSort:
      return Kind::kSort;
    case Opcode::kTopk:
      return Kind::kTopK;
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return Kind::kNormalization;
    case Opcode::kFft:
      return Kind::kFft;
    case Opcode::kCholesky:
      return Kind::kCholesky;
    case Opcode::kTriangularSolve:
      return Kind::kTriangularSolve;
    case Opcode::kCopy:
      return op.shape.IsArray() ? Kind::kElementwise : Kind::kMovement;
    default:
      return hlo::IsElementwise(op.opcode) ? Kind::kElementwise : Kind::kOther;
  }
}

bool IsExactOfExact(Kind kind) {
  return kind == Kind::kGiven || kind == Kind::kMovement || kind == Kind::kSort ||
         kind == Kind::kTopK;
}

bool Follows(Kind kind) {
  return kind == Kind::kMovement || kind == Kind::kReduction || kind == Kind::kProducts ||
         kind == Kind::kScatter || kind == Kind::kSelectAndScatter;
}

bool FollowsCalls(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::kCall:
    case Opcode::kFusion:
      return op.called.size() == 1 && !IsLibraryAlgorithm(op);
    case Opcode::kAsyncStart:
      return op.called.size() == 1;
    case Opcode::kConditional:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

}  // namespace affirm::enclosure
