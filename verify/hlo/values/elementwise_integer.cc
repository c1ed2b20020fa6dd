// Elementwise ops on integers and predicates. An integer is written with any term that is congruent
// to it modulo 2^width; where its sign or size matters it is brought into the range of its type.
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

// pred has an order, false before true, and the sum "or" and the product "and".
Term PredicateBinary(Pool& pool, Opcode opcode, Term a, Term b) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return pool.Or({a, b});
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kAnd:
      return pool.And({a, b});
    case Opcode::kXor:
      return pool.Or({pool.And({a, pool.Not(b)}), pool.And({pool.Not(a), b})});
    default:
      return nullptr;
  }
}

// The operands of an op on integers, as they are needed.
struct Operands {
  Scope& scope;
  PrimitiveType type;
  Term a, b;  // values

  int64_t width() const { return terms::IntegerWidth(type); }
  bool is_signed() const { return hlo::IsSignedInt(type); }
  Term A() const { return terms::CongruentInteger(scope.pool(), a); }
  Term B() const { return terms::CongruentInteger(scope.pool(), b); }
  Term InRangeA() const { return terms::IntegerIn(scope, a, type); }
  Term InRangeB() const { return terms::IntegerIn(scope, b, type); }
};

// x / 0 is -1, that is all ones, and x rem 0 is x.
Term DivideOrRemainder(const Operands& o, bool divide) {
  Pool& pool = o.scope.pool();
  Term a = o.A(), b = o.B(), zero = pool.Number(0);
  Term by_zero = terms::MachineEqual(o.scope, b, zero, o.width());
  if (o.scope.Decide(by_zero) == true) return divide ? pool.Number(-1) : a;
  auto operation = divide          ? (o.is_signed() ? terms::DivideSigned : terms::DivideUnsigned)
                   : o.is_signed() ? terms::RemainderSigned
                                   : terms::RemainderUnsigned;
  Term result = operation(o.scope, a, b, o.width());
  return o.scope.Pick(by_zero, divide ? pool.Number(-1) : a, result);
}

// Amounts are unsigned; one of the width or more moves every bit out.
Term Shift(const Operands& o, Opcode opcode) {
  Pool& pool = o.scope.pool();
  Term width = pool.Number(o.width()), last = pool.Number(o.width() - 1);
  Term amount = terms::Unsigned(o.scope, o.B(), o.width());
  Term in_range = pool.Not(pool.AtLeast(amount, width));
  bool arithmetic = opcode == Opcode::kShiftRightArithmetic;
  Term beyond = arithmetic && o.width() > 1
                    ? terms::ShiftRightArithmetic(o.scope, o.A(), last, o.width())
                : arithmetic ? o.A()
                             : pool.Number(0);
  if (o.scope.Decide(in_range) == false) return beyond;
  auto shift = arithmetic                             ? terms::ShiftRightArithmetic
               : opcode == Opcode::kShiftRightLogical ? terms::ShiftRightLogical
                                                      : terms::ShiftLeft;
  return o.scope.Pick(in_range, shift(o.scope, o.A(), o.B(), o.width()), beyond);
}

// An operation on values.
Term Applied(const Operands& o, Opcode opcode) {
  Pool& pool = o.scope.pool();
  llvm::SmallVector<Term, 2> args = {o.a};
  if (o.b) args.push_back(o.b);
  PrimitiveType type = terms::TermType(o.type);
  return pool.IntegerOf(pool.Apply(terms::OpOf(opcode, o.type), type, args));
}

// Null where there is no such op.
Term IntegerResult(const Operands& o, Opcode opcode) {
  Pool& pool = o.scope.pool();
  switch (opcode) {
    case Opcode::kAdd:
      return pool.Add(o.A(), o.B());
    case Opcode::kSubtract:
      return pool.Subtract(o.A(), o.B());
    case Opcode::kMultiply:
      return pool.Multiply(o.A(), o.B());
    case Opcode::kDivide:
      return DivideOrRemainder(o, true);
    case Opcode::kRemainder:
      return DivideOrRemainder(o, false);
    case Opcode::kMaximum:
      return o.scope.Max(o.InRangeA(), o.InRangeB());
    case Opcode::kMinimum:
      return o.scope.Min(o.InRangeA(), o.InRangeB());
    case Opcode::kAnd:
      return terms::And(o.scope, o.A(), o.B(), o.width());
    case Opcode::kOr:
      return terms::Or(o.scope, o.A(), o.B(), o.width());
    case Opcode::kXor:
      return terms::Xor(o.scope, o.A(), o.B(), o.width());
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return Shift(o, opcode);
    case Opcode::kPower:
      return Applied(o, opcode);
    default:
      return nullptr;
  }
}

}  // namespace

Term IntegerUnary(Scope& scope, Opcode opcode, PrimitiveType type, Term a) {
  Pool& pool = scope.pool();
  if (type == PrimitiveType::kPred) {
    return opcode == Opcode::kNot ? pool.OfCondition(pool.Not(pool.Holds(a))) : nullptr;
  }
  const Operands o{scope, type, a, nullptr};
  Term result = nullptr;
  switch (opcode) {
    case Opcode::kAbs: {
      // The absolute value of the lowest integer is that integer, modulo the width.
      Term x = o.InRangeA();
      result = o.is_signed() ? scope.Max(x, pool.Scale(x, -1)) : x;
      break;
    }
    case Opcode::kNegate:
      result = pool.Scale(o.A(), -1);
      break;
    case Opcode::kNot:
      result = pool.Subtract(pool.Number(-1), o.A());
      break;
    case Opcode::kSign:
      result = scope.Min(scope.Max(o.InRangeA(), pool.Number(-1)), pool.Number(1));
      break;
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros:
      result = Applied(o, opcode);
      break;
    default:
      return nullptr;
  }
  return terms::ValueOfInteger(scope, result, type);
}

Term IntegerBinary(Scope& scope, Opcode opcode, PrimitiveType type, Term a, Term b) {
  Pool& pool = scope.pool();
  if (type == PrimitiveType::kPred) {
    Term condition = PredicateBinary(pool, opcode, pool.Holds(a), pool.Holds(b));
    return condition ? pool.OfCondition(condition) : nullptr;
  }
  Term result = IntegerResult({scope, type, a, b}, opcode);
  return result ? terms::ValueOfInteger(scope, result, type) : nullptr;
}

Term CompareIntegers(Scope& scope, llvm::StringRef direction, PrimitiveType type, Term a, Term b) {
  Pool& pool = scope.pool();
  if (direction == "GT" || direction == "LE") std::swap(a, b);
  const Operands o{scope, type, a, b};
  const bool is_equation = direction == "EQ" || direction == "NE";
  Term condition;
  if (type == PrimitiveType::kPred) {
    // Compares predicates, so that facts about them decide it.
    Term x = pool.Holds(a), y = pool.Holds(b);
    condition = is_equation ? pool.Not(PredicateBinary(pool, Opcode::kXor, x, y))
                            : pool.And({pool.Not(x), y});
  } else if (is_equation) {
    condition = terms::MachineEqual(scope, o.A(), o.B(), o.width());
  } else {
    auto less = o.is_signed() ? terms::SignedLess : terms::UnsignedLess;
    condition = less(scope, o.A(), o.B(), o.width());
  }
  if (direction == "NE" || direction == "GE" || direction == "LE") {
    condition = pool.Not(condition);
  } else if (direction != "EQ" && direction != "LT" && direction != "GT") {
    return nullptr;
  }
  return pool.OfCondition(condition);
}

}  // namespace affirm::hlo_values
