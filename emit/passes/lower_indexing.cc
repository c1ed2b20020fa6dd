#include "core/simplify/simplify.h"
#include "emit/passes/pass_base.h"
#include "emit/passes/passes.h"
#include "emit/scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using mlir::Value;
using Predicate = arith::CmpIPredicate;

class IndexArithmetic {
 public:
  IndexArithmetic(Builder& b, const IndexingMap& domain, mlir::ValueRange dims)
      : b_(b), domain_(domain), dims_(dims) {}

  Value Emit(SymbolicExpr e) {
    Value& known = values_[e];
    if (known) return known;
    Value value = Build(e);
    return values_[e] = value;
  }

 private:
  bool AtLeast(SymbolicExpr e, int64_t bound) const {
    if (e.IsConstant()) return e.value() >= bound;
    return domain_.RangeOf(e).Within({bound, kInt64Max});
  }
  Value Constant(int64_t value) { return IndexConstant(b_, value); }
  template <typename Op>
  Value Fold(llvm::ArrayRef<Value> operands) {
    Value result = operands.front();
    for (Value operand : operands.drop_front()) result = Op::create(b_, result, operand);
    return result;
  }
  Value Build(SymbolicExpr e);
  Value FloorDiv(Value n, Value d, bool simple);
  Value Mod(Value n, Value m, bool simple);

  Builder& b_;
  const IndexingMap& domain_;
  mlir::ValueRange dims_;
  llvm::DenseMap<SymbolicExpr, Value> values_;
};

Value IndexArithmetic::Build(SymbolicExpr e) {
  llvm::SmallVector<Value> ops;
  for (SymbolicExpr op : e.ops()) ops.push_back(Emit(op));
  switch (e.kind()) {
    case ExprKind::kConstant:
      return Constant(e.value());
    case ExprKind::kVariable:
      return dims_[e.value()];
    case ExprKind::kAdd: {
      Value sum = Fold<arith::AddIOp>(ops);
      return e.value() == 0 ? sum : Value(arith::AddIOp::create(b_, sum, Constant(e.value())));
    }
    case ExprKind::kMul: {
      Value product = Fold<arith::MulIOp>(ops);
      if (e.value() == 1) return product;
      return arith::MulIOp::create(b_, product, Constant(e.value()));
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kMod: {
      bool simple = AtLeast(e.op(0), 0) && AtLeast(e.op(1), 1);
      return e.kind() == ExprKind::kMod ? Mod(ops[0], ops[1], simple)
                                        : FloorDiv(ops[0], ops[1], simple);
    }
    case ExprKind::kCeilDiv: {
      // ceildiv(n, d) = -floordiv(-n, d)
      Value minus_n = arith::SubIOp::create(b_, Constant(0), ops[0]);
      return arith::SubIOp::create(b_, Constant(0), FloorDiv(minus_n, ops[1], false));
    }
    case ExprKind::kMin:
      return Fold<arith::MinSIOp>(ops);
    case ExprKind::kMax:
      return Fold<arith::MaxSIOp>(ops);
  }
  return {};
}

Value IndexArithmetic::FloorDiv(Value n, Value d, bool simple) {
  if (simple) return arith::DivUIOp::create(b_, n, d);
  Value zero = Constant(0);
  Value q = arith::DivSIOp::create(b_, n, d);
  Value r = arith::RemSIOp::create(b_, n, d);
  Value inexact = arith::CmpIOp::create(b_, Predicate::ne, r, zero);
  Value opposite = arith::XOrIOp::create(b_, arith::CmpIOp::create(b_, Predicate::slt, r, zero),
                                         arith::CmpIOp::create(b_, Predicate::slt, d, zero));
  Value less = arith::SubIOp::create(b_, q, Constant(1));
  return arith::SelectOp::create(b_, arith::AndIOp::create(b_, inexact, opposite), less, q);
}

Value IndexArithmetic::Mod(Value n, Value m, bool simple) {
  if (simple) return arith::RemUIOp::create(b_, n, m);
  Value r = arith::RemSIOp::create(b_, n, m);
  Value negative = arith::CmpIOp::create(b_, Predicate::slt, r, Constant(0));
  return arith::SelectOp::create(b_, negative, arith::AddIOp::create(b_, r, m), r);
}

void Lower(ir::ApplyIndexingOp op) {
  Builder b(op.getLoc(), op);
  IndexingMap function = ir::AsFunction(op.getMap().getMap());
  IndexingMap simple = Simplify(function);
  // A domain that turns out to be empty: the code is never reached, and any value will do.
  if (simple.state() != IndexingMap::State::kNormal) simple = function;
  IndexArithmetic arithmetic(b, simple, op.getVariables());
  llvm::SmallVector<Value> values;
  for (SymbolicExpr e : simple.results()) values.push_back(arithmetic.Emit(e));
  op.replaceAllUsesWith(values);
  op.erase();
}

mlir::LogicalResult LowerIndexing(mlir::ModuleOp module) {
  module.walk([](ir::ApplyIndexingOp op) { Lower(op); });
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateLowerIndexingPass() {
  return std::make_unique<ModulePass>("affirm-lower-indexing", "affirm.apply_indexing to arith",
                                      LowerIndexing);
}

}  // namespace affirm::emit
