// MLIR types of HLO types, constants, and the form in which elements are stored.
#include "emit/elements/scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/BuiltinTypes.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using hlo::PrimitiveType;
using mlir::Value;

namespace {

// A constant whose pattern lies at `at`. Small floats stay patterns: the one that has no zero is
// better not printed as a number.
Value FloatFromBytes(Builder& b, mlir::Type type, const uint8_t* at) {
  unsigned width = type.getIntOrFloatBitWidth();
  uint64_t bits = 0;
  std::memcpy(&bits, at, (width + 7) / 8);
  if (width <= 8) {
    return FromBits(b, IntConstant(b, b.getIntegerType(width), static_cast<int64_t>(bits)), type);
  }
  auto format = mlir::cast<mlir::FloatType>(type);
  llvm::APFloat number(format.getFloatSemantics(), llvm::APInt(width, bits));
  return arith::ConstantOp::create(b, b.getFloatAttr(type, number));
}

}  // namespace

mlir::Type ValueType(mlir::MLIRContext* context, PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kF16:
      return mlir::Float16Type::get(context);
    case PrimitiveType::kBF16:
      return mlir::BFloat16Type::get(context);
    case PrimitiveType::kF32:
      return mlir::Float32Type::get(context);
    case PrimitiveType::kF64:
      return mlir::Float64Type::get(context);
    case PrimitiveType::kF8E5M2:
      return mlir::Float8E5M2Type::get(context);
    case PrimitiveType::kF8E4M3:
      return mlir::Float8E4M3Type::get(context);
    case PrimitiveType::kF8E4M3FN:
      return mlir::Float8E4M3FNType::get(context);
    case PrimitiveType::kF8E4M3B11FNUZ:
      return mlir::Float8E4M3B11FNUZType::get(context);
    case PrimitiveType::kF8E5M2FNUZ:
      return mlir::Float8E5M2FNUZType::get(context);
    case PrimitiveType::kF8E4M3FNUZ:
      return mlir::Float8E4M3FNUZType::get(context);
    case PrimitiveType::kF8E3M4:
      return mlir::Float8E3M4Type::get(context);
    case PrimitiveType::kF8E8M0FNU:
      return mlir::Float8E8M0FNUType::get(context);
    case PrimitiveType::kF4E2M1FN:
      return mlir::Float4E2M1FNType::get(context);
    case PrimitiveType::kC64:
      return mlir::ComplexType::get(mlir::Float32Type::get(context));
    case PrimitiveType::kC128:
      return mlir::ComplexType::get(mlir::Float64Type::get(context));
    case PrimitiveType::kPred:
      return mlir::IntegerType::get(context, 1);
    default:
      // A one-bit integer would be mistaken for pred.
      if (!hlo::IsInt(type) || hlo::BitWidth(type) < 2) return {};
      return mlir::IntegerType::get(context, hlo::BitWidth(type));
  }
}

mlir::Type StorageType(mlir::MLIRContext* context, PrimitiveType type) {
  mlir::Type value = ValueType(context, type);
  if (!value) return {};
  if (hlo::IsComplex(type)) return mlir::IntegerType::get(context, hlo::BitWidth(type));
  bool small = value.getIntOrFloatBitWidth() < 8 ||
               (hlo::IsFloat(type) && value.getIntOrFloatBitWidth() == 8);
  return small ? mlir::IntegerType::get(context, 8) : value;
}

Value ToStorage(Builder& b, Value value, PrimitiveType type) {
  mlir::Type storage = StorageType(b.getContext(), type);
  if (storage == value.getType()) return value;
  value = ToBits(b, value);
  if (storage == value.getType()) return value;
  if (hlo::IsSignedInt(type)) return arith::ExtSIOp::create(b, storage, value);
  return arith::ExtUIOp::create(b, storage, value);
}

Value FromStorage(Builder& b, Value stored, PrimitiveType type) {
  mlir::Type value = ValueType(b.getContext(), type);
  if (stored.getType() == value) return stored;
  mlir::Type bits = b.getIntegerType(hlo::BitWidth(type));
  if (stored.getType() != bits) stored = arith::TruncIOp::create(b, bits, stored);
  return FromBits(b, stored, value);
}

Value ToBits(Builder& b, Value value) {
  mlir::Type type = value.getType();
  if (type.isInteger()) return value;
  if (!IsComplex(type)) {
    return arith::BitcastOp::create(b, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
  }
  Value real = ToBits(b, Real(b, value)), imag = ToBits(b, Imag(b, value));
  int64_t part = real.getType().getIntOrFloatBitWidth();
  mlir::Type both = b.getIntegerType(2 * part);
  Value high =
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, both, imag), IntConstant(b, both, part));
  return arith::OrIOp::create(b, high, arith::ExtUIOp::create(b, both, real));
}

Value FromBits(Builder& b, Value bits, mlir::Type type) {
  if (type == bits.getType()) return bits;
  if (!IsComplex(type)) return arith::BitcastOp::create(b, type, bits);
  mlir::Type element = mlir::cast<mlir::ComplexType>(type).getElementType();
  mlir::Type part = b.getIntegerType(element.getIntOrFloatBitWidth());
  Value half = IntConstant(b, bits.getType(), element.getIntOrFloatBitWidth());
  Value real = arith::TruncIOp::create(b, part, bits);
  Value imag = arith::TruncIOp::create(b, part, arith::ShRUIOp::create(b, bits, half));
  return MakeComplex(b, FromBits(b, real, element), FromBits(b, imag, element));
}

Value Reinterpreted(Builder& b, Value value, PrimitiveType type) {
  mlir::Type to = ValueType(b.getContext(), type);
  return value.getType() == to ? value : FromBits(b, ToBits(b, value), to);
}

bool IsComplex(mlir::Type type) { return mlir::isa<mlir::ComplexType>(type); }

Value Real(Builder& b, Value z) { return mlir::complex::ReOp::create(b, z); }
Value Imag(Builder& b, Value z) { return mlir::complex::ImOp::create(b, z); }

Value MakeComplex(Builder& b, Value real, Value imag) {
  return mlir::complex::CreateOp::create(b, mlir::ComplexType::get(real.getType()), real, imag);
}

Value ZeroConstant(Builder& b, PrimitiveType type) {
  // All bits zero mean zero in every type that has one.
  Value bits = IntConstant(b, b.getIntegerType(hlo::BitWidth(type)), 0);
  return FromBits(b, bits, ValueType(b.getContext(), type));
}

Value IntConstant(Builder& b, mlir::Type type, int64_t value) {
  llvm::APInt bits(64, static_cast<uint64_t>(value));
  bits = bits.sextOrTrunc(type.getIntOrFloatBitWidth());
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, bits));
}

Value FloatConstant(Builder& b, mlir::Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value IndexConstant(Builder& b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value LiteralConstant(Builder& b, const hlo::Literal& literal, int64_t linear) {
  PrimitiveType type = literal.shape().type;
  mlir::Type value = ValueType(b.getContext(), type);
  if (!hlo::IsFloat(type) && !hlo::IsComplex(type)) {
    return IntConstant(b, value, literal.GetInt(linear));
  }
  // The bits are kept, NaN payloads included.
  const uint8_t* at = literal.data() + linear * hlo::ByteWidth(type);
  if (hlo::IsComplex(type)) {
    mlir::Type part = mlir::cast<mlir::ComplexType>(value).getElementType();
    return MakeComplex(b, FloatFromBytes(b, part, at),
                       FloatFromBytes(b, part, at + hlo::ByteWidth(type) / 2));
  }
  return FloatFromBytes(b, value, at);
}

}  // namespace affirm::emit
