#include "emit/index_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using mlir::Value;
using Predicate = arith::CmpIPredicate;

namespace {

bool AtLeast(const IndexingMap& domain, SymbolicExpr e, int64_t bound) {
  if (e.IsConstant()) return e.value() >= bound;
  if (domain.IsKnownEmpty()) return true;  // never runs
  return domain.RangeOf(e).Within({bound, kInt64Max});
}

}  // namespace

void IndexEmitter::SetDim(int64_t dim, Value value) {
  if (static_cast<size_t>(dim) >= dims_.size()) dims_.resize(dim + 1);
  dims_[dim] = value;
}

Value IndexEmitter::Emit(SymbolicExpr e, const IndexingMap& domain) {
  if (e.IsVariable()) return dims_[e.value()];
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (Value known = block->lookup(e)) return known;
  }
  Value value = Build(e, domain);
  blocks_.back()[e] = value;
  return value;
}

Value IndexEmitter::Build(SymbolicExpr e, const IndexingMap& domain) {
  llvm::SmallVector<Value> ops;
  for (SymbolicExpr op : e.ops()) ops.push_back(Emit(op, domain));
  auto constant = [&](int64_t v) { return IndexConstant(b_, v); };
  switch (e.kind()) {
    case ExprKind::kConstant:
      return constant(e.value());
    case ExprKind::kVariable:
      return dims_[e.value()];
    case ExprKind::kAdd: {
      Value sum = ops.front();
      for (Value op : llvm::drop_begin(ops)) sum = arith::AddIOp::create(b_, sum, op);
      return e.value() == 0 ? sum : Value(arith::AddIOp::create(b_, sum, constant(e.value())));
    }
    case ExprKind::kMul: {
      Value product = ops.front();
      for (Value op : llvm::drop_begin(ops)) product = arith::MulIOp::create(b_, product, op);
      if (e.value() == 1) return product;
      return arith::MulIOp::create(b_, product, constant(e.value()));
    }
    case ExprKind::kFloorDiv:
    case ExprKind::kMod: {
      bool simple = AtLeast(domain, e.op(0), 0) && AtLeast(domain, e.op(1), 1);
      return e.kind() == ExprKind::kMod ? Mod(ops[0], ops[1], simple)
                                        : FloorDiv(ops[0], ops[1], simple);
    }
    case ExprKind::kCeilDiv: {
      // ceildiv(n, d) = -floordiv(-n, d)
      Value minus_n = arith::SubIOp::create(b_, constant(0), ops[0]);
      return arith::SubIOp::create(b_, constant(0), FloorDiv(minus_n, ops[1], false));
    }
    case ExprKind::kMin:
    case ExprKind::kMax: {
      Value best = ops.front();
      for (Value op : llvm::drop_begin(ops)) {
        best = e.kind() == ExprKind::kMin ? Value(arith::MinSIOp::create(b_, best, op))
                                          : Value(arith::MaxSIOp::create(b_, best, op));
      }
      return best;
    }
  }
  return {};
}

Value IndexEmitter::FloorDiv(Value n, Value d, bool simple) {
  if (simple) return arith::DivUIOp::create(b_, n, d);
  Value zero = IndexConstant(b_, 0);
  Value q = arith::DivSIOp::create(b_, n, d);
  Value r = arith::RemSIOp::create(b_, n, d);
  Value inexact = arith::CmpIOp::create(b_, Predicate::ne, r, zero);
  Value opposite = arith::XOrIOp::create(b_, arith::CmpIOp::create(b_, Predicate::slt, r, zero),
                                         arith::CmpIOp::create(b_, Predicate::slt, d, zero));
  Value less = arith::SubIOp::create(b_, q, IndexConstant(b_, 1));
  return arith::SelectOp::create(b_, arith::AndIOp::create(b_, inexact, opposite), less, q);
}

Value IndexEmitter::Mod(Value n, Value m, bool simple) {
  if (simple) return arith::RemUIOp::create(b_, n, m);
  Value r = arith::RemSIOp::create(b_, n, m);
  Value negative = arith::CmpIOp::create(b_, Predicate::slt, r, IndexConstant(b_, 0));
  return arith::SelectOp::create(b_, negative, arith::AddIOp::create(b_, r, m), r);
}

Value IndexEmitter::EmitWithin(SymbolicExpr e, Interval bounds, const IndexingMap& domain) {
  Value value = Emit(e, domain);
  Value result;
  if (bounds.HasLower() && !AtLeast(domain, e, bounds.lower)) {
    result = arith::CmpIOp::create(b_, Predicate::sge, value, IndexConstant(b_, bounds.lower));
  }
  if (bounds.HasUpper()) {
    Value upper = arith::CmpIOp::create(b_, Predicate::sle, value, IndexConstant(b_, bounds.upper));
    result = result ? Value(arith::AndIOp::create(b_, result, upper)) : upper;
  }
  return result ? result : IntConstant(b_, b_.getI1Type(), 1);
}

}  // namespace affirm::emit
