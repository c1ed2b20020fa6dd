// Which values fit a shape with dynamic dimensions, and how an op is evaluated at the sizes that
// its operands have.
#include "verify/reference/dynamic_sizes.h"

#include "core/hlo/verifier.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {
namespace {

// How an op treats arrays of dynamic sizes.
enum class Handling : uint8_t {
  kRefused,
  kAsIs,           // the function of the op looks at the values alone
  kAtActualSizes,  // as on static arrays of the sizes that the operands have
};

Handling HandlingOf(Opcode opcode) {
  if (IsElementwise(opcode)) return Handling::kAtActualSizes;
  switch (opcode) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kDomain:
    case Opcode::kDynamicReshape:
    case Opcode::kFusion:
    case Opcode::kGetDimensionSize:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kSetDimensionSize:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return Handling::kAsIs;
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kDot:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kTranspose:
      return Handling::kAtActualSizes;
    default:
      return Handling::kRefused;
  }
}

// The shape of the result for operands of the sizes that they have. The dimensions that a broadcast
// adds are those of the declared shape.
llvm::Expected<Shape> ActualShape(Instruction& op) {
  if (op.opcode == Opcode::kBroadcast) {
    const Shape& operand = op.operands[0]->shape;
    if (std::ssize(op.attributes.dimensions) != operand.rank()) {
      return Fail(op, "needs one dimension for each of the operand's");
    }
    if (auto error = CheckDimensions(op, op.attributes.dimensions, op.shape.rank())) return error;
    Shape shape = op.shape;
    for (int64_t j = 0; j < operand.rank(); ++j) {
      shape.dims[op.attributes.dimensions[j]] = operand.dims[j];
    }
    return shape;
  }
  return InferShape(op);
}

Result EvaluateAtActualSizes(const OpInvocation& call, Result (*evaluate)(const OpInvocation&)) {
  const Instruction& declared = call.instruction;
  std::vector<Instruction> operands(call.operands.size());
  Instruction op;
  op.name = declared.name;
  op.opcode = declared.opcode;
  op.opcode_text = declared.opcode_text;
  op.called = declared.called;
  op.called_as = declared.called_as;
  op.attributes = declared.attributes;
  op.location = declared.location;
  op.shape = declared.shape;
  for (size_t k = 0; k < operands.size(); ++k) {
    operands[k].opcode = Opcode::kParameter;
    operands[k].shape = call.operand(k).shape();
    op.operands.push_back(&operands[k]);
  }
  llvm::Expected<Shape> shape = ActualShape(op);
  if (!shape) {
    return Fail(declared, "has operands of sizes that do not fit each other: " +
                              llvm::toString(shape.takeError()));
  }
  op.shape = std::move(*shape);
  op.shape.dynamic.clear();
  // Observers know the declared instruction, not this copy of it.
  const ReadObserver observer = [&](const Instruction&, int64_t result_leaf, int64_t result,
                                    int64_t operand, int64_t leaf, int64_t from) {
    call.Read(result_leaf, result, operand, leaf, from);
  };
  return evaluate({op, call.operands, call.observer ? &observer : nullptr, call.options});
}

}  // namespace

bool FitsShape(const Shape& actual, const Shape& declared) {
  if (actual.type != declared.type || actual.rank() != declared.rank() ||
      actual.tuple.size() != declared.tuple.size()) {
    return false;
  }
  for (int64_t d = 0; d < actual.rank(); ++d) {
    const int64_t size = actual.dims[d], bound = declared.dims[d];
    const bool fits =
        declared.IsDynamic(d) && bound != kUnboundedSize ? size <= bound : size == bound;
    if (!fits || size < 0) return false;
  }
  return llvm::all_of(llvm::zip(actual.tuple, declared.tuple), [](const auto& pair) {
    return FitsShape(std::get<0>(pair), std::get<1>(pair));
  });
}

Result EvaluateOnActualSizes(const OpInvocation& call, Result (*evaluate)(const OpInvocation&)) {
  switch (HandlingOf(call.instruction.opcode)) {
    case Handling::kAsIs:
      return evaluate(call);
    case Handling::kAtActualSizes:
      return EvaluateAtActualSizes(call, evaluate);
    case Handling::kRefused:
      break;
  }
  return Fail(call.instruction,
              "has a size that is known at run time only, which the interpreter "
              "does not handle for this op");
}

}  // namespace affirm::hlo
