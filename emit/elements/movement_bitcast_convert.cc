// An element of a bitcast-convert: the bits of one element, a part of them, or of several elements.
#include "emit/elements/node_emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using mlir::Value;
using Values = NodeEmitter::Values;

// A narrower type has one more, minor-most dimension: its elements are the parts of a wide one, low
// bits first.
llvm::Expected<Values> NodeEmitter::EmitBitcastConvert(int64_t node) {
  const hlo::Instruction& op = instruction(node);
  hlo::PrimitiveType from = op.operands[0]->shape.type, to = op.shape.type;
  if (hlo::BitWidth(from) == hlo::BitWidth(to)) return EmitElementwiseNode(node);
  if (!plan(node).operands[0].read) return Values{Zero(to)};
  mlir::Type type = ValueType(b_.getContext(), to);
  bool joins = hlo::BitWidth(from) < hlo::BitWidth(to);
  mlir::Type wide = b_.getIntegerType(hlo::BitWidth(joins ? to : from));
  int64_t part = hlo::BitWidth(joins ? from : to);
  auto distance = [&](SymbolicExpr number, int64_t scope) -> Value {
    Value index = index_.Emit(number, Domain(scope));
    Value count = arith::IndexCastOp::create(b_, b_.getI64Type(), index);
    Value bits = arith::MulIOp::create(b_, count, IntConstant(b_, b_.getI64Type(), part));
    if (wide.getIntOrFloatBitWidth() < 64) return arith::TruncIOp::create(b_, wide, bits);
    return wide == bits.getType() ? bits : arith::ExtUIOp::create(b_, wide, bits);
  };
  if (!joins) {
    llvm::Expected<Value> element = Element(node, 0);
    if (!element) return element.takeError();
    Value shift = distance(plan(node).index.back(), plan(node).scope);
    Value bits = arith::ShRUIOp::create(b_, ToBits(b_, *element), shift);
    bits = arith::TruncIOp::create(b_, b_.getIntegerType(part), bits);
    return Values{FromBits(b_, bits, type)};
  }
  Values none{IntConstant(b_, wide, 0)};
  const LoopVariable& loop = plan(node).loops.front();
  auto step = [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    int64_t scope = plan(node).operands[0].scope;
    if (llvm::Error error = EmitScope(scope)) return error;
    llvm::Expected<Value> element = Element(node, 0);
    if (!element) return element.takeError();
    Value bits = arith::ExtUIOp::create(b_, wide, ToBits(b_, *element));
    bits = arith::ShLIOp::create(b_, bits, distance(parts_.context.Dim(loop.dim), scope));
    return Values{arith::OrIOp::create(b_, acc.front(), bits)};
  };
  llvm::Expected<Values> joined = LoopNest(loop, none, step);
  if (!joined) return joined.takeError();
  return Values{FromBits(b_, joined->front(), type)};
}

}  // namespace affirm::emit
