// Ops whose elements need a loop or a branch.
#include "core/hlo/attribute_rules.h"
#include "emit/node_emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace affirm::emit {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;
using Values = NodeEmitter::Values;

Value NodeEmitter::Conditions(int64_t node, int64_t first, int64_t count) {
  Value all;
  for (int64_t k = first; k < first + count; ++k) {
    for (const Constraint& condition : plan(node).operands[k].conditions) {
      // Asked outside of the scope that the condition guards.
      Value holds = index_.EmitWithin(condition.expr, condition.bounds, Domain(plan(node).scope));
      all = all ? Value(arith::AndIOp::create(b_, all, holds)) : holds;
    }
  }
  return all;
}

llvm::Expected<Values> NodeEmitter::Branch(Value condition, mlir::TypeRange types, Body then_body,
                                           Body else_body) {
  auto branch = scf::IfOp::create(b_, types, condition, /*withElseRegion=*/true);
  auto fill = [&](mlir::Region& region, Body body) -> llvm::Error {
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&region.front());
    index_.Enter();
    llvm::Expected<Values> values = body();
    index_.Leave();
    if (!values) return values.takeError();
    scf::YieldOp::create(b_, *values);
    return llvm::Error::success();
  };
  if (llvm::Error error = fill(branch.getThenRegion(), then_body)) return error;
  if (llvm::Error error = fill(branch.getElseRegion(), else_body)) return error;
  return Values(branch.getResults());
}

llvm::Expected<Values> NodeEmitter::LoopNest(
    llvm::ArrayRef<LoopVariable> loops, mlir::ValueRange init,
    llvm::function_ref<llvm::Expected<Values>(mlir::ValueRange)> body) {
  if (loops.empty()) return body(init);
  const LoopVariable& variable = loops.front();
  auto loop =
      scf::ForOp::create(b_, IndexConstant(b_, variable.bounds.lower),
                         IndexConstant(b_, variable.bounds.upper + 1), IndexConstant(b_, 1), init);
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(loop.getBody());
  index_.Enter();
  index_.SetDim(variable.dim, loop.getInductionVar());
  llvm::Expected<Values> next = LoopNest(loops.drop_front(), loop.getRegionIterArgs(), body);
  index_.Leave();
  if (!next) return next.takeError();
  scf::YieldOp::create(b_, *next);
  return Values(loop.getResults());
}

llvm::Expected<Values> NodeEmitter::EmitReduce(int64_t node) {
  const hlo::Instruction& op = instruction(node);
  if (op.called.size() != 1) return Unsupported(op, "it must call one computation");
  auto inputs = static_cast<int64_t>(op.operands.size() / 2);
  Values init;
  bool empty = false;
  for (int64_t k = 0; k < inputs; ++k) {
    llvm::Expected<Value> value = Element(node, inputs + k);
    if (!value) return value.takeError();
    init.push_back(*value);
    empty |= !plan(node).operands[k].read;
  }
  if (empty) return init;
  auto step = [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    llvm::SmallVector<Value> arguments(acc.begin(), acc.end());
    if (llvm::Error error = EmitScope(plan(node).operands[0].scope)) return error;
    for (int64_t k = 0; k < inputs; ++k) {
      llvm::Expected<Value> element = Element(node, k);
      if (!element) return element.takeError();
      arguments.push_back(*element);
    }
    return InlineScalar(*op.called.front(), arguments);
  };
  return LoopNest(plan(node).loops, init, [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    Value inside = Conditions(node, 0, inputs);
    if (!inside) return step(acc);
    // A window skips what lies outside of the operand.
    return Branch(
        inside, acc.getTypes(), [&] { return step(acc); },
        [&]() -> llvm::Expected<Values> { return Values(acc.begin(), acc.end()); });
  });
}

// Sums of products, taken in the accumulation type and rounded to the result's once: f64 when it or
// an operand is, else f32 for floats.
llvm::Expected<Values> NodeEmitter::EmitContraction(int64_t node) {
  const hlo::Instruction& op = instruction(node);
  const std::string unmodeled = hlo::UnmodeledAttribute(op);
  if (!unmodeled.empty()) return Unsupported(op, "its values depend on " + unmodeled);
  hlo::PrimitiveType type = op.shape.type;
  if (hlo::IsFloat(type)) {
    bool is_double = type == hlo::PrimitiveType::kF64;
    for (const hlo::Instruction* operand : op.operands) {
      is_double |= operand->shape.type == hlo::PrimitiveType::kF64;
    }
    type = is_double ? hlo::PrimitiveType::kF64 : hlo::PrimitiveType::kF32;
  }
  Values zero{Zero(type)};
  if (!plan(node).operands[0].read || !plan(node).operands[1].read) {
    return Values{Zero(op.shape.type)};
  }
  auto step = [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    if (llvm::Error error = EmitScope(plan(node).operands[0].scope)) return error;
    llvm::SmallVector<Value, 2> factors;
    for (int64_t k = 0; k < 2; ++k) {
      llvm::Expected<Value> element = Element(node, k);
      if (!element) return element.takeError();
      factors.push_back(Convert(b_, *element, op.operands[k]->shape.type, type));
    }
    Value product = Multiply(b_, factors[0], factors[1]);
    if (type == hlo::PrimitiveType::kPred) {
      return Values{arith::OrIOp::create(b_, acc[0], product)};
    }
    return Values{Add(b_, acc[0], product)};
  };
  auto sum = LoopNest(plan(node).loops, zero, [&](mlir::ValueRange acc) -> llvm::Expected<Values> {
    Value inside = Conditions(node, 0, 2);
    if (!inside) return step(acc);
    return Branch(
        inside, acc.getTypes(), [&] { return step(acc); },
        [&]() -> llvm::Expected<Values> { return Values(acc.begin(), acc.end()); });
  });
  if (!sum) return sum.takeError();
  return Values{Convert(b_, sum->front(), type, op.shape.type)};
}

llvm::Expected<Values> NodeEmitter::EmitPad(int64_t node) {
  llvm::Expected<Value> padding = Element(node, 1);
  if (!padding) return padding.takeError();
  if (!plan(node).operands[0].read) return Values{*padding};
  Value inside = Conditions(node, 0, 1);
  if (!inside) return ScopedElement(node, 0);
  return Branch(
      inside, padding->getType(), [&] { return ScopedElement(node, 0); },
      [&]() -> llvm::Expected<Values> { return Values{*padding}; });
}

llvm::Expected<Values> NodeEmitter::EmitConcatenate(int64_t node) {
  // One branch after the other instead of nested ones: exactly one of them is taken.
  Values value{Zero(instruction(node).shape.type)};
  for (size_t k = 0; k < plan(node).operands.size(); ++k) {
    if (!plan(node).operands[k].read) continue;
    Value inside = Conditions(node, static_cast<int64_t>(k), 1);
    auto element = [&] { return ScopedElement(node, static_cast<int64_t>(k)); };
    llvm::Expected<Values> next = inside ? Branch(inside, value.front().getType(), element,
                                                  [&]() -> llvm::Expected<Values> { return value; })
                                         : element();
    if (!next) return next.takeError();
    value = std::move(*next);
  }
  return value;
}

llvm::Expected<Values> NodeEmitter::EmitDynamicUpdateSlice(int64_t node) {
  if (!plan(node).operands[1].read) return ScopedElement(node, 0);
  Value inside = Conditions(node, 1, 1);
  if (!inside) return ScopedElement(node, 1);
  mlir::Type type = ValueType(b_.getContext(), instruction(node).shape.type);
  return Branch(
      inside, type, [&] { return ScopedElement(node, 1); }, [&] { return ScopedElement(node, 0); });
}

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
