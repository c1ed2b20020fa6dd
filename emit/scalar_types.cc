#include "emit/scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using hlo::PrimitiveType;
using mlir::Value;

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
  if (value && value.isInteger() && value.getIntOrFloatBitWidth() < 8) {
    return mlir::IntegerType::get(context, 8);
  }
  return value;
}

Value ToStorage(Builder& b, Value value, PrimitiveType type) {
  mlir::Type storage = StorageType(b.getContext(), type);
  if (storage == value.getType()) return value;
  if (hlo::IsSignedInt(type)) return arith::ExtSIOp::create(b, storage, value);
  return arith::ExtUIOp::create(b, storage, value);
}

Value FromStorage(Builder& b, Value stored, PrimitiveType type) {
  mlir::Type value = ValueType(b.getContext(), type);
  if (stored.getType() == value) return stored;
  return arith::TruncIOp::create(b, value, stored);
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
  if (!hlo::IsFloat(type)) return IntConstant(b, value, literal.GetInt(linear));
  // The bits are kept, NaN payloads included.
  int width = hlo::ByteWidth(type);
  uint64_t bits = 0;
  std::memcpy(&bits, literal.data() + linear * width, width);
  const llvm::fltSemantics& semantics = mlir::cast<mlir::FloatType>(value).getFloatSemantics();
  llvm::APFloat number(semantics, llvm::APInt(8 * width, bits));
  return arith::ConstantOp::create(b, b.getFloatAttr(value, number));
}

Value Widen(Builder& b, Value value) {
  if (!mlir::isa<mlir::FloatType>(value.getType())) return value;
  if (value.getType().getIntOrFloatBitWidth() >= 32) return value;
  return arith::ExtFOp::create(b, b.getF32Type(), value);
}

Value Narrow(Builder& b, Value value, mlir::Type type) {
  if (value.getType() == type) return value;
  return arith::TruncFOp::create(b, type, value);
}

}  // namespace affirm::emit
