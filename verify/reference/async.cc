// The start and done halves of copies and calls, and the ops that only change what is known of a
// size.
#include "verify/reference/composite_ops.h"
#include "verify/reference/index.h"
#include "verify/reference/scalar.h"
#include "verify/reference/trace.h"

namespace affirm::hlo {
namespace {

// The elements of a start's tuple that nobody reads: contexts.
llvm::Error AddContexts(const Call& call, std::vector<Literal>& elements) {
  const std::vector<Shape>& shapes = call.instruction.shape.tuple;
  for (size_t k = elements.size(); k < shapes.size(); ++k) {
    Result context = NewLiteral(call.instruction, shapes[k]);
    if (!context) return context.takeError();
    elements.push_back(std::move(*context));
  }
  return llvm::Error::success();
}

}  // namespace

// (destination, source, context)
Result EvaluateCopyStart(const Call& call) {
  std::vector<Literal> elements = {call.operand(0), call.operand(0)};
  if (auto error = AddContexts(call, elements)) return error;
  const int64_t leaves = NumLeaves(call.operand(0).shape());
  ReadLeaves(call, call.operand(0).shape(), 0, 0, 0);
  ReadLeaves(call, call.operand(0).shape(), leaves, 0, 0);
  return Literal::MakeTuple(std::move(elements));
}

Result EvaluateCopyDone(const Call& call) {
  if (call.operand(0).tuple().empty()) return Fail(call.instruction, "has no start");
  const Literal& destination = call.operand(0).tuple()[0];
  ReadLeaves(call, destination.shape(), 0, 0, 0);
  return destination;
}

Result StartValue(const Call& call, Literal made) {
  const std::vector<Shape>& shapes = call.instruction.shape.tuple;
  std::vector<Literal> operands = ReadOperands(call);
  const bool alone = operands.size() == 1 && !shapes.empty() && !shapes[0].IsTuple();
  std::vector<Literal> elements;
  elements.push_back(alone ? std::move(operands[0]) : Literal::MakeTuple(std::move(operands)));
  elements.push_back(std::move(made));
  if (auto error = AddContexts(call, elements)) return error;
  return Literal::MakeTuple(std::move(elements));
}

// The call happens here.
Result EvaluateAsyncStart(const Call& call) {
  auto callee = Callee(call.instruction, "calls");
  if (!callee) return callee.takeError();
  std::vector<Traced> operands;
  std::vector<const Traced*> arguments;
  int64_t leaves = 0;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    leaves += NumLeaves(call.operand(k).shape());
    operands.push_back(TracedOperand(call, k));
  }
  for (const Traced& operand : operands) arguments.push_back(&operand);
  auto result = InterpretTraced(**callee, arguments, call.observer != nullptr, call.options);
  if (!result) return result.takeError();
  ReportSources(call, *result, leaves);
  return StartValue(call, std::move(result->value));
}

Result EvaluateSecondHalf(const Call& call) {
  const std::vector<Literal>& elements = call.operand(0).tuple();
  if (elements.size() < 2) return Fail(call.instruction, "has no start");
  ReadLeaves(call, elements[1].shape(), 0, 0, NumLeaves(elements[0].shape()));
  return elements[1];
}

// The elements stay; which of them count is the business of the size, which every element depends
// on.
Result EvaluateSetDimensionSize(const Call& call) {
  ReadLeaves(call, call.operand(0).shape(), 0, 0, 0);
  for (int64_t i = 0; i < call.operand(0).NumElements(); ++i) call.Read(0, i, 1, 0, 0);
  return call.operand(0);
}

// The sizes say how much of each dim of the result is there; the operand's elements fill that in
// row-major order, behind it stand zeros. Where an element comes from takes every size.
Result EvaluateDynamicReshape(const Call& call) {
  const Shape& shape = call.instruction.shape;
  Index sizes;
  for (size_t k = 1; k < call.operands.size(); ++k) {
    const Literal& size = call.operand(k);
    const bool fits = size.shape().IsScalar() && IsInt(size.shape().type) &&
                      std::ssize(sizes) < shape.rank() && LoadIndex(size, 0) >= 0 &&
                      LoadIndex(size, 0) <= shape.dims[k - 1];
    if (!fits) return Fail(call.instruction, "has sizes beyond those of its shape");
    sizes.push_back(LoadIndex(size, 0));
  }
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  if (std::ssize(sizes) != shape.rank() || count != call.operand(0).NumElements() ||
      shape.type != call.operand(0).shape().type) {
    return Fail(call.instruction, "has sizes that do not fit its operand");
  }
  Result result = NewLiteral(call);
  if (!result) return result;
  for (Walk at(shape.dims); !at.Done(); at.Next()) {
    for (int64_t k = 0; k < shape.rank(); ++k) call.Read(0, at.linear(), k + 1, 0, 0);
    bool there = true;
    for (int64_t d = 0; d < shape.rank(); ++d) there &= at[d] < sizes[d];
    if (!there) continue;
    const int64_t from = Linearize(at.index(), sizes);
    Store(*result, at.linear(), Load(call.operand(0), from));
    call.Read(0, at.linear(), 0, 0, from);
  }
  return result;
}

}  // namespace affirm::hlo
