// Compositions of accesses, as the checker makes them.
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/prover/hlo_accesses.h"

namespace affirm::prover {

Access IdentityOf(const hlo::Shape& shape, Context& context) {
  Access access;
  access.map.dims = shape.dims.size();
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    access.map.results.push_back(context.Dim(static_cast<int64_t>(i)));
    access.map.facts.push_back({access.map.results.back(), {0, shape.dims[i] - 1}});
  }
  return access;
}

std::vector<Access> AccessesOfConditional(const hlo::Instruction& op, const hlo::Shape& out,
                                          size_t k, Context& context) {
  Access access = IdentityOf(out, context);
  if (k == 0) {
    access.map.results.clear();
    return {access};
  }
  const bool of_predicate = op.operands[0]->shape.type == hlo::PrimitiveType::kPred;
  const auto branch = static_cast<int64_t>(k) - 1;
  std::vector<Interval> values = {{branch, branch}};
  if (of_predicate) {
    values = {{1 - branch, 1 - branch}};
  } else if (k + 1 == op.operands.size()) {
    values = {{kInt64Min, -1}, {branch, kInt64Max}};  // of an index outside, too
  }
  access.producers = {{op.operands[0], {}, {}}};
  if (of_predicate) access.producers[0].limit = 1;
  access.map.runtime = 1;
  std::vector<Access> accesses;
  for (const Interval& bounds : values) {
    accesses.push_back(access);
    accesses.back().map.facts.push_back({context.Variable(VarKind::kRuntime, 0), bounds});
  }
  return accesses;
}

Access Compose(const Access& first, const Access& second, Context& context) {
  const View &a = first.map, &b = second.map;
  const auto moved = [&](VarKind kind, int64_t i) -> SymbolicExpr {
    switch (kind) {
      case VarKind::kDim:
        return a.results[i];
      case VarKind::kRange:
        return context.Range(static_cast<int64_t>(a.ranges.size()) + i);
      case VarKind::kRuntime:
        return context.Variable(kind, static_cast<int64_t>(a.runtime) + i);
    }
    return {};
  };
  Access access = first;
  View& map = access.map;
  map.runtime += b.runtime;
  map.ranges.insert(map.ranges.end(), b.ranges.begin(), b.ranges.end());
  for (const Constraint& c : b.facts) map.facts.push_back({c.expr.Substitute(moved), c.bounds});
  map.results.clear();
  for (SymbolicExpr e : b.results) map.results.push_back(e.Substitute(moved));
  for (Producer p : second.producers) {
    for (SymbolicExpr& e : p.index) e = e.Substitute(moved);
    access.producers.push_back(std::move(p));
  }
  return access;
}

View Align(const Access& access, const std::vector<Producer>& known, Context& context) {
  const auto moved = [&](VarKind kind, int64_t i) -> SymbolicExpr {
    if (kind != VarKind::kRuntime) return {};
    return context.Variable(kind, llvm::find(known, access.producers[i]) - known.begin());
  };
  View map = access.map;
  map.runtime = known.size();
  std::vector<Constraint> facts;
  facts.reserve(known.size() + map.facts.size());
  for (size_t i = 0; i < known.size(); ++i) {
    facts.push_back({context.Variable(VarKind::kRuntime, static_cast<int64_t>(i)),
                     {0, known[i].limit.value_or(kInt64Max)}});
  }
  for (const Constraint& c : map.facts) facts.push_back({c.expr.Substitute(moved), c.bounds});
  map.facts = std::move(facts);
  for (SymbolicExpr& e : map.results) e = e.Substitute(moved);
  return map;
}

View Forget(const Access& access, Context& context) {
  const auto runtime = static_cast<int64_t>(access.map.runtime);
  const auto moved = [&](VarKind kind, int64_t i) -> SymbolicExpr {
    if (kind == VarKind::kRuntime) return context.Range(i);
    return kind == VarKind::kRange ? context.Range(runtime + i) : SymbolicExpr();
  };
  View map = access.map;
  map.runtime = 0;
  map.ranges.insert(map.ranges.begin(), access.map.runtime, Interval());
  for (Constraint& c : map.facts) c.expr = c.expr.Substitute(moved);
  for (SymbolicExpr& e : map.results) e = e.Substitute(moved);
  return map;
}

}  // namespace affirm::prover
