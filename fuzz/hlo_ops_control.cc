// How the generator builds ops that call computations.
#include <algorithm>

#include "fuzz/hlo_body.h"

namespace affirm::fuzz {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// A computation of one or two ops on one array, and its result.
hlo::Computation* SmallBody(HloBody& body, const std::string& stem, const Shape& argument) {
  hlo::Computation* computation = body.NewComputation(stem);
  HloLimits limits = body.limits();
  limits.max_ops = 2;
  limits.tuples = false;
  std::erase_if(limits.ops, [](Opcode op) {
    return op == Opcode::kCall || op == Opcode::kConditional || op == Opcode::kMap ||
           op == Opcode::kWhile;
  });
  HloBody inner(body.choices(), limits, body.module(), *computation);
  Instruction* root = inner.Parameter(argument);
  // Only what keeps the shape can be a branch or a loop body; other arguments are none of its own.
  for (int64_t n = body.choices().Between(1, 2); n > 0; --n) {
    Opcode op = hlo::IsFloat(argument.type) ? Opcode::kNegate
                : hlo::IsInt(argument.type) ? Opcode::kNot
                                            : Opcode::kCopy;
    Instruction* next = body.choices().OneIn(2) && argument.type != PrimitiveType::kPred
                            ? inner.Add(Opcode::kAdd, {root, root})
                            : inner.Add(op, {root});
    if (next) root = next;
  }
  computation->root = root;
  return computation;
}

Instruction* Call(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kPred | kInteger | kFloat);
  if (!operand) return nullptr;
  return body.Add(opcode, {operand}, {}, Shape::Array(operand->shape.type, operand->shape.dims),
                  {SmallBody(body, "callee", operand->shape)});
}

Instruction* Map(HloBody& body, Opcode opcode) {
  Instruction* lhs = body.Array(kInteger | kFloat);
  if (!lhs) return nullptr;
  Instruction* rhs = body.ArrayOf(lhs->shape.type, lhs->shape.dims);
  Opcode combine = body.choices().Pick({Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum});
  hlo::Attributes attributes;
  for (int64_t d = 0; d < lhs->shape.rank(); ++d) attributes.dimensions.push_back(d);
  return body.Add(opcode, {lhs, rhs}, attributes, {}, {body.Combiner(combine, lhs->shape.type)});
}

// By a predicate, or by a number that may lie outside.
Instruction* Conditional(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kPred | kInteger | kFloat);
  if (!operand) return nullptr;
  bool by_index = body.choices().OneIn(2);
  int64_t count = by_index ? body.choices().Between(1, 3) : 2;
  std::vector<Instruction*> operands = {
      body.Scalar(by_index ? PrimitiveType::kS32 : PrimitiveType::kPred)};
  std::vector<hlo::Computation*> branches;
  std::vector<std::string> called_as;
  for (int64_t i = 0; i < count; ++i) {
    operands.push_back(operand);
    branches.push_back(SmallBody(body, "branch", operand->shape));
    called_as.push_back(by_index ? "branch_computations"
                        : i == 0 ? "true_computation"
                                 : "false_computation");
  }
  return body.Add(opcode, operands, {}, Shape::Array(operand->shape.type, operand->shape.dims),
                  branches, called_as);
}

constexpr GraphOp kOps[] = {
    {Opcode::kCall, Call, false},
    {Opcode::kMap, Map},
    {Opcode::kConditional, Conditional, false},
};

}  // namespace

llvm::ArrayRef<GraphOp> ControlGraphOps() { return kOps; }

}  // namespace affirm::fuzz
