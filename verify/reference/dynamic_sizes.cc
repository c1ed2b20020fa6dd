#include "verify/reference/dynamic_sizes.h"

#include "core/hlo/verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/reference/index.h"
#include "verify/reference/scalar.h"

namespace affirm::hlo {
namespace {

// How an op treats arrays of dynamic sizes.
enum class Handling : uint8_t {
  kRefused,
  kAsIs,       // the function of the op looks at the values alone
  kByElement,  // the op at the sizes that the operands have
};

Handling HandlingOf(Opcode opcode) {
  if (IsElementwise(opcode)) return Handling::kByElement;
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
      return Handling::kByElement;
    default:
      return Handling::kRefused;
  }
}

// The result's shape for operands of the sizes they have. `written` is the declared one, which says
// what operands leave open: the dimensions that a broadcast adds are static.
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

Result EvaluateByElement(const Call& call, Result (*evaluate)(const Call&)) {
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
  // Who listens knows the instruction that is written.
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

Result EvaluateOnActualSizes(const Call& call, Result (*evaluate)(const Call&)) {
  switch (HandlingOf(call.instruction.opcode)) {
    case Handling::kAsIs:
      return evaluate(call);
    case Handling::kByElement:
      return EvaluateByElement(call, evaluate);
    case Handling::kRefused:
      break;
  }
  return Fail(call.instruction,
              "has a size that is known at run time only, which the interpreter "
              "does not handle for this op");
}

// The leading elements along the dimension. Whether an element is there depends on the size.
Result EvaluateSetDimensionSize(const Call& call) {
  const Literal& array = call.operand(0);
  const Literal& number = call.operand(1);
  const auto& dimensions = call.attributes().dimensions;
  if (dimensions.size() != 1) return Fail(call.instruction, "needs one dimension");
  if (auto error = CheckDimensions(call.instruction, dimensions, array.shape().rank()))
    return error;
  if (!number.shape().IsScalar() || !IsInt(number.shape().type)) {
    return Fail(call.instruction, "needs an integer for the size");
  }
  Shape shape = Shape::Array(array.shape().type, array.shape().dims);
  const int64_t size = LoadIndex(number, 0);
  if (size < 0 || size > shape.dims[dimensions[0]]) {
    return Fail(call.instruction, "sets a size of " + llvm::Twine(size) + ", beyond the " +
                                      llvm::Twine(shape.dims[dimensions[0]]) + " elements there");
  }
  shape.dims[dimensions[0]] = size;
  Result result = NewLiteral(call.instruction, shape);
  if (!result) return result;
  for (Walk at(shape.dims); !at.Done(); at.Next()) {
    const int64_t from = array.Linear(at.index());
    Store(*result, at.linear(), Load(array, from));
    call.Read(0, at.linear(), 0, 0, from);
    call.Read(0, at.linear(), 1, 0, 0);
  }
  return result;
}

// The sizes are given, one for each dim of the result; the operand's elements fill them in
// row-major order. Where an element comes from takes every size.
Result EvaluateDynamicReshape(const Call& call) {
  const Shape& declared = call.instruction.shape;
  Shape shape = Shape::Array(declared.type, {});
  int64_t count = 1;
  for (size_t k = 1; k < call.operands.size(); ++k) {
    const Literal& size = call.operand(k);
    const bool fits = size.shape().IsScalar() && IsInt(size.shape().type) &&
                      shape.rank() < declared.rank() && LoadIndex(size, 0) >= 0 &&
                      LoadIndex(size, 0) <= declared.dims[k - 1];
    if (!fits) return Fail(call.instruction, "has sizes beyond those of its shape");
    shape.dims.push_back(LoadIndex(size, 0));
    count *= shape.dims.back();
  }
  if (shape.rank() != declared.rank() || count != call.operand(0).NumElements() ||
      shape.type != call.operand(0).shape().type) {
    return Fail(call.instruction, "has sizes that do not fit its operand");
  }
  Result result = NewLiteral(call.instruction, shape);
  if (!result) return result;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < shape.rank(); ++k) call.Read(0, i, k + 1, 0, 0);
    Store(*result, i, Load(call.operand(0), i));
    call.Read(0, i, 0, 0, i);
  }
  return result;
}

}  // namespace affirm::hlo
