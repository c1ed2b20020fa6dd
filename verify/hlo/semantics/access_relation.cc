// The access relation of an instruction: its opcode leads to the function of its op family, and
// dynamic sizes narrow what that says.
#include "verify/hlo/semantics/access_relation.h"

#include <utility>

#include "core/hlo/dynamic_sizes.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm {

std::vector<Interval> IndexSpace(const hlo::Shape& shape) {
  std::vector<Interval> space;
  space.reserve(shape.dims.size());
  for (int64_t size : shape.dims) space.push_back({0, size - 1});
  return space;
}

namespace hlo_semantics {
namespace {

// The access relations of ops that communicate.
OptionalRelation OfCollective(const AccessQuery& q) {
  using hlo::Opcode;
  switch (q.op.opcode) {
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kCollectivePermute:
      return SameIndexOfSameOperand(q);
    case Opcode::kCollectiveBroadcast:
      return CollectiveBroadcast(q);
    case Opcode::kCollectivePermuteStart:
      return CollectivePermuteStart(q);
    case Opcode::kAllGather:
      return AllGather(q);
    case Opcode::kAllGatherStart:
      return AllGatherStart(q);
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
      return CollectiveDone(q);
    case Opcode::kReduceScatter:
      return ReduceScatter(q);
    case Opcode::kAllToAll:
      return AllToAll(q);
    case Opcode::kRaggedAllToAll:
      return RaggedAllToAll(q);
    default:
      return std::nullopt;
  }
}

// The access relations of ops that hand on their operands, and of ops that call computations.
OptionalRelation OfForwardOrCall(const AccessQuery& q) {
  using hlo::Opcode;
  switch (q.op.opcode) {
    case Opcode::kTuple:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
    case Opcode::kAsyncUpdate:
    case Opcode::kGetTupleElement:
    case Opcode::kCopyDone:
    case Opcode::kAllReduceDone:
      return HandOn(q);
    case Opcode::kCopyStart:
      return CopyStart(q);
    case Opcode::kAsyncStart:
      return AsyncStart(q);
    case Opcode::kConditional:
      return Conditional(q);
    case Opcode::kAsyncDone:
      return AsyncDone(q);
    case Opcode::kWhile:
      return While(q);
    default:
      return OfCollective(q);
  }
}

OptionalRelation ByOpcode(const AccessQuery& q) {
  using hlo::Opcode;
  if (hlo::IsElementwise(q.op.opcode)) return Elementwise(q);
  switch (q.op.opcode) {
    case Opcode::kMap:
      return Elementwise(q);
    case Opcode::kBroadcast:
      return Broadcast(q);
    case Opcode::kTranspose:
      return Transpose(q);
    case Opcode::kReverse:
      return Reverse(q);
    case Opcode::kSlice:
      return Slice(q);
    case Opcode::kPad:
      return Pad(q);
    case Opcode::kConcatenate:
      return Concatenate(q);
    case Opcode::kReshape:
      return Reshape(q);
    case Opcode::kDynamicReshape:
      return DynamicReshape(q);
    case Opcode::kBitcast:
      return Bitcast(q);
    case Opcode::kBitcastConvert:
      return BitcastConvert(q);
    case Opcode::kReduce:
      return Reduce(q);
    case Opcode::kReduceWindow:
      return ReduceWindow(q);
    case Opcode::kSort:
      return Sort(q);
    case Opcode::kTopk:
      return TopK(q);
    case Opcode::kScan:
      return Scan(q);
    case Opcode::kSelectAndScatter:
      return SelectAndScatter(q);
    case Opcode::kDot:
      return Dot(q);
    case Opcode::kRaggedDot:
      return RaggedDot(q);
    case Opcode::kFft:
      return Fft(q);
    case Opcode::kCholesky:
      return Cholesky(q);
    case Opcode::kTriangularSolve:
      return TriangularSolve(q);
    case Opcode::kScaledDot:
      return ScaledDot(q);
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return BatchNorm(q);
    case Opcode::kConvolution:
      return Convolution(q);
    case Opcode::kDynamicSlice:
      return DynamicSlice(q);
    case Opcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice(q);
    case Opcode::kGather:
      return Gather(q);
    case Opcode::kScatter:
      return Scatter(q);
    case Opcode::kRng:
      return Rng(q);
    case Opcode::kRngBitGenerator:
      return RngBitGenerator(q);
    case Opcode::kGetDimensionSize:
      return GetDimensionSize(q);
    case Opcode::kSetDimensionSize:
      return SetDimensionSize(q);
    default:
      return OfForwardOrCall(q);
  }
}

}  // namespace

AccessRelation Where(const AccessQuery& q, std::vector<Formula> facts) {
  AccessRelation r;
  r.output = IndexSpace(q.output);
  r.input = IndexSpace(q.input);
  r.reads = Formula::And(std::move(facts));
  return r;
}

OptionalRelation UpperBound(OptionalRelation answer) {
  if (answer) answer->upper_bound = true;
  return answer;
}

AccessRelation ReadsNothing(const AccessQuery& q) { return Where(q, {Formula::False()}); }

OptionalRelation SameIndex(const AccessQuery& q) {
  if (q.input.dims != q.output.dims) return std::nullopt;
  std::vector<Formula> facts;
  facts.reserve(q.out_rank());
  for (int64_t i = 0; i < q.out_rank(); ++i) facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  return Where(q, std::move(facts));
}

}  // namespace hlo_semantics

std::optional<AccessRelation> AccessRelationOf(const hlo::Instruction& instruction,
                                               int64_t output_id, int64_t operand, Context& context,
                                               int64_t leaf) {
  if (operand < 0 || operand >= static_cast<int64_t>(instruction.operands.size()))
    return std::nullopt;
  if (!instruction.operands[operand]) return std::nullopt;
  const hlo::Shape* output = LeafShape(instruction.shape, output_id);
  const hlo::Shape* input = LeafShape(instruction.operands[operand]->shape, leaf);
  if (output == nullptr || input == nullptr) return std::nullopt;
  int arity = hlo::Arity(instruction.opcode);
  if (arity >= 0 && static_cast<size_t>(arity) != instruction.operands.size()) return std::nullopt;
  hlo_semantics::AccessQuery q{instruction, output_id, operand, leaf, *output, *input, context};
  // A result without elements reads nothing, whatever the op is.
  bool empty = q.output.IsArray() && llvm::is_contained(q.output.dims, 0);
  if (empty) return hlo_semantics::ReadsNothing(q);
  if (!hlo::UsesDynamicSizes(instruction, output_id)) return hlo_semantics::ByOpcode(q);
  return hlo_semantics::AtActualSizes(q, hlo_semantics::ByOpcode(q));
}

}  // namespace affirm
