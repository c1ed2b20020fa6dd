#include "verify/lemma/emit_operations.h"

#include <cmath>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Intrinsics.h"

namespace affirm::lemma {

using hlo::PrimitiveType;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

Emitted OperationEmitter::Emit(const Node& node, llvm::ArrayRef<Operand> operands) {
  for (const Operand& operand : operands) {
    if (hlo::IsFloat(operand.type) && !FloatEmitter::Has(operand.type)) return {};
  }
  if (hlo::IsFloat(node.type) && !FloatEmitter::Has(node.type)) return {};
  if (operands.empty()) return {};
  const Operand& x = operands[0];
  const bool from_float = hlo::IsFloat(x.type);
  if (node.op == Op::kBitcast) return Bitcast(node, x);
  if (node.op == Op::kConvert || node.op == Op::kConvertInRange)
    return from_float ? FromFloat(node, x.value) : Emitted{FromInteger(node, x)};
  const bool alike = llvm::all_of(operands, [&](const Operand& y) { return y.type == x.type; });
  if (!alike) return {};
  if (from_float) return OnFloats(node, operands);
  if (node.type != x.type) return {};
  llvm::SmallVector<Value*, 3> values;
  for (const Operand& operand : operands) values.push_back(operand.value);
  return {OnIntegers(node, values)};
}

// ---- floats

Value* OperationEmitter::Negative(Value* x) {
  const unsigned width = x->getType()->getScalarSizeInBits();
  Value* bits = b_.CreateBitCast(x, b_.getIntNTy(width));
  return b_.CreateICmpSLT(bits, b_.getIntN(width, 0));
}

Emitted OperationEmitter::Compare(const Node& node, Value* a, Value* b) {
  switch (node.op) {
    case Op::kCompareEqual:
      return {b_.CreateFCmpOEQ(a, b)};
    case Op::kCompareLess:
      return {b_.CreateFCmpOLT(a, b)};
    case Op::kCompareLessOrEqual:
      return {b_.CreateFCmpOLE(a, b)};
    default:
      break;
  }
  // In the total order the place of a NaN is its bits.
  const unsigned width = a->getType()->getScalarSizeInBits();
  auto key = [&](Value* x) {
    Value* bits = b_.CreateBitCast(x, b_.getIntNTy(width));
    Value* flipped = b_.CreateXor(bits, b_.getInt(llvm::APInt::getSignedMaxValue(width)));
    return b_.CreateSelect(Negative(x), flipped, bits);
  };
  Value* open = b_.CreateFCmpUNO(a, b);
  if (node.op == Op::kCompareEqualTotal) return {b_.CreateICmpEQ(key(a), key(b)), open};
  if (node.op == Op::kCompareLessTotal) return {b_.CreateICmpSLT(key(a), key(b)), open};
  return {b_.CreateICmpSLE(key(a), key(b)), open};
}

// maximum, minimum: a NaN is the result, and -0 is below +0. maximum-number, minimum-number: of two
// zeros either; of a NaN and a number, the number if the NaN is quiet, and else it or a NaN (LLVM
// LangRef, "Floating-Point Min/Max Intrinsics Comparison"). What is computed may be a signaling NaN
// as well.
Value* OperationEmitter::Extreme(Op op, Value* a, Value* b) {
  const bool maximum = op == Op::kMaximum || op == Op::kMaximumNumber;
  const bool number = op == Op::kMaximumNumber || op == Op::kMinimumNumber;
  Value* takes_b = maximum ? b_.CreateFCmpOLT(a, b) : b_.CreateFCmpOLT(b, a);
  // Zeros are equal, and ordered by their signs.
  Value* equal_takes_b = Negative(a);
  if (!maximum) equal_takes_b = b_.CreateNot(equal_takes_b);
  auto is_zero_or_open = [](Value* x) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(x);
    return !constant || constant->isZero();
  };
  auto choose = [&] {
    return b_.CreateTrunc(b_.CreateLShr(choices_, num_choices_++), b_.getInt1Ty());
  };
  if (number && is_zero_or_open(a) && is_zero_or_open(b))
    equal_takes_b = b_.CreateXor(equal_takes_b, choose());
  takes_b = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), equal_takes_b, takes_b);
  Value* result = b_.CreateSelect(takes_b, b, a);
  auto take_nan = [&](Value* nan, Value* other) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(nan);
    if (constant && !constant->isNaN()) return;
    Value* given = number ? b_.CreateSelect(choose(), nan, other) : nan;
    result = b_.CreateSelect(floats_.IsNan(nan), given, result);
  };
  take_nan(b, a);
  take_nan(a, b);
  return result;
}

// The result as a float or double, before it is rounded to the type; null for other ops.
Value* OperationEmitter::FloatResult(const Node& node, llvm::ArrayRef<Value*> x) {
  auto unary = [&](intrinsic::ID id) { return b_.CreateUnaryIntrinsic(id, x[0]); };
  auto number = [&](double value) { return llvm::ConstantFP::get(x[0]->getType(), value); };
  switch (node.op) {
    case Op::kAbs:
      return Absolute(x[0]);
    case Op::kAdd:
      return b_.CreateFAdd(x[0], x[1]);
    case Op::kCeil:
      return unary(intrinsic::ceil);
    case Op::kCopySign:
      return b_.CreateBinaryIntrinsic(intrinsic::copysign, x[0], x[1]);
    case Op::kDivide:
      return b_.CreateFDiv(x[0], x[1]);
    case Op::kFloor:
      return unary(intrinsic::floor);
    case Op::kMaximum:
    case Op::kMaximumNumber:
    case Op::kMinimum:
    case Op::kMinimumNumber:
      return Extreme(node.op, x[0], x[1]);
    case Op::kMultiply:
      return b_.CreateFMul(x[0], x[1]);
    case Op::kNegate:
      return b_.CreateFNeg(x[0]);
    case Op::kRemainder:
      return b_.CreateFRem(x[0], x[1]);
    case Op::kRoundAwayFromZero:
      return unary(intrinsic::round);
    case Op::kRoundToEven:
      return unary(intrinsic::roundeven);
    case Op::kSign: {
      Value* one = b_.CreateBinaryIntrinsic(intrinsic::copysign, number(1), x[0]);
      return b_.CreateSelect(b_.CreateFCmpUEQ(x[0], number(0)), x[0], one);
    }
    case Op::kSqrt:
      return unary(intrinsic::sqrt);
    case Op::kSubtract:
      return b_.CreateFSub(x[0], x[1]);
    case Op::kTruncate:
      return unary(intrinsic::trunc);
    default:
      return nullptr;
  }
}

Emitted OperationEmitter::OnFloats(const Node& node, llvm::ArrayRef<Operand> operands) {
  llvm::SmallVector<Value*, 2> x;
  for (const Operand& operand : operands) x.push_back(operand.value);
  switch (node.op) {
    case Op::kCompareEqual:
    case Op::kCompareEqualTotal:
    case Op::kCompareLess:
    case Op::kCompareLessTotal:
    case Op::kCompareLessOrEqual:
    case Op::kCompareLessOrEqualTotal:
      return Compare(node, x[0], x[1]);
    case Op::kIsFinite:
      return {b_.CreateFCmpOLT(Absolute(x[0]), llvm::ConstantFP::getInfinity(x[0]->getType()))};
    case Op::kReducePrecision: {
      const int exponent = static_cast<int>(node.number / 256);
      const int mantissa = static_cast<int>(node.number % 256);
      Value* is_nan = floats_.IsNan(x[0]);
      Value* reduced = floats_.ReducePrecision(node.type, x[0], exponent, mantissa);
      // Without a mantissa NaN becomes infinity, with the sign of the NaN.
      return {b_.CreateSelect(is_nan, x[0], reduced), mantissa == 0 ? is_nan : nullptr};
    }
    default:
      break;
  }
  if (node.type != operands[0].type) return {};
  Value* result = FloatResult(node, x);
  if (!result) return {};
  // The sign of a computed NaN is unspecified.
  Value* open = node.op == Op::kCopySign ? floats_.IsNan(x[1]) : nullptr;
  return {floats_.Round(node.type, result), open};
}

// ---- conversions

Emitted OperationEmitter::FromFloat(const Node& node, Value* x) {
  if (hlo::IsFloat(node.type))
    return {node.op == Op::kConvert ? floats_.Round(node.type, x) : nullptr};
  const auto width = static_cast<int>(terms::IntegerWidth(node.type));
  if (width == 0) return {};
  if (width == 1) return {b_.CreateFCmpUNE(x, llvm::ConstantFP::get(x->getType(), 0))};
  // LangRef, "fptosi.sat": saturates, and gives 0 for NaN.
  const intrinsic::ID saturating = node.is_unsigned ? intrinsic::fptoui_sat : intrinsic::fptosi_sat;
  Value* result = b_.CreateIntrinsic(saturating, {b_.getIntNTy(width), x->getType()}, {x});
  if (node.op == Op::kConvert) return {result};
  // LangRef, "fptosi": poison where the truncated value does not fit.
  auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  Value* whole = b_.CreateUnaryIntrinsic(intrinsic::trunc, x);
  const double above = std::ldexp(1.0, node.is_unsigned ? width : width - 1);
  Value* at_least = b_.CreateFCmpOGE(whole, number(node.is_unsigned ? 0 : -above));
  Value* in_range = b_.CreateAnd(at_least, b_.CreateFCmpOLT(whole, number(above)));
  return {result, b_.CreateNot(in_range)};
}

Value* OperationEmitter::FromInteger(const Node& node, const Operand& x) {
  if (node.op != Op::kConvert) return nullptr;
  const int64_t from = terms::IntegerWidth(x.type), to = terms::IntegerWidth(node.type);
  if (from == 0) return nullptr;
  if (to == 1) return b_.CreateICmpNE(x.value, b_.getIntN(static_cast<unsigned>(from), 0));
  const bool is_unsigned = node.is_unsigned || from == 1;
  if (to > 1) {
    llvm::Type* type = b_.getIntNTy(static_cast<unsigned>(to));
    return is_unsigned ? b_.CreateZExtOrTrunc(x.value, type) : b_.CreateSExtOrTrunc(x.value, type);
  }
  if (!hlo::IsFloat(node.type)) return nullptr;
  auto as = [&](llvm::Type* type) {
    return is_unsigned ? b_.CreateUIToFP(x.value, type) : b_.CreateSIToFP(x.value, type);
  };
  if (node.type == PrimitiveType::kF32) return as(b_.getFloatTy());
  if (node.type == PrimitiveType::kF64) return as(b_.getDoubleTy());
  // Rounded once: a double must have the integer.
  constexpr Int128 kExact = Int128{1} << 53;
  const bool exact =
      from <= 32 || (x.range.hi <= kExact && x.range.lo >= (is_unsigned ? 0 : -kExact));
  return exact ? floats_.Round(node.type, as(b_.getDoubleTy())) : nullptr;
}

Emitted OperationEmitter::Bitcast(const Node& node, const Operand& x) {
  auto width_of = [](PrimitiveType type) {
    const int64_t width = terms::IntegerWidth(type);
    return width > 0 ? width : hlo::BitWidth(type);
  };
  if (width_of(node.type) != width_of(x.type)) return {};
  Emitted result = {x.value, nullptr};
  if (hlo::IsFloat(x.type)) {
    result.value = floats_.Encode(x.type, x.value);
    if (FloatEmitter::HasManyNans(x.type)) result.open = floats_.IsNan(x.value);
  }
  if (hlo::IsFloat(node.type)) result.value = floats_.Decode(node.type, result.value);
  return result;
}

// ---- integers

Value* OperationEmitter::Divide(const Node& node, Value* a, Value* b) {
  llvm::Type* type = a->getType();
  Value *zero = llvm::ConstantInt::get(type, 0), *one = llvm::ConstantInt::get(type, 1);
  Value* minus_one = llvm::ConstantInt::getAllOnesValue(type);
  const bool divides = node.op == Op::kDivide;
  Value* by_zero = b_.CreateICmpEQ(b, zero);
  Value* of_zero = divides ? minus_one : a;
  if (node.is_unsigned) {
    Value* by = b_.CreateSelect(by_zero, one, b);
    return b_.CreateSelect(by_zero, of_zero, divides ? b_.CreateUDiv(a, by) : b_.CreateURem(a, by));
  }
  // The lowest integer by -1 wraps.
  Value* by_minus_one = b_.CreateICmpEQ(b, minus_one);
  Value* by = b_.CreateSelect(b_.CreateOr(by_zero, by_minus_one), one, b);
  Value* result = divides ? b_.CreateSDiv(a, by) : b_.CreateSRem(a, by);
  result = b_.CreateSelect(by_minus_one, divides ? b_.CreateNeg(a) : zero, result);
  return b_.CreateSelect(by_zero, of_zero, result);
}

Value* OperationEmitter::Shift(const Node& node, Value* a, Value* amount) {
  llvm::Type* type = a->getType();
  const unsigned width = type->getIntegerBitWidth();
  Value* zero = llvm::ConstantInt::get(type, 0);
  // As many bits as the width, which i1 and i2 may not have as a number.
  Value* wide = b_.CreateZExt(amount, b_.getInt64Ty());
  Value* out = b_.CreateICmpUGE(wide, b_.getInt64(width));
  Value* by = b_.CreateSelect(out, zero, amount);
  if (node.op == Op::kShiftLeft) return b_.CreateSelect(out, zero, b_.CreateShl(a, by));
  if (node.op == Op::kShiftRightLogical) return b_.CreateSelect(out, zero, b_.CreateLShr(a, by));
  Value* signs = b_.CreateAShr(a, llvm::ConstantInt::get(type, width - 1));
  return b_.CreateSelect(out, signs, b_.CreateAShr(a, by));
}

Value* OperationEmitter::OnIntegers(const Node& node, llvm::ArrayRef<Value*> x) {
  llvm::Type* type = x[0]->getType();
  const bool pred = node.type == PrimitiveType::kPred;
  const bool is_unsigned = node.is_unsigned || pred;
  Value* zero = llvm::ConstantInt::get(type, 0);
  switch (node.op) {
    case Op::kAnd:
      return b_.CreateAnd(x[0], x[1]);
    case Op::kOr:
      return b_.CreateOr(x[0], x[1]);
    case Op::kXor:
      return b_.CreateXor(x[0], x[1]);
    case Op::kNot:
      return b_.CreateNot(x[0]);
    case Op::kMaximum:
      return b_.CreateBinaryIntrinsic(is_unsigned ? intrinsic::umax : intrinsic::smax, x[0], x[1]);
    case Op::kMinimum:
      return b_.CreateBinaryIntrinsic(is_unsigned ? intrinsic::umin : intrinsic::smin, x[0], x[1]);
    case Op::kAdd:
      return pred ? b_.CreateOr(x[0], x[1]) : b_.CreateAdd(x[0], x[1]);
    case Op::kMultiply:
      return pred ? b_.CreateAnd(x[0], x[1]) : b_.CreateMul(x[0], x[1]);
    default:
      break;
  }
  if (pred) return nullptr;
  switch (node.op) {
    case Op::kSubtract:
      return b_.CreateSub(x[0], x[1]);
    case Op::kNegate:
      return b_.CreateNeg(x[0]);
    case Op::kAbs:
      if (is_unsigned) return x[0];
      return b_.CreateSelect(b_.CreateICmpSLT(x[0], zero), b_.CreateNeg(x[0]), x[0]);
    case Op::kSign: {
      Value* not_zero = b_.CreateZExt(b_.CreateICmpNE(x[0], zero), type);
      if (is_unsigned) return not_zero;
      Value* minus_one = llvm::ConstantInt::getAllOnesValue(type);
      return b_.CreateSelect(b_.CreateICmpSLT(x[0], zero), minus_one, not_zero);
    }
    case Op::kDivide:
    case Op::kRemainder:
      return Divide(node, x[0], x[1]);
    case Op::kShiftLeft:
    case Op::kShiftRightArithmetic:
    case Op::kShiftRightLogical:
      return Shift(node, x[0], x[1]);
    case Op::kPopulationCount:
      return b_.CreateUnaryIntrinsic(intrinsic::ctpop, x[0]);
    case Op::kCountLeadingZeros:
      return b_.CreateBinaryIntrinsic(intrinsic::ctlz, x[0], b_.getFalse());
    default:
      return nullptr;
  }
}

}  // namespace affirm::lemma
