// Index expressions as affirm.apply_indexing, each once per block.
#include "emit/elements/index_emitter.h"

#include "emit/ir/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using mlir::Value;
using Predicate = arith::CmpIPredicate;

namespace {

// `e` as a map over the dims that it uses. `used` receives these dims in increasing order.
IndexingMap MapOver(SymbolicExpr e, const IndexingMap& domain,
                    llvm::SmallVectorImpl<int64_t>& used) {
  e.Walk([&](SymbolicExpr part) {
    if (part.IsVariable()) used.push_back(part.value());
  });
  llvm::sort(used);
  auto position = [&](int64_t dim) { return llvm::lower_bound(used, dim) - used.begin(); };
  auto concerns = [&](SymbolicExpr expr) {
    bool all = true;
    expr.Walk([&](SymbolicExpr part) {
      if (part.IsVariable()) all &= llvm::is_contained(used, part.value());
    });
    return all;
  };
  Context& context = *e.context();
  auto rename = [&](VarKind, int64_t dim) { return context.Dim(position(dim)); };
  std::vector<Variable> variables;
  for (int64_t dim : used) variables.push_back({domain.dims()[dim].bounds, "", std::nullopt});
  std::vector<Constraint> constraints;
  for (const Constraint& c : domain.constraints()) {
    if (concerns(c.expr)) constraints.push_back({c.expr.Substitute(rename), c.bounds});
  }
  return IndexingMap(context, e.Substitute(rename), std::move(variables), {}, {}, constraints);
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
  if (e.IsConstant()) return IndexConstant(b_, e.value());
  Value never = IndexConstant(b_, 0);
  if (domain.IsKnownEmpty()) return never;
  llvm::SmallVector<int64_t> used;
  IndexingMap map = MapOver(e, domain, used);
  if (map.IsKnownEmpty()) return never;
  llvm::SmallVector<Value> variables;
  for (int64_t dim : used) variables.push_back(dims_[dim]);
  auto apply = ir::ApplyIndexingOp::create(b_, b_.getIndexType(), ir::MapAttr(b_.getContext(), map),
                                           variables);
  return apply.getResult(0);
}

Value IndexEmitter::EmitWithin(SymbolicExpr e, Interval bounds, const IndexingMap& domain) {
  Value value = Emit(e, domain);
  Value result;
  bool implied = domain.IsKnownEmpty() || domain.RangeOf(e).Within({bounds.lower, kInt64Max});
  if (bounds.HasLower() && !implied) {
    result = arith::CmpIOp::create(b_, Predicate::sge, value, IndexConstant(b_, bounds.lower));
  }
  if (bounds.HasUpper()) {
    Value upper = arith::CmpIOp::create(b_, Predicate::sle, value, IndexConstant(b_, bounds.upper));
    result = result ? Value(arith::AndIOp::create(b_, result, upper)) : upper;
  }
  return result ? result : IntConstant(b_, b_.getI1Type(), 1);
}

Value ClampedIndex(Builder& b, Value element, hlo::PrimitiveType type, Interval bounds) {
  mlir::Type i64 = b.getI64Type();
  Value start = Convert(b, element, type, hlo::PrimitiveType::kS64);
  Value upper = IntConstant(b, i64, bounds.upper);
  // An unsigned start beyond int64 must clamp to the upper end, so compare it unsigned first.
  if (hlo::IsUnsignedInt(type)) {
    start = arith::MinUIOp::create(b, start, upper);
  } else {
    start = arith::MinSIOp::create(b, start, upper);
  }
  start = arith::MaxSIOp::create(b, start, IntConstant(b, i64, bounds.lower));
  return arith::IndexCastOp::create(b, b.getIndexType(), start);
}

}  // namespace affirm::emit
