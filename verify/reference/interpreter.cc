// The table of ops, the checks that they share, and the interpretation of computations by it.
#include "verify/reference/interpreter.h"

#include "core/hlo/attribute_rules.h"
#include "core/hlo/dynamic_sizes.h"
#include "core/symbolic/checked.h"
#include "verify/calls/expand.h"
#include "verify/reference/dynamic_sizes.h"
#include "verify/reference/ops.h"
#include "verify/reference/trace.h"
#include "verify/reference/values.h"

namespace affirm::hlo {
namespace {

using Evaluator = Result (*)(const OpInvocation&);

// Beyond these an interpretation is refused rather than attempted.
constexpr int64_t kMaxBytes = int64_t{1} << 31;
constexpr int64_t kMaxSteps = int64_t{1} << 36;

// The function of an op, and the fewest operands where their number varies.
struct OpRow {
  Opcode opcode;
  Evaluator evaluate;
  int64_t min_operands = 0;
};

constexpr OpRow kOps[] = {
    {Opcode::kAddDependency, EvaluateForward},
    {Opcode::kAfterAll, EvaluateForward},
    {Opcode::kAllGather, EvaluateOnOneDevice, 1},
    {Opcode::kAllGatherDone, EvaluateAsyncDone},
    {Opcode::kAllGatherStart, EvaluateOnOneDevice, 1},
    {Opcode::kAllReduce, EvaluateOnOneDevice, 1},
    {Opcode::kAllReduceDone, EvaluateForward},
    {Opcode::kAllReduceStart, EvaluateOnOneDevice, 1},
    {Opcode::kAllToAll, EvaluateOnOneDevice, 1},
    {Opcode::kAsyncDone, EvaluateAsyncDone},
    {Opcode::kAsyncStart, EvaluateAsyncStart},
    {Opcode::kAsyncUpdate, EvaluateForward},
    {Opcode::kBatchNormGrad, EvaluateBatchNormGrad},
    {Opcode::kBatchNormInference, EvaluateBatchNormInference},
    {Opcode::kBatchNormTraining, EvaluateBatchNormTraining},
    {Opcode::kBitcast, EvaluateBitcast},
    {Opcode::kBitcastConvert, EvaluateBitcastConvert},
    {Opcode::kBroadcast, EvaluateBroadcast},
    {Opcode::kCall, EvaluateCall},
    {Opcode::kCholesky, EvaluateCholesky},
    {Opcode::kCollectiveBroadcast, EvaluateOnOneDevice, 1},
    {Opcode::kCollectivePermute, EvaluateOnOneDevice, 1},
    {Opcode::kCollectivePermuteDone, EvaluateAsyncDone},
    {Opcode::kCollectivePermuteStart, EvaluateOnOneDevice, 1},
    {Opcode::kConcatenate, EvaluateConcatenate, 1},
    {Opcode::kConditional, EvaluateConditional, 2},
    {Opcode::kConstant, EvaluateConstant},
    {Opcode::kConvolution, EvaluateConvolution},
    {Opcode::kCopy, EvaluateCopy},
    {Opcode::kCopyDone, EvaluateCopyDone},
    {Opcode::kCopyStart, EvaluateCopyStart},
    {Opcode::kDomain, EvaluateForward},
    {Opcode::kDot, EvaluateDot, 2},
    {Opcode::kDynamicReshape, EvaluateDynamicReshape, 1},
    {Opcode::kDynamicSlice, EvaluateDynamicSlice, 1},
    {Opcode::kDynamicUpdateSlice, EvaluateDynamicUpdateSlice, 2},
    {Opcode::kFft, EvaluateFft},
    {Opcode::kFusion, EvaluateCall},
    {Opcode::kGather, EvaluateGather},
    {Opcode::kGetDimensionSize, EvaluateGetDimensionSize},
    {Opcode::kGetTupleElement, EvaluateGetTupleElement},
    {Opcode::kIota, EvaluateIota},
    {Opcode::kMap, EvaluateMap},
    {Opcode::kOptimizationBarrier, EvaluateForward},
    {Opcode::kPad, EvaluatePad},
    {Opcode::kPartitionId, EvaluateOnOneDevice},
    {Opcode::kRaggedAllToAll, EvaluateOnOneDevice, 6},
    {Opcode::kRaggedDot, EvaluateRaggedDot, 3},
    {Opcode::kReduce, EvaluateReduce, 2},
    {Opcode::kReduceScatter, EvaluateOnOneDevice, 1},
    {Opcode::kReduceWindow, EvaluateReduceWindow, 2},
    {Opcode::kReplicaId, EvaluateOnOneDevice},
    {Opcode::kReshape, EvaluateCopy},
    {Opcode::kReverse, EvaluateReverse},
    {Opcode::kRngBitGenerator, EvaluateRngBitGenerator},
    {Opcode::kScaledDot, EvaluateScaledDot, 4},
    {Opcode::kScan, EvaluateScan, 1},
    {Opcode::kScatter, EvaluateScatter, 3},
    {Opcode::kSelect, EvaluateSelect},
    {Opcode::kSelectAndScatter, EvaluateSelectAndScatter},
    {Opcode::kSetDimensionSize, EvaluateSetDimensionSize},
    {Opcode::kSlice, EvaluateSlice},
    {Opcode::kSort, EvaluateSort, 1},
    {Opcode::kTopk, EvaluateTopK},
    {Opcode::kTranspose, EvaluateTranspose},
    {Opcode::kTriangularSolve, EvaluateTriangularSolve},
    {Opcode::kTuple, EvaluateTuple},
    {Opcode::kWhile, EvaluateWhile},
};

// The row of an op; its function is null where there is none.
OpRow FindOp(Opcode opcode) {
  for (const OpRow& row : kOps) {
    if (row.opcode == opcode) return row;
  }
  return {opcode, IsElementwise(opcode) ? EvaluateElementwise : nullptr};
}

// Bytes of all arrays of a shape, saturating; negative sizes count as too many.
int64_t NumBytes(const Shape& shape) {
  int64_t bytes = ByteWidth(shape.type);
  for (int64_t size : shape.dims) {
    if (size == 0) return 0;
  }
  for (int64_t size : shape.dims) {
    const auto product = size < 0 ? std::nullopt : CheckedMul(bytes, size);
    if (!product) return kInt64Max;
    bytes = *product;
  }
  for (const Shape& element : shape.tuple)
    bytes = std::min(kInt64Max / 2, bytes) + std::min(kInt64Max / 2, NumBytes(element));
  return bytes;
}

llvm::Error Evaluate(const Instruction& instruction, Values& values,
                     const InterpretOptions* options) {
  llvm::SmallVector<const Literal*, 4> operands;
  for (const Instruction* operand : instruction.operands) {
    operands.push_back(values.Get(operand));
    if (operands.back() == nullptr) return Fail(instruction, "uses what has no value yet");
  }
  Result value = InterpretInstruction(instruction, operands, /*observer=*/nullptr, options);
  if (!value) return value.takeError();
  values.Set(&instruction, std::move(*value));
  values.Release(instruction);
  return llvm::Error::success();
}

}  // namespace

char OpenResult::ID = 0;

llvm::Error FailOpen(const Instruction& instruction, const llvm::Twine& what) {
  return llvm::make_error<OpenResult>(MessageAt(instruction, what));
}

Result NewLiteral(const Instruction& instruction, const Shape& shape) {
  if (NumBytes(shape) > kMaxBytes) return Fail(instruction, "is too large to interpret");
  return Literal(shape);
}

llvm::Error CheckWork(const Instruction& instruction,
                      std::initializer_list<llvm::ArrayRef<int64_t>> factors) {
  int128 steps = 1;
  bool zero = false;
  for (llvm::ArrayRef<int64_t> list : factors) {
    for (int64_t factor : list) {
      if (factor < 0) return Fail(instruction, "has a negative size");
      zero |= factor == 0;
      steps = std::min<int128>(steps * std::max<int64_t>(factor, 1), kInt64Max);
    }
  }
  if (!zero && steps > kMaxSteps) return Fail(instruction, "takes too many steps to interpret");
  return llvm::Error::success();
}

llvm::Error CheckDimensions(const Instruction& instruction, llvm::ArrayRef<int64_t> dimensions,
                            int64_t rank) {
  for (size_t k = 0; k < dimensions.size(); ++k) {
    const bool repeated = llvm::is_contained(dimensions.take_front(k), dimensions[k]);
    if (dimensions[k] < 0 || dimensions[k] >= rank || repeated) {
      return Fail(instruction, "names dimension " + llvm::Twine(dimensions[k]) + " of rank " +
                                   llvm::Twine(rank) + (repeated ? " twice" : ""));
    }
  }
  return llvm::Error::success();
}

llvm::Expected<const Computation*> Callee(const Instruction& instruction, llvm::StringRef key) {
  const auto& called = instruction.called;
  for (size_t k = 0; k < called.size(); ++k) {
    if (called.size() == 1 ||
        (k < instruction.called_as.size() && instruction.called_as[k] == key)) {
      return called[k];
    }
  }
  return Fail(instruction, "calls no computation as " + key);
}

Literal Assemble(const Shape& shape, std::vector<Literal> leaves) {
  if (!shape.IsTuple() && leaves.size() == 1) return std::move(leaves.front());
  return Literal::MakeTuple(std::move(leaves));
}

llvm::Error CheckArguments(const Computation& computation,
                           llvm::ArrayRef<const Literal*> arguments) {
  if (computation.root == nullptr) {
    return llvm::createStringError(std::errc::invalid_argument, "error: computation %s has no root",
                                   computation.name.c_str());
  }
  if (arguments.size() != computation.parameters.size()) {
    return Fail(*computation.root,
                "is computed from " + llvm::Twine(computation.parameters.size()) +
                    " parameters, but " + llvm::Twine(arguments.size()) + " arguments were given");
  }
  for (size_t k = 0; k < arguments.size(); ++k) {
    const Instruction* parameter = computation.parameters[k];
    if (parameter == nullptr) return Fail(*computation.root, "has a gap in its parameters");
    if (!FitsShape(arguments[k]->shape(), parameter->shape)) {
      return Fail(*parameter, "was given " + arguments[k]->shape().ToString(false) + ", expected " +
                                  parameter->shape.ToString(false));
    }
  }
  return llvm::Error::success();
}

Result InterpretWith(const Computation& computation, llvm::ArrayRef<const Literal*> arguments,
                     const InterpretOptions* options) {
  if (llvm::Error error = CheckArguments(computation, arguments)) return error;
  Values values(computation, arguments);
  for (const auto& instruction : computation.instructions) {
    if (instruction->opcode == Opcode::kParameter) continue;
    if (llvm::Error error = Evaluate(*instruction, values, options)) return error;
  }
  const Literal* root = values.Get(computation.root);
  if (root == nullptr) return Fail(*computation.root, "has no value");
  return *root;
}

llvm::Expected<Literal> Interpret(const Computation& computation, llvm::ArrayRef<Literal> arguments,
                                  const EvaluationOrders* orders) {
  return Interpret(computation, arguments, InterpretOptions{orders, nullptr, nullptr});
}

llvm::Expected<Literal> Interpret(const Computation& computation, llvm::ArrayRef<Literal> arguments,
                                  const InterpretOptions& options) {
  llvm::SmallVector<const Literal*, 4> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  return InterpretWith(computation, pointers, &options);
}

llvm::Expected<Literal> InterpretInstruction(const Instruction& instruction,
                                             llvm::ArrayRef<const Literal*> operands,
                                             const ReadObserver* observer,
                                             const InterpretOptions* options) {
  if (operands.size() != instruction.operands.size()) {
    return Fail(instruction, "was given " + llvm::Twine(operands.size()) + " operands, expected " +
                                 llvm::Twine(instruction.operands.size()));
  }
  const OpRow op = FindOp(instruction.opcode);
  if (op.evaluate == nullptr) {
    return Fail(instruction, "is not supported by the interpreter" +
                                 (instruction.opcode == Opcode::kCustomCall
                                      ? ": " + calls::WhyNoMeaning(instruction)
                                      : std::string()));
  }
  const int arity = Arity(instruction.opcode);
  if (arity >= 0 ? arity != std::ssize(operands) : op.min_operands > std::ssize(operands)) {
    return Fail(instruction, "has " + llvm::Twine(operands.size()) + " operands");
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!FitsShape(operands[k]->shape(), instruction.operands[k]->shape)) {
      return Fail(instruction, "was given " + operands[k]->shape().ToString(false) +
                                   " for operand " + llvm::Twine(k) + ", expected " +
                                   instruction.operands[k]->shape.ToString(false));
    }
  }
  const std::string unmodeled = UnmodeledAttribute(instruction);
  if (!unmodeled.empty()) return Fail(instruction, "has values that depend on " + unmodeled);
  if (options != nullptr && options->meter != nullptr) {
    options->meter->Add(ElementOperations(instruction));
    if (options->meter->IsExceeded())
      return Fail(instruction, "is beyond the " + llvm::Twine(options->meter->most) +
                                   " element operations that may be done");
  }
  const OpInvocation call{instruction, operands, observer, options};
  Result result =
      UsesDynamicSizes(instruction) ? EvaluateOnActualSizes(call, op.evaluate) : op.evaluate(call);
  if (result && !FitsShape(result->shape(), instruction.shape)) {
    return Fail(instruction, "computed " + result->shape().ToString(false) + ", expected " +
                                 instruction.shape.ToString(false));
  }
  return result;
}

}  // namespace affirm::hlo
