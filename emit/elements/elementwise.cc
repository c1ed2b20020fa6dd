// Elementwise ops by the type of their operands; comparisons, and what all types share.
#include <cmath>
#include <optional>

#include "core/hlo/attribute_rules.h"
#include "core/hlo/float_format.h"
#include "emit/elements/scalar.h"
#include "emit/plan/flat_graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using hlo::Opcode;
using hlo::PrimitiveType;
using mlir::Value;

enum class Direction : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };

std::optional<Direction> DirectionOf(llvm::StringRef text) {
  static constexpr const char* kNames[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  for (uint8_t i = 0; i < 6; ++i) {
    if (text == kNames[i]) return static_cast<Direction>(i);
  }
  return std::nullopt;
}

Value CompareInts(Builder& b, Direction direction, bool is_signed, Value x, Value y) {
  using P = arith::CmpIPredicate;
  static constexpr P kSigned[] = {P::eq, P::ne, P::sge, P::sgt, P::sle, P::slt};
  static constexpr P kUnsigned[] = {P::eq, P::ne, P::uge, P::ugt, P::ule, P::ult};
  auto i = static_cast<uint8_t>(direction);
  return arith::CmpIOp::create(b, is_signed ? kSigned[i] : kUnsigned[i], x, y);
}

// A signed integer that orders as the float's total order: -NaN < -inf < ... < -0 < +0 < ... < NaN.
// In types whose NaN has the bits of -0 in other types: NaN < -max < ... < 0 < ... < max.
Value TotalOrderKey(Builder& b, PrimitiveType type, Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  mlir::Type bits = b.getIntegerType(width);
  Value key = arith::BitcastOp::create(b, bits, x);
  if (hlo::IsNaNMinusZero(type)) {
    Value lowest = IntConstant(b, bits, -(int64_t{1} << (width - 1)));
    Value turned = arith::SubIOp::create(b, lowest, key);
    Value is_above_nan =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, turned, IntConstant(b, bits, 0));
    Value is_negative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, key, IntConstant(b, bits, 0));
    Value turns = arith::AndIOp::create(b, is_negative, is_above_nan);
    return arith::SelectOp::create(b, turns, turned, key);
  }
  Value sign = arith::ShRSIOp::create(b, key, IntConstant(b, bits, width - 1));
  Value flip = arith::ShRUIOp::create(b, sign, IntConstant(b, bits, 1));
  return arith::XOrIOp::create(b, key, flip);
}

llvm::Expected<Value> CompareComplex(Builder& b, const hlo::Instruction& op, Direction direction,
                                     Value x, Value y) {
  using P = arith::CmpFPredicate;
  if (direction != Direction::kEq && direction != Direction::kNe) {
    return Unsupported(op, "complex numbers have no order");
  }
  bool equal = direction == Direction::kEq;
  P predicate = equal ? P::OEQ : P::UNE;
  Value real = arith::CmpFOp::create(b, predicate, Real(b, x), Real(b, y));
  Value imag = arith::CmpFOp::create(b, predicate, Imag(b, x), Imag(b, y));
  return equal ? Value(arith::AndIOp::create(b, real, imag))
               : Value(arith::OrIOp::create(b, real, imag));
}

llvm::Expected<Value> Compare(Builder& b, const hlo::Instruction& op, Value x, Value y) {
  std::optional<Direction> direction = DirectionOf(op.attributes.comparison_direction);
  if (!direction) return Unsupported(op, "its direction is none of EQ NE GE GT LE LT");
  PrimitiveType type = op.operands[0]->shape.type;
  const std::string& how = op.attributes.comparison_type;
  if (hlo::IsComplex(type)) return CompareComplex(b, op, *direction, x, y);
  if (!hlo::IsFloat(type)) {
    bool is_signed = how.empty() ? hlo::IsSignedInt(type) : how == "SIGNED";
    return CompareInts(b, *direction, is_signed, x, y);
  }
  if (how == "TOTALORDER") {
    // The patterns of these order as f32: one has no sign, the other one half a byte.
    if (type == PrimitiveType::kF8E8M0FNU || type == PrimitiveType::kF4E2M1FN)
      x = Widen(b, x), y = Widen(b, y);
    return CompareInts(b, *direction, true, TotalOrderKey(b, type, x), TotalOrderKey(b, type, y));
  }
  using P = arith::CmpFPredicate;
  static constexpr P kFloat[] = {P::OEQ, P::UNE, P::OGE, P::OGT, P::OLE, P::OLT};
  return Value(
      arith::CmpFOp::create(b, kFloat[static_cast<uint8_t>(*direction)], Widen(b, x), Widen(b, y)));
}

llvm::Expected<Value> BitcastConvert(Builder& b, const hlo::Instruction& op, Value x) {
  if (hlo::BitWidth(op.operands[0]->shape.type) != hlo::BitWidth(op.shape.type)) {
    return Unsupported(op, "it changes the width of a single element");
  }
  return FromBits(b, ToBits(b, x), ValueType(b.getContext(), op.shape.type));
}

Value IsFinite(Builder& b, Value x) {
  x = Widen(b, x);
  Value infinity = FloatConstant(b, x.getType(), HUGE_VAL);
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, mlir::math::AbsFOp::create(b, x),
                               infinity);
}

// The types of an op whose operands and result all have one type.
bool IsHomogeneous(const hlo::Instruction& op) {
  for (const hlo::Instruction* operand : op.operands) {
    if (operand->shape.type != op.shape.type) return false;
  }
  return !op.operands.empty();
}

}  // namespace

llvm::Expected<Value> EmitElementwise(Builder& b, const hlo::Instruction& op,
                                      llvm::ArrayRef<Value> operands) {
  if (operands.empty() || !ValueType(b.getContext(), op.shape.type)) {
    return Unsupported(op, "the type " + op.shape.ToString() + " has no emission");
  }
  const std::string unmodeled = hlo::UnmodeledAttribute(op);
  if (!unmodeled.empty()) return Unsupported(op, "its values depend on " + unmodeled);
  PrimitiveType type = op.operands[0]->shape.type;
  switch (op.opcode) {
    case Opcode::kConvert:
      if (hlo::IsComplex(type) && !hlo::IsComplex(op.shape.type)) {
        return Unsupported(op, "a complex number has no value as " + hlo::Name(op.shape.type));
      }
      return Convert(b, operands[0], type, op.shape.type);
    case Opcode::kCopy:
      return operands[0];
    case Opcode::kBitcastConvert:
      return BitcastConvert(b, op, operands[0]);
    case Opcode::kCompare:
      return Compare(b, op, operands[0], operands[1]);
    case Opcode::kSelect:
      return Value(arith::SelectOp::create(b, operands[0], operands[1], operands[2]));
    case Opcode::kComplex:
      if (!hlo::IsComplex(op.shape.type)) return Unsupported(op, "its result isn't complex");
      return MakeComplex(b, operands[0], operands[1]);
    case Opcode::kClamp:
      if (hlo::IsComplex(type)) return Unsupported(op, "complex numbers have no order");
      return Minimum(b, op.shape.type, Maximum(b, op.shape.type, operands[1], operands[0]),
                     operands[2]);
    case Opcode::kIsFinite:
      if (!hlo::IsFloat(type)) return Unsupported(op, "its operand isn't a float");
      return IsFinite(b, operands[0]);
    default:
      break;
  }
  if (hlo::IsComplex(type)) return EmitComplex(b, op, operands);
  if (!IsHomogeneous(op)) return Unsupported(op, "its operands and result differ in type");
  if (!hlo::IsFloat(type)) return EmitInt(b, op, type, operands);
  if (op.opcode == Opcode::kMaximum) return Maximum(b, type, operands[0], operands[1]);
  if (op.opcode == Opcode::kMinimum) return Minimum(b, type, operands[0], operands[1]);
  // On the pattern of the type itself. Narrower types go through f16, which has all of their
  // values, but for f8e8m0fnu, whose exponent is that of f32.
  if (op.opcode == Opcode::kReducePrecision && type != hlo::PrimitiveType::kF8E8M0FNU) {
    if (hlo::BitWidth(type) >= 16) return EmitFloat(b, op, operands);
    Value half = Narrow(b, Widen(b, operands[0]), b.getF16Type());
    llvm::Expected<Value> reduced = EmitFloat(b, op, half);
    if (!reduced) return reduced.takeError();
    return Narrow(b, Widen(b, *reduced), operands[0].getType());
  }
  llvm::SmallVector<Value, 3> wide;
  for (Value operand : operands) wide.push_back(Widen(b, operand));
  llvm::Expected<Value> result = EmitFloat(b, op, wide);
  if (!result) return result.takeError();
  return Narrow(b, *result, operands[0].getType());
}

}  // namespace affirm::emit
