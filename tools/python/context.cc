// Turns in contexts, and expressions taken from one context to another.
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "tools/python/binding.h"

namespace affirm::python {
namespace {

void Take(std::unique_lock<std::recursive_mutex>& lock) {
  if (lock.try_lock()) return;
  nb::gil_scoped_release released;
  lock.lock();
}

class Importer {
 public:
  explicit Importer(Context& to) : to_(to) {}

  SymbolicExpr Of(SymbolicExpr expr) {
    if (!expr) return expr;
    expr.Walk([&](SymbolicExpr e) {
      llvm::SmallVector<SymbolicExpr, 8> ops;
      for (SymbolicExpr op : e.ops()) ops.push_back(known_.lookup(op.node()));
      SymbolicExpr& here = known_[e.node()];
      if (e.IsConstant()) {
        here = to_.Constant(e.value());
      } else if (e.IsVariable()) {
        here = to_.Variable(e.var_kind(), e.value());
      } else {
        here = to_.Rebuild(e, ops);
      }
    });
    return known_.lookup(expr.node());
  }

  IndexingMap Of(const IndexingMap& map) {
    if (map.IsUndefined()) return map;
    if (map.IsKnownEmpty()) return IndexingMap::KnownEmpty(to_);
    llvm::SmallVector<SymbolicExpr, 4> results;
    for (SymbolicExpr e : map.results()) results.push_back(Of(e));
    std::vector<Constraint> constraints;
    for (const Constraint& c : map.constraints()) constraints.push_back({Of(c.expr), c.bounds});
    std::vector<Variable> runtime = map.runtime();
    for (Variable& v : runtime) {
      if (!v.source || !v.source->map) continue;
      v.source->map = std::make_shared<const IndexingMap>(Of(*v.source->map));
    }
    return {to_, results, map.dims(), map.ranges(), std::move(runtime), constraints};
  }

 private:
  Context& to_;
  llvm::DenseMap<const internal::ExprNode*, SymbolicExpr> known_;
};

}  // namespace

ContextPtr DefaultContext() {
  static std::weak_ptr<SharedContext> last;  // Python's lock is held
  ContextPtr context = last.lock();
  if (!context) {
    context = NewContext();
    last = context;
  }
  return context;
}

Turn::Turn(const ContextPtr& a, const ContextPtr& b)
    : first_((a.get() < b.get() ? a : b)->turn, std::defer_lock),
      second_((a.get() < b.get() ? b : a)->turn, std::defer_lock) {
  Take(first_);
  if (a != b) Take(second_);
}

SymbolicExpr Imported(SymbolicExpr expr, Context& to) { return Importer(to).Of(expr); }
IndexingMap Imported(const IndexingMap& map, Context& to) { return Importer(to).Of(map); }

SymbolicExpr In(const ContextPtr& to, const Expr& e) {
  return e.context == to ? e.expr : Imported(e.expr, to->context);
}
void AppendDivisors(const ContextPtr& to, const Expr& e, std::vector<ReadDivisor>& divisors) {
  for (const ReadDivisor& divisor : e.divisors) {
    const ReadDivisor here = {In(to, Expr{e.context, divisor.expr}), divisor.is_modulus};
    if (!llvm::is_contained(divisors, here)) divisors.push_back(here);
  }
}
IndexingMap In(const ContextPtr& to, const Map& map) {
  return map.context == to ? map.map : Imported(map.map, to->context);
}

}  // namespace affirm::python
