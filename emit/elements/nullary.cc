// Elements that are emitted anew at each use: of parameters, constants and iotas.
#include <cstring>

#include "emit/elements/node_emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using hlo::Instruction;
using hlo::Opcode;
using mlir::Value;

llvm::Expected<Value> NodeEmitter::EmitRematerialized(ValueRef value, const Index& index,
                                                      int64_t scope) {
  const FlatNode& node = parts_.graph.nodes[value.node];
  const Instruction& op = *node.instruction;
  const hlo::Shape& shape = parts_.graph.shape(value);
  if (!ValueType(b_.getContext(), shape.type)) {
    return Unsupported(op, "the type " + shape.ToString() + " has no emission");
  }
  if (node.is_parameter()) {
    llvm::SmallVector<Value> indices;
    for (SymbolicExpr e : index) indices.push_back(index_.Emit(e, Domain(scope)));
    Value buffer = Array(node.buffer + value.leaf);
    Value stored = mlir::tensor::ExtractOp::create(b_, buffer, indices);
    return FromStorage(b_, stored, shape.type);
  }
  if (op.opcode == Opcode::kIota) {
    size_t dim = op.attributes.dimensions.empty() ? 0 : op.attributes.dimensions.front();
    if (dim >= index.size()) return Unsupported(op, "it has no such dimension");
    return ConvertIndex(b_, index_.Emit(index[dim], Domain(scope)), shape.type);
  }
  if (op.opcode == Opcode::kGetDimensionSize) return EmitGetDimensionSize(op);
  return EmitConstant(op, index, scope);
}

llvm::Expected<Value> NodeEmitter::EmitConstant(const Instruction& constant, const Index& index,
                                                int64_t scope) {
  if (!constant.literal) return Unsupported(constant, "its value was elided from the text");
  const hlo::Literal& literal = *constant.literal;
  llvm::ArrayRef<uint8_t> bytes = literal.bytes();
  size_t width = hlo::ByteWidth(literal.shape().type);
  if (bytes.size() < width) return Zero(literal.shape().type);  // no element is ever read
  bool splat = true;
  for (size_t at = width; splat && at < bytes.size(); at += width) {
    splat = std::memcmp(bytes.data(), bytes.data() + at, width) == 0;
  }
  if (splat) return ScalarLiteral(literal, 0);
  mlir::RankedTensorType type = BufferType(b_.getContext(), literal.shape());
  llvm::ArrayRef<char> raw(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Value array = arith::ConstantOp::create(b_, mlir::DenseElementsAttr::getFromRawBuffer(type, raw));
  llvm::SmallVector<Value> indices;
  for (SymbolicExpr e : index) indices.push_back(index_.Emit(e, Domain(scope)));
  Value stored = mlir::tensor::ExtractOp::create(b_, array, indices);
  return FromStorage(b_, stored, literal.shape().type);
}

Value NodeEmitter::ScalarLiteral(const hlo::Literal& literal, int64_t linear) {
  hlo::PrimitiveType type = literal.shape().type;
  if (parts_.fault.delta != 0 && type != hlo::PrimitiveType::kPred) {
    hlo::Literal faulty(hlo::Shape::Array(type, {}));
    if (hlo::IsFloat(type)) {
      faulty.SetFloat(0, literal.GetFloat(linear) + static_cast<double>(parts_.fault.delta));
    } else {
      uint64_t sum =
          static_cast<uint64_t>(literal.GetInt(linear)) + static_cast<uint64_t>(parts_.fault.delta);
      faulty.SetInt(0, static_cast<int64_t>(sum));
    }
    // If the fault does not change the constant (an infinity), the next constant takes it.
    size_t width = hlo::ByteWidth(type);
    if (std::memcmp(faulty.data(), literal.data() + linear * width, width) != 0) {
      parts_.fault.delta = 0;
      return LiteralConstant(b_, faulty, 0);
    }
  }
  return LiteralConstant(b_, literal, linear);
}

}  // namespace affirm::emit
