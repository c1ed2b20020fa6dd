// Asynchronous ops, evaluated in one go: the start op computes the value and puts it into its
// tuple, the done op takes it out.
#include "verify/reference/ops.h"
#include "verify/reference/trace.h"

namespace affirm::hlo {
namespace {

// Adds the context elements of a start op's tuple, whose values are never read.
llvm::Error AddContexts(const OpInvocation& call, std::vector<Literal>& elements) {
  const std::vector<Shape>& shapes = call.instruction.shape.tuple;
  for (size_t k = elements.size(); k < shapes.size(); ++k) {
    Result context = NewLiteral(call.instruction, shapes[k]);
    if (!context) return context.takeError();
    elements.push_back(std::move(*context));
  }
  return llvm::Error::success();
}

}  // namespace

// The result is (destination, source, context); both arrays are the operand.
Result EvaluateCopyStart(const OpInvocation& call) {
  std::vector<Literal> elements = {call.operand(0), call.operand(0)};
  if (auto error = AddContexts(call, elements)) return error;
  const int64_t leaves = NumLeaves(call.operand(0).shape());
  ReadLeaves(call, call.operand(0).shape(), 0, 0, 0);
  ReadLeaves(call, call.operand(0).shape(), leaves, 0, 0);
  return Literal::MakeTuple(std::move(elements));
}

Result EvaluateCopyDone(const OpInvocation& call) {
  if (call.operand(0).tuple().empty()) return Fail(call.instruction, "has no start");
  const Literal& destination = call.operand(0).tuple()[0];
  ReadLeaves(call, destination.shape(), 0, 0, 0);
  return destination;
}

Result AsyncStartValue(const OpInvocation& call, Literal made) {
  const std::vector<Shape>& shapes = call.instruction.shape.tuple;
  std::vector<Literal> operands = ReadOperands(call);
  const bool alone = operands.size() == 1 && !shapes.empty() && !shapes[0].IsTuple();
  std::vector<Literal> elements;
  elements.push_back(alone ? std::move(operands[0]) : Literal::MakeTuple(std::move(operands)));
  elements.push_back(std::move(made));
  if (auto error = AddContexts(call, elements)) return error;
  return Literal::MakeTuple(std::move(elements));
}

// The called computation is evaluated here, not at the done op.
Result EvaluateAsyncStart(const OpInvocation& call) {
  auto callee = Callee(call.instruction, "calls");
  if (!callee) return callee.takeError();
  std::vector<Traced> operands;
  std::vector<const Traced*> arguments;
  int64_t leaves = 0;
  for (size_t k = 0; k < call.operands.size(); ++k) {
    leaves += NumLeaves(call.operand(k).shape());
    operands.push_back(TracedOperand(call, k));
  }
  arguments.reserve(operands.size());
  for (const Traced& operand : operands) arguments.push_back(&operand);
  auto result = InterpretTraced(**callee, arguments, call.observer != nullptr, call.options);
  if (!result) return result.takeError();
  ReportSources(call, *result, leaves);
  return AsyncStartValue(call, std::move(result->value));
}

Result EvaluateAsyncDone(const OpInvocation& call) {
  const std::vector<Literal>& elements = call.operand(0).tuple();
  if (elements.size() < 2) return Fail(call.instruction, "has no start");
  ReadLeaves(call, elements[1].shape(), 0, 0, NumLeaves(elements[0].shape()));
  return elements[1];
}

}  // namespace affirm::hlo
