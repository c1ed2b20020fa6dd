// Operations on integers, conditions and floats, with obligations for their flags.
#include "llvm/IR/PatternMatch.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

namespace {

using llvm::Instruction;
using Claim = Obligation::Claim;

constexpr const char* kNoSignedWrap = "nsw: no signed wrap";
constexpr const char* kNoUnsignedWrap = "nuw: no unsigned wrap";

Int128 PowerOfTwo(int64_t exponent) { return Int128{1} << exponent; }

bool IsDivision(unsigned opcode) {
  return opcode == Instruction::UDiv || opcode == Instruction::SDiv ||
         opcode == Instruction::URem || opcode == Instruction::SRem;
}

bool IsShift(unsigned opcode) {
  return opcode == Instruction::Shl || opcode == Instruction::LShr || opcode == Instruction::AShr;
}

}  // namespace

Value Lifter::Elementwise(llvm::Type* type, llvm::ArrayRef<Value> operands, OnScalars compute) {
  if (failed()) return {};
  if (!type->isVectorTy()) return compute(operands);
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return Fail(*now_, "a vector whose length is not known");
  llvm::SmallVector<llvm::ArrayRef<Value>, 3> lists;
  for (const Value& operand : operands)
    lists.push_back(RequireParts(operand, vector->getNumElements()));
  std::vector<Value> results;
  for (unsigned k = 0; k < vector->getNumElements() && !failed(); ++k) {
    llvm::SmallVector<Value, 3> of_element;
    for (llvm::ArrayRef<Value> list : lists) of_element.push_back(list[k]);
    results.push_back(compute(of_element));
  }
  return failed() ? Value{} : ListOf(results);
}

Value Lifter::ElementwiseWhereSound(llvm::Type* type, llvm::ArrayRef<Value> operands,
                                    OnScalars compute) {
  return Elementwise(type, operands, [&](llvm::ArrayRef<Value> scalars) {
    llvm::SmallVector<Term, 3> sound;
    llvm::SmallVector<Value, 3> bare;
    for (const Value& scalar : scalars) {
      sound.push_back(scalar.sound());
      bare.push_back(scalar.WithSound(nullptr));
    }
    return WhereSound(sound, type->getScalarType(), [&] { return compute(bare); });
  });
}

Value Lifter::Compute(const llvm::Instruction& i, const LiftFrame& frame) {
  llvm::Type* type = i.getType();
  auto operand = [&](unsigned k) { return Get(frame, i.getOperand(k)); };
  // Operands of instructions that propagate poison.
  auto any_operand = [&](unsigned k) { return GetAny(frame, i.getOperand(k)); };
  if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
    if (type->isVectorTy()) return Fail(i, "a vector of pointers");
    llvm::SmallVector<Value, 4> indices;
    for (unsigned k = 1; k < i.getNumOperands(); ++k) indices.push_back(operand(k));
    Value base = operand(0);
    return failed() ? Value{} : Address(*llvm::cast<llvm::GEPOperator>(gep), base, indices);
  }
  if (i.isBinaryOp()) {
    Value a = any_operand(0), b = any_operand(1);
    if (IsDivision(i.getOpcode())) {
      // A divisor that is poison is undefined behavior (LangRef, "udiv"). So is a dividend that is
      // poison where a signed quotient may overflow.
      b = WithoutPoison(b);
      if (i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem)
        a = WithoutPoison(a);
      ObligeDivisor(type, b);
    }
    return ElementwiseWhereSound(type, {a, b}, [&](llvm::ArrayRef<Value> of) {
      return Binary(i, of[0], of[1], type->getScalarType());
    });
  }
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i)) {
    llvm::Type* of_type = i.getOperand(0)->getType()->getScalarType();
    return ElementwiseWhereSound(
        type, {any_operand(0), any_operand(1)},
        [&](llvm::ArrayRef<Value> of) { return Compare(*compare, of[0], of[1], of_type); });
  }
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&i)) {
    Value a = any_operand(0);
    llvm::Type* from = i.getOperand(0)->getType();
    if (failed()) return {};
    if (i.getOpcode() == Instruction::BitCast) {
      if (!a.sound() || type->isVectorTy()) return BitCast(i, WithoutPoison(a), from, type);
      return WhereSound({a.sound()}, type,
                        [&] { return BitCast(i, a.WithSound(nullptr), from, type); });
    }
    return ElementwiseWhereSound(type, {a}, [&](llvm::ArrayRef<Value> of) {
      return Cast(*cast, of[0], from->getScalarType(), type->getScalarType());
    });
  }
  switch (i.getOpcode()) {
    case Instruction::Select:
      return Select(i, frame);
    case Instruction::FNeg: {
      Value a = operand(0);
      if (failed()) return {};
      ObligeNoPoison(a);
      return Elementwise(type, {a}, [&](llvm::ArrayRef<Value> of) -> Value {
        Term term = RequireData(of[0], type->getScalarType());
        return Value::Data(pool_.Apply(terms::Op::kNegate, term->type, {term}));
      });
    }
    case Instruction::Freeze: {
      Value a = operand(0);
      return failed() ? Value{} : Frozen(a, type);
    }
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::ExtractValue:
    case Instruction::InsertValue:
    case Instruction::ShuffleVector:
      return Vector(i, frame);
    case Instruction::Fence:
      return {};
    default:
      return Fail(i, "an instruction of this kind");
  }
}

Value Lifter::Select(const llvm::Instruction& i, const LiftFrame& frame) {
  Value condition = GetAny(frame, i.getOperand(0)), a = GetAny(frame, i.getOperand(1)),
        b = GetAny(frame, i.getOperand(2));
  if (failed()) return {};
  ObligeNoPoison(condition);
  llvm::Type* type = i.getType();
  if (!condition.sound() && !a.sound() && !b.sound()) {
    if (Term extremum = UnsignedExtremum(i, frame))
      return Combined({condition, a, b}, Value::Integer(extremum), type);
  }
  if (condition.Is<Value::List>()) {
    return Elementwise(type, {condition, a, b}, [&](llvm::ArrayRef<Value> of) {
      return ChooseSound(of[0], of[1], of[2], type->getScalarType());
    });
  }
  if (a.Is<Value::List>() || b.Is<Value::List>()) {
    condition = WithoutPoison(condition);
    a = WithoutPoison(a);
    b = WithoutPoison(b);
  }
  return ChooseSound(condition, a, b, type);
}

// Matches an unsigned maximum or minimum as a select and gives one Max or Min term. The general
// translation would nest picks, since terms hold signed representatives. Null for other selects.
Term Lifter::UnsignedExtremum(const llvm::Instruction& select, const LiftFrame& frame) {
  namespace pattern = llvm::PatternMatch;
  llvm::Value *x = nullptr, *y = nullptr;
  const bool maximum =
      pattern::match(&select, pattern::m_UMax(pattern::m_Value(x), pattern::m_Value(y)));
  const bool minimum = !maximum && pattern::match(&select, pattern::m_UMin(pattern::m_Value(x),
                                                                           pattern::m_Value(y)));
  llvm::Type* type = select.getType();
  if ((!maximum && !minimum) || !type->isIntegerTy() || type->getIntegerBitWidth() < 2 ||
      type->getIntegerBitWidth() > 64) {
    return nullptr;
  }
  Term a = UnsignedOf(Get(frame, x), type), b = UnsignedOf(Get(frame, y), type);
  return maximum ? scope_.Max(a, b) : scope_.Min(a, b);
}

// For scalars.
Value Lifter::Binary(const llvm::Instruction& i, const Value& a, const Value& b, llvm::Type* type) {
  if (failed()) return {};
  ObligeNoPoison(a);
  ObligeNoPoison(b);
  if (type->isFloatingPointTy()) {
    const Value result = FloatBinary(i, RequireData(a, type), RequireData(b, type), type);
    return failed() ? Value{} : Combined({a, b}, result, type);
  }
  Value result;
  if (type->isIntegerTy(1))
    result = BitBinary(i, RequireCondition(a), RequireCondition(b));
  else if (type->isIntegerTy(128))
    result = WideBinary(i, a, b);
  else
    result = IntegerBinary(i, RequireInteger(a), RequireInteger(b), type->getScalarSizeInBits());
  return failed() ? Value{} : Combined({a, b}, result, type);
}

Value Lifter::BitBinary(const llvm::Instruction& i, Term a, Term b) {
  // In one bit, 1 + 1 wraps unsigned, and -1 * -1 wraps signed.
  if (const auto* flags = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&i);
      flags && (flags->hasNoSignedWrap() || flags->hasNoUnsignedWrap())) {
    return Fail(i, "a bit that must not wrap");
  }
  switch (i.getOpcode()) {
    case Instruction::And:
    case Instruction::Mul:
      return Value::Condition(pool_.And({a, b}));
    case Instruction::Or:
      if (const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&i);
          disjoint && disjoint->isDisjoint()) {
        Oblige(Claim::kIntegers, "disjoint: no common bit", pool_.Not(pool_.And({a, b})));
      }
      return Value::Condition(pool_.Or({a, b}));
    case Instruction::Xor:
    case Instruction::Add:
    case Instruction::Sub:
      if (b == pool_.True()) return Value::Condition(pool_.Not(a));
      if (a == pool_.True()) return Value::Condition(pool_.Not(b));
      return Value::Condition(
          pool_.Or({pool_.And({a, pool_.Not(b)}), pool_.And({pool_.Not(a), b})}));
    default:
      return Fail(i, "an operation on bits of this kind");
  }
}

// A divisor of zero is undefined behavior, also where the dividend is poison.
void Lifter::ObligeDivisor(llvm::Type* type, const Value& divisor) {
  llvm::Type* scalar = type->getScalarType();
  if (failed() || !IsWord(scalar)) return;
  Elementwise(type, {divisor}, [&](llvm::ArrayRef<Value> of) {
    const auto width = static_cast<int64_t>(scalar->getIntegerBitWidth());
    Oblige(Claim::kIntegers, "the divisor is not zero",
           pool_.Not(terms::MachineEqual(scope_, RequireInteger(of[0]), pool_.Number(0), width)));
    return of[0];
  });
}

void Lifter::ObligeFlags(const llvm::Instruction& i, Term a, Term b, int64_t width) {
  unsigned opcode = i.getOpcode();
  if (const auto* flags = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&i)) {
    // The mathematical result, without wrap.
    auto exact = [&](bool is_signed) {
      auto in_range = [&](Term t) {
        return is_signed ? terms::Signed(scope_, t, width) : terms::Unsigned(scope_, t, width);
      };
      Term x = in_range(a);
      if (opcode == Instruction::Shl) {
        terms::Range by = scope_.RangeOf(terms::Unsigned(scope_, b, width));
        if (!by.single() || by.hi >= width) return pool_.Unknown(terms::kAnything);
        return pool_.Scale(x, PowerOfTwo(static_cast<int64_t>(by.lo)));
      }
      Term y = in_range(b);
      if (opcode == Instruction::Add) return pool_.Add(x, y);
      if (opcode == Instruction::Sub) return pool_.Subtract(x, y);
      return pool_.Multiply(x, y);
    };
    if (flags->hasNoSignedWrap())
      ObligeInside(kNoSignedWrap, exact(true), -PowerOfTwo(width - 1), PowerOfTwo(width - 1) - 1);
    if (flags->hasNoUnsignedWrap())
      ObligeInside(kNoUnsignedWrap, exact(false), 0, PowerOfTwo(width) - 1);
  }
  if (opcode == Instruction::SDiv || opcode == Instruction::SRem) {
    Term lowest = pool_.Number(-PowerOfTwo(width - 1));
    Oblige(Claim::kIntegers, "the quotient does not overflow",
           pool_.Not(pool_.And({terms::MachineEqual(scope_, a, lowest, width),
                                terms::MachineEqual(scope_, b, pool_.Number(-1), width)})));
  }
  if (const auto* exact = llvm::dyn_cast<llvm::PossiblyExactOperator>(&i);
      exact && exact->isExact()) {
    Term rest;
    if (opcode == Instruction::UDiv || opcode == Instruction::SDiv) {
      rest = opcode == Instruction::UDiv ? terms::RemainderUnsigned(scope_, a, b, width)
                                         : terms::RemainderSigned(scope_, a, b, width);
    } else {
      Term quotient = terms::ShiftRightLogical(scope_, a, b, width);
      rest = pool_.Subtract(
          terms::Unsigned(scope_, a, width),
          terms::Unsigned(scope_, terms::ShiftLeft(scope_, quotient, b, width), width));
    }
    Oblige(Claim::kIntegers, "exact: nothing remains", pool_.IsZero(rest));
  }
  if (const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&i);
      disjoint && disjoint->isDisjoint()) {
    Oblige(Claim::kIntegers, "disjoint: no common bit",
           terms::MachineEqual(scope_, terms::And(scope_, a, b, width), pool_.Number(0), width));
  }
}

Value Lifter::IntegerBinary(const llvm::Instruction& i, Term a, Term b, int64_t width) {
  if (width > 64) return Fail(i, "an integer of more than 64 bits");
  if (!IsShift(i.getOpcode())) return IntegerOperation(i, a, b, width);
  // A shift by the width or more is poison (LangRef, "shl").
  constexpr const char* kBelow = "the shift is below the width";
  Term by = terms::Unsigned(scope_, b, width);
  Term below =
      pool_.And({pool_.AtLeast(by, pool_.Number(0)), pool_.AtLeast(pool_.Number(width - 1), by)});
  if (Proves(scope_, below)) {
    Met(Claim::kIntegers, kBelow);
    if (width == 8) return ShiftOfByte(i, a, b);
    return IntegerOperation(i, a, b, width);
  }
  return WhereSound({below}, i.getType()->getScalarType(),
                    [&] { return IntegerOperation(i, a, b, width); });
}

// Assumes that a shift amount is below the width.
Value Lifter::IntegerOperation(const llvm::Instruction& i, Term a, Term b, int64_t width) {
  ObligeFlags(i, a, b, width);
  switch (i.getOpcode()) {
    case Instruction::Add:
      return Value::Integer(terms::Congruent(pool_, pool_.Add(a, b), width));
    case Instruction::Sub:
      return Value::Integer(terms::Congruent(pool_, pool_.Subtract(a, b), width));
    case Instruction::Mul:
      return Value::Integer(terms::Product(scope_, a, b, width));
    case Instruction::UDiv:
      return Value::Integer(terms::DivideUnsigned(scope_, a, b, width));
    case Instruction::SDiv:
      return Value::Integer(terms::DivideSigned(scope_, a, b, width));
    case Instruction::URem:
      return Value::Integer(terms::RemainderUnsigned(scope_, a, b, width));
    case Instruction::SRem:
      return Value::Integer(terms::RemainderSigned(scope_, a, b, width));
    case Instruction::And:
      return Value::Integer(terms::And(scope_, a, b, width));
    case Instruction::Or:
      return Value::Integer(terms::Or(scope_, a, b, width));
    case Instruction::Xor:
      return Value::Integer(terms::Xor(scope_, a, b, width));
    case Instruction::Shl:
      return Value::Integer(terms::ShiftLeft(scope_, a, b, width));
    case Instruction::LShr:
      return Value::Integer(terms::ShiftRightLogical(scope_, a, b, width));
    case Instruction::AShr:
      return Value::Integer(terms::ShiftRightArithmetic(scope_, a, b, width));
    default:
      return Fail(i, "an operation on integers of this kind");
  }
}

Value Lifter::FloatBinary(const llvm::Instruction& i, Term a, Term b, llvm::Type* type) {
  auto primitive = TypeOf(type);
  if (primitive == hlo::PrimitiveType::kInvalid) return Fail(i, "a float of this type");
  terms::Op op = terms::Op::kNone;
  switch (i.getOpcode()) {
    case Instruction::FAdd:
      op = terms::Op::kAdd;
      break;
    case Instruction::FSub:
      op = terms::Op::kSubtract;
      break;
    case Instruction::FMul:
      op = terms::Op::kMultiply;
      break;
    case Instruction::FDiv:
      op = terms::Op::kDivide;
      break;
    case Instruction::FRem:
      op = terms::Op::kRemainder;
      break;
    default:
      return Fail(i, "an operation on floats of this kind");
  }
  return Value::Data(pool_.Apply(
      op, primitive, {terms::AsOneValue(pool_, op, a), terms::AsOneValue(pool_, op, b)}));
}

}  // namespace affirm::kernel
