// How the generator builds elementwise ops.
#include "fuzz/hlo_body.h"

namespace affirm::fuzz {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// The classes of types that an op takes, as XLA has it.
unsigned ClassesOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kSign:
      return kSigned | kFloat | kComplex;
    case Opcode::kNegate:
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kPower:
      return kNumber;
    case Opcode::kRemainder:
      return kInteger | kFloat;
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return kPred | kInteger | kFloat;
    case Opcode::kNot:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return kPred | kInteger;
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return kInteger;
    case Opcode::kReal:
    case Opcode::kImag:
      return kComplex;
    case Opcode::kExponential:
    case Opcode::kLog:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kSine:
    case Opcode::kCosine:
    case Opcode::kTanh:
    case Opcode::kLogistic:
      return kFloat | kComplex;
    default:
      return kFloat;
  }
}

Instruction* Unary(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(ClassesOf(opcode));
  hlo::Attributes attributes;
  if (opcode == Opcode::kReducePrecision) {
    attributes.exponent_bits = body.choices().Pick<int64_t>({5, 8, 4, 11, 2, 1});
    attributes.mantissa_bits = body.choices().Pick<int64_t>({10, 7, 3, 23, 52, 0});
  }
  return body.Add(opcode, {operand}, std::move(attributes));
}

Instruction* Binary(HloBody& body, Opcode opcode) {
  Instruction* lhs = body.Array(ClassesOf(opcode));
  if (!lhs) return nullptr;
  Instruction* rhs = body.ArrayOf(lhs->shape.type, lhs->shape.dims);
  if (body.choices().OneIn(2)) std::swap(lhs, rhs);
  return body.Add(opcode, {lhs, rhs});
}

Instruction* Complex(HloBody& body, Opcode opcode) {
  Instruction* real = body.Array(kFloat);
  if (!real) return nullptr;
  return body.Add(opcode, {real, body.ArrayOf(real->shape.type, real->shape.dims)});
}

Instruction* Compare(HloBody& body, Opcode opcode) {
  Instruction* lhs = body.Array(kAnyType);
  if (!lhs) return nullptr;
  Instruction* rhs = body.ArrayOf(lhs->shape.type, lhs->shape.dims);
  hlo::Attributes attributes;
  attributes.comparison_direction = body.choices().Pick({"LT", "EQ", "GE", "NE", "GT", "LE"});
  if (SetOf(lhs->shape.type) == kComplex) attributes.comparison_direction = "EQ";
  if (rhs && SetOf(lhs->shape.type) == kFloat && body.choices().OneIn(4) && HasDefinedBits(*lhs) &&
      HasDefinedBits(*rhs)) {
    attributes.comparison_type = "TOTALORDER";
  }
  return body.Add(opcode, {lhs, rhs}, std::move(attributes));
}

Instruction* Convert(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kPred | kInteger | kFloat);
  PrimitiveType type = body.Type(kPred | kInteger | kFloat);
  if (!operand || type == PrimitiveType::kInvalid) return nullptr;
  return body.Add(opcode, {operand}, {}, Shape::Array(type, operand->shape.dims));
}

// Bounds are scalars, or of the operand's sizes.
Instruction* Clamp(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kInteger | kFloat);
  if (!operand) return nullptr;
  bool scalars = body.choices().OneIn(2);
  Sizes sizes = scalars ? Sizes{} : operand->shape.dims;
  Instruction* low = body.ArrayOf(operand->shape.type, sizes);
  Instruction* high = body.ArrayOf(operand->shape.type, sizes);
  return body.Add(opcode, {low, operand, high});
}

Instruction* Select(HloBody& body, Opcode opcode) {
  Instruction* on_true = body.Array(kAnyType);
  if (!on_true) return nullptr;
  Instruction* on_false = body.ArrayOf(on_true->shape.type, on_true->shape.dims);
  Instruction* predicate =
      body.ArrayOf(PrimitiveType::kPred, body.choices().OneIn(3) ? Sizes{} : on_true->shape.dims);
  return body.Add(opcode, {predicate, on_true, on_false});
}

constexpr GraphOp kOps[] = {
    {Opcode::kAdd, Binary},
    {Opcode::kSubtract, Binary},
    {Opcode::kMultiply, Binary},
    {Opcode::kMaximum, Binary},
    {Opcode::kMinimum, Binary},
    {Opcode::kDivide, Binary},
    {Opcode::kRemainder, Binary},
    {Opcode::kPower, Binary},
    {Opcode::kAtan2, Binary},
    {Opcode::kAnd, Binary},
    {Opcode::kOr, Binary},
    {Opcode::kXor, Binary},
    {Opcode::kShiftLeft, Binary},
    {Opcode::kShiftRightArithmetic, Binary},
    {Opcode::kShiftRightLogical, Binary},
    {Opcode::kNegate, Unary},
    {Opcode::kAbs, Unary},
    {Opcode::kSign, Unary},
    {Opcode::kNot, Unary},
    {Opcode::kPopcnt, Unary},
    {Opcode::kCountLeadingZeros, Unary},
    {Opcode::kExponential, Unary},
    {Opcode::kExponentialMinusOne, Unary},
    {Opcode::kLog, Unary},
    {Opcode::kLogPlusOne, Unary},
    {Opcode::kLogistic, Unary},
    {Opcode::kSqrt, Unary},
    {Opcode::kRsqrt, Unary},
    {Opcode::kCbrt, Unary},
    {Opcode::kSine, Unary},
    {Opcode::kCosine, Unary},
    {Opcode::kTan, Unary},
    {Opcode::kTanh, Unary},
    {Opcode::kErf, Unary},
    {Opcode::kSinh, Unary},
    {Opcode::kCosh, Unary},
    {Opcode::kAsin, Unary},
    {Opcode::kAcos, Unary},
    {Opcode::kAsinh, Unary},
    {Opcode::kAcosh, Unary},
    {Opcode::kAtanh, Unary},
    {Opcode::kCeil, Unary},
    {Opcode::kFloor, Unary},
    {Opcode::kRoundNearestAfz, Unary},
    {Opcode::kRoundNearestEven, Unary},
    {Opcode::kIsFinite, Unary},
    {Opcode::kReducePrecision, Unary},
    {Opcode::kCopy,
     [](HloBody& body, Opcode opcode) { return body.Add(opcode, {body.Array(kAnyType)}); }},
    {Opcode::kReal, Unary, false},
    {Opcode::kImag, Unary, false},
    {Opcode::kComplex, Complex, false},
    {Opcode::kCompare, Compare},
    {Opcode::kConvert, Convert},
    {Opcode::kClamp, Clamp},
    {Opcode::kSelect, Select},
};

}  // namespace

llvm::ArrayRef<GraphOp> ElementwiseGraphOps() { return kOps; }

}  // namespace affirm::fuzz
