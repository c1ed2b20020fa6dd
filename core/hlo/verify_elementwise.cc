// Shape rules of the elementwise operations, map among them.

#include "core/hlo/shape_inference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;

// The classes of element types that an operation takes.
enum TypeMask : unsigned { kPredicate = 1, kInteger = 2, kReal = 4, kComplexNumber = 8 };
constexpr unsigned kAnyType = kPredicate | kInteger | kReal | kComplexNumber;

unsigned MaskOf(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return kPredicate;
  if (IsInt(type)) return kInteger;
  if (IsFloat(type)) return kReal;
  if (IsComplex(type)) return kComplexNumber;
  return 0;
}

llvm::Error CheckType(const Instruction& instruction, int64_t operand, unsigned allowed) {
  if (llvm::Error error = CheckArray(instruction, operand)) return error;
  const PrimitiveType type = Operand(instruction, operand).type;
  if ((MaskOf(type) & allowed) != 0) return llvm::Error::success();
  return Violation("expected operand " + llvm::Twine(operand) + " of " + instruction.opcode_text +
                   " to have another element type than " + Name(type));
}

Shape WithType(Shape shape, PrimitiveType type) {
  shape.type = type;
  shape.layout.reset();
  return shape;
}

template <unsigned kAllowed>
Expected Unary(const Instruction& instruction) {
  if (llvm::Error error = CheckType(instruction, 0, kAllowed)) return error;
  const Shape& operand = Operand(instruction, 0);
  return WithType(operand, operand.type);
}

PrimitiveType PartOf(PrimitiveType type) {
  return type == PrimitiveType::kC64    ? PrimitiveType::kF32
         : type == PrimitiveType::kC128 ? PrimitiveType::kF64
                                        : type;
}

// abs, real, imag: a complex number to a part or magnitude.
Expected RealPart(const Instruction& instruction) {
  if (llvm::Error error = CheckType(instruction, 0, kInteger | kReal | kComplexNumber))
    return error;
  const Shape& operand = Operand(instruction, 0);
  return WithType(operand, PartOf(operand.type));
}

Expected IsFinite(const Instruction& instruction) {
  if (llvm::Error error = CheckType(instruction, 0, kReal | kComplexNumber)) return error;
  return WithType(Operand(instruction, 0), PrimitiveType::kPred);
}

// The element type is the written one.
Expected Convert(const Instruction& instruction) {
  if (llvm::Error error = CheckType(instruction, 0, kAnyType)) return error;
  Expected written = WrittenShape(instruction);
  if (!written) return written.takeError();
  if (!written->IsArray()) return Violation("expected a conversion to an array");
  return WithType(Operand(instruction, 0), written->type);
}

Expected ReducePrecision(const Instruction& instruction) {
  const Attributes& a = instruction.attributes;
  if (a.exponent_bits < 1 || a.mantissa_bits < 0) {
    return Violation("expected exponent_bits of at least 1 and mantissa_bits of at least 0");
  }
  return Unary<kReal>(instruction);
}

llvm::Error CheckSameOperands(const Instruction& instruction) {
  const Shape& first = Operand(instruction, 0);
  for (size_t i = 1; i < instruction.operands.size(); ++i) {
    const Shape& other = Operand(instruction, i);
    if (!CompatibleUpToPrecision(first, other)) {
      return Violation("expected operands of " + instruction.opcode_text +
                       " with the same shape, found " + first.ToString(false) + " and " +
                       other.ToString(false));
    }
  }
  return llvm::Error::success();
}

template <unsigned kAllowed>
Expected Binary(const Instruction& instruction) {
  if (llvm::Error error = CheckType(instruction, 0, kAllowed)) return error;
  if (llvm::Error error = CheckSameOperands(instruction)) return error;
  const Shape& operand = Operand(instruction, 0);
  return WithType(operand, operand.type);
}

// Whether the operands can be compared as numbers of that kind; the default is what their type
// says.
bool SuitsComparison(llvm::StringRef kind, PrimitiveType type) {
  if (kind.empty()) return true;
  if (kind == "TOTALORDER") return IsFloat(type);
  if (IsFloat(type) || IsComplex(type)) return kind == "FLOAT";
  return kind == (IsSignedInt(type) ? "SIGNED" : "UNSIGNED");
}

Expected Compare(const Instruction& instruction) {
  const Attributes& a = instruction.attributes;
  static constexpr llvm::StringLiteral kDirections[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  static constexpr llvm::StringLiteral kTypes[] = {"", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  if (!llvm::is_contained(kDirections, llvm::StringRef(a.comparison_direction))) {
    return Violation("expected direction=EQ, NE, GE, GT, LE or LT, found '" +
                     a.comparison_direction + "'");
  }
  if (!llvm::is_contained(kTypes, llvm::StringRef(a.comparison_type))) {
    return Violation("expected type=FLOAT, TOTALORDER, SIGNED or UNSIGNED, found '" +
                     a.comparison_type + "'");
  }
  if (llvm::Error error = CheckType(instruction, 0, kAnyType)) return error;
  if (llvm::Error error = CheckSameOperands(instruction)) return error;
  if (!SuitsComparison(a.comparison_type, Operand(instruction, 0).type)) {
    return Violation("expected a type of comparison that suits " +
                     Operand(instruction, 0).ToString(false) + ", found " + a.comparison_type);
  }
  return WithType(Operand(instruction, 0), PrimitiveType::kPred);
}

Expected Complex(const Instruction& instruction) {
  if (llvm::Error error = CheckType(instruction, 0, kReal)) return error;
  if (llvm::Error error = CheckSameOperands(instruction)) return error;
  const Shape& part = Operand(instruction, 0);
  if (part.type != PrimitiveType::kF32 && part.type != PrimitiveType::kF64) {
    return Violation("expected the parts of complex to be f32 or f64, found " + Name(part.type));
  }
  return WithType(part,
                  part.type == PrimitiveType::kF32 ? PrimitiveType::kC64 : PrimitiveType::kC128);
}

Expected Clamp(const Instruction& instruction) {
  const Shape& operand = Operand(instruction, 1);
  for (int64_t i = 0; i < 3; ++i) {
    if (llvm::Error error = CheckType(instruction, i, kAnyType)) return error;
    const Shape& bound = Operand(instruction, i);
    const bool fits = SameTypeUpToPrecision(bound.type, operand.type) &&
                      (bound.rank() == 0 || SameSizes(bound.dims, operand.dims));
    if (!fits) {
      return Violation("expected a scalar or the shape " + operand.ToString(false) +
                       " as a bound of clamp, found " + bound.ToString(false));
    }
  }
  return WithType(operand, operand.type);
}

// The values may be tuples when the predicate is a scalar.
Expected Select(const Instruction& instruction) {
  const Shape& predicate = Operand(instruction, 0);
  const Shape& on_true = Operand(instruction, 1);
  if (predicate.type != PrimitiveType::kPred) {
    return Violation("expected a pred as first operand of select, found " +
                     predicate.ToString(false));
  }
  if (!CompatibleUpToPrecision(on_true, Operand(instruction, 2))) {
    return Violation("expected values of select with the same shape, found " +
                     on_true.ToString(false) + " and " + Operand(instruction, 2).ToString(false));
  }
  if (predicate.rank() != 0 && (!on_true.IsArray() || !SameSizes(predicate.dims, on_true.dims))) {
    return Violation("expected a predicate of select that is a scalar or has the sizes of " +
                     on_true.ToString(false) + ", found " + predicate.ToString(false));
  }
  return on_true;
}

// Random bits as wide as the operand; the element type is the written one.
Expected StochasticConvert(const Instruction& instruction) {
  if (llvm::Error error = CheckType(instruction, 0, kReal)) return error;
  if (llvm::Error error = CheckType(instruction, 1, kInteger)) return error;
  if (!SameSizes(Operand(instruction, 0).dims, Operand(instruction, 1).dims)) {
    return Violation("expected operands of stochastic-convert with the same sizes");
  }
  return Convert(instruction);
}

// Scalar parameters, one for each operand, whose elements it maps.
Expected Map(const Instruction& instruction) {
  if (llvm::Error error = CheckCallees(instruction, 1)) return error;
  const Computation& callee = *instruction.called[0];
  if (instruction.operands.empty()) return Violation("expected at least 1 operand of map");
  if (llvm::Error error = CheckParameterCount(callee, instruction.operands.size())) return error;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (llvm::Error error = CheckArray(instruction, static_cast<int64_t>(i))) return error;
    const Shape& operand = Operand(instruction, i);
    if (!SameSizes(operand.dims, Operand(instruction, 0).dims)) {
      return Violation("expected operands of map of one size");
    }
    if (llvm::Error error =
            CheckBinding(callee, static_cast<int64_t>(i), Shape::Array(operand.type, {}))) {
      return error;
    }
  }
  if (!callee.root->shape.IsScalar()) {
    return Violation("expected a scalar from computation " + callee.name + ", found " +
                     callee.root->shape.ToString(false));
  }
  return Shape::Array(callee.root->shape.type, Operand(instruction, 0).dims);
}

constexpr unsigned kNumber = kInteger | kReal | kComplexNumber;
constexpr unsigned kFloating = kReal | kComplexNumber;
constexpr unsigned kBits = kPredicate | kInteger;

// A copy also takes tuples and tokens.
Expected Copy(const Instruction& instruction) { return Operand(instruction, 0); }

constexpr OpcodeRule kElementwiseRules[] = {
    {Opcode::kCopy, Copy},
    {Opcode::kAbs, RealPart},
    {Opcode::kAcos, Unary<kFloating>},
    {Opcode::kAcosh, Unary<kFloating>},
    {Opcode::kAsin, Unary<kFloating>},
    {Opcode::kAsinh, Unary<kFloating>},
    {Opcode::kAtanh, Unary<kFloating>},
    {Opcode::kCbrt, Unary<kFloating>},
    {Opcode::kCeil, Unary<kReal>},
    {Opcode::kConvert, Convert},
    {Opcode::kCosh, Unary<kFloating>},
    {Opcode::kCosine, Unary<kFloating>},
    {Opcode::kCountLeadingZeros, Unary<kInteger>},
    {Opcode::kErf, Unary<kReal>},
    {Opcode::kExponential, Unary<kFloating>},
    {Opcode::kExponentialMinusOne, Unary<kFloating>},
    {Opcode::kFloor, Unary<kReal>},
    {Opcode::kImag, RealPart},
    {Opcode::kIsFinite, IsFinite},
    {Opcode::kLog, Unary<kFloating>},
    {Opcode::kLogPlusOne, Unary<kFloating>},
    {Opcode::kLogistic, Unary<kFloating>},
    {Opcode::kNegate, Unary<kNumber>},
    {Opcode::kNot, Unary<kBits>},
    {Opcode::kPopcnt, Unary<kInteger>},
    {Opcode::kReal, RealPart},
    {Opcode::kReducePrecision, ReducePrecision},
    {Opcode::kRoundNearestAfz, Unary<kReal>},
    {Opcode::kRoundNearestEven, Unary<kReal>},
    {Opcode::kRsqrt, Unary<kFloating>},
    {Opcode::kSign, Unary<kNumber>},
    {Opcode::kSine, Unary<kFloating>},
    {Opcode::kSinh, Unary<kFloating>},
    {Opcode::kSqrt, Unary<kFloating>},
    {Opcode::kTan, Unary<kFloating>},
    {Opcode::kTanh, Unary<kFloating>},
    {Opcode::kAdd, Binary<kAnyType>},
    {Opcode::kAnd, Binary<kBits>},
    {Opcode::kAtan2, Binary<kFloating>},
    {Opcode::kCompare, Compare},
    {Opcode::kComplex, Complex},
    {Opcode::kDivide, Binary<kNumber>},
    {Opcode::kMaximum, Binary<kAnyType>},
    {Opcode::kMinimum, Binary<kAnyType>},
    {Opcode::kMultiply, Binary<kAnyType>},
    {Opcode::kOr, Binary<kBits>},
    {Opcode::kPower, Binary<kNumber>},
    {Opcode::kRemainder, Binary<kNumber>},
    {Opcode::kShiftLeft, Binary<kInteger>},
    {Opcode::kShiftRightArithmetic, Binary<kInteger>},
    {Opcode::kShiftRightLogical, Binary<kInteger>},
    {Opcode::kStochasticConvert, StochasticConvert},
    {Opcode::kSubtract, Binary<kNumber>},
    {Opcode::kXor, Binary<kBits>},
    {Opcode::kClamp, Clamp},
    {Opcode::kMap, Map},
    {Opcode::kSelect, Select},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> ElementwiseRules() { return kElementwiseRules; }

}  // namespace affirm::hlo
