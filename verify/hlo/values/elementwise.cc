// Elementwise ops on values of every type.
#include "verify/hlo/values/op_values.h"
#include "verify/hlo/values/rounding_choice.h"
#include "verify/terms/fold_laws.h"

namespace affirm::hlo_values {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

bool IsInteger(PrimitiveType type) { return terms::IntegerWidth(type) > 0; }

// On one element of a floating or complex type.
Term Unary(Scope& scope, Opcode opcode, PrimitiveType type, PrimitiveType result, Term a) {
  if (IsInteger(type)) return IntegerUnary(scope, opcode, type, a);
  const terms::Op op = terms::OpOf(opcode, type);
  return terms::IsOnFloats(op) ? scope.pool().Apply(op, result, {a}) : nullptr;
}

Term Compare(Scope& scope, const hlo::Instruction& op, Term a, Term b) {
  PrimitiveType type = op.operands[0]->shape.type;
  const std::string& direction = op.attributes.comparison_direction;
  if (IsInteger(type)) return CompareIntegers(scope, direction, type, a, b);
  if (hlo::IsComplex(type) && direction != "EQ" && direction != "NE") return nullptr;
  bool total = op.attributes.comparison_type == "TOTALORDER";
  return terms::CompareFloats(scope.pool(), direction, total, a, b);
}

// The op on operands that are terms.
Term Operate(Scope& scope, const hlo::Instruction& op, llvm::ArrayRef<Term> args) {
  Pool& pool = scope.pool();
  PrimitiveType type = op.operands[0]->shape.type, result = op.shape.type;
  switch (op.opcode) {
    case Opcode::kConvert:
      return terms::Convert(scope, args[0], type, result);
    case Opcode::kCompare:
      return Compare(scope, op, args[0], args[1]);
    case Opcode::kClamp: {
      // The upper bound wins where the bounds cross.
      Term raised = Binary(scope, Opcode::kMaximum, type, args[1], args[0]);
      return raised ? Binary(scope, Opcode::kMinimum, type, raised, args[2]) : nullptr;
    }
    case Opcode::kComplex:
      return terms::ComplexOf(pool, args[0], args[1], result);
    case Opcode::kReal:
      return hlo::IsComplex(type) ? terms::RealPart(pool, args[0]) : args[0];
    case Opcode::kImag:
      return hlo::IsComplex(type) ? terms::ImaginaryPart(pool, args[0]) : nullptr;
    case Opcode::kReducePrecision:
      if (const Term rounded = RoundedByChoice(pool, op, args[0])) return rounded;
      return pool.Apply(
          terms::Operation::ReducePrecision(static_cast<int>(op.attributes.exponent_bits),
                                            static_cast<int>(op.attributes.mantissa_bits)),
          result, {args[0]});
    default:
      break;
  }
  if (args.size() == 1) return Unary(scope, op.opcode, type, result, args[0]);
  if (args.size() != 2) return nullptr;
  // A reduction is one value in a sum or a product that is written as such.
  const terms::Op operation = terms::OpOf(op.opcode, type);
  auto operand = [&](size_t k) { return terms::AsOneValue(pool, operation, args[k]); };
  return Binary(scope, op.opcode, type, operand(0), operand(1));
}

}  // namespace

Term Binary(Scope& scope, Opcode opcode, PrimitiveType type, Term a, Term b) {
  if (IsInteger(type)) return IntegerBinary(scope, opcode, type, a, b);
  const terms::Op op = terms::OpOf(opcode, type);
  return terms::IsOnFloats(op) ? scope.pool().Apply(op, type, {a, b}) : nullptr;
}

// The predicate of select and the bounds of clamp may be scalars, which hold for every element.
// Both values of a select are built without knowing which is taken: a kernel computes both, or
// either, and they are shared with other uses.
Value Elementwise(const Query& q) {
  auto operand = [&](size_t k) {
    return q.Operand(k, q.operand(k).IsScalar() ? llvm::ArrayRef<Term>() : q.index);
  };
  std::vector<Term> args;
  for (size_t k = 0; k < q.op.operands.size(); ++k) {
    if (q.op.opcode == Opcode::kSelect && k == 1) {
      auto decided = q.scope().Decide(q.pool().Holds(args[0]));
      if (decided) return operand(*decided ? 1 : 2);
    }
    Value arg = operand(k);
    if (!arg) return arg;
    args.push_back(*arg);
  }
  if (q.op.opcode == Opcode::kSelect)
    return terms::SelectValue(q.scope(), q.pool().Holds(args[0]), args[1], args[2]);
  Term value = Operate(q.scope(), q.op, args);
  if (!value) return NoValueTerm(q.op);
  return value;
}

// A computation on the elements of all operands at one index.
Value Map(const Query& q) {
  if (q.op.called.size() != 1) return NoValueTerm(q.op);
  Frame& frame = q.builder.CalledAt(q.frame, q.op, q.index);
  return q.builder.At(frame, *q.op.called[0]->root, q.leaf, {});
}

}  // namespace affirm::hlo_values
