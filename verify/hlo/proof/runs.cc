#include "verify/hlo/proof/runs.h"

#include <algorithm>
#include <utility>

#include "verify/hlo/proof/replicas.h"
#include "verify/maps/flattened_map.h"

namespace affirm {

bool Callers::AreSeveral(const hlo::Computation& callee) {
  if (!callee.module) return true;
  if (counted_.insert(callee.module).second) {
    llvm::DenseMap<const hlo::Computation*, int64_t> places;
    for (const auto& computation : callee.module->computations) {
      for (const auto& op : computation->instructions) {
        for (const hlo::Computation* called : op->called) ++places[called];
      }
    }
    // A module may be a copy of another one, whose computations it calls: that is one place.
    for (const auto& [called, count] : places) {
      int64_t& most = places_[called];
      most = std::max(most, count);
    }
  }
  return places_.lookup(&callee) > 1;
}

LabeledMap ForAnyRuntimeValues(const LabeledMap& labeled) {
  const IndexingMap& map = labeled.map;
  if (map.state() != IndexingMap::State::kNormal || map.runtime().empty()) return labeled;
  Context& context = *map.context();
  LabeledMap any = labeled;
  any.exactness = std::max(labeled.exactness, Exactness::kOverApproximate);
  const IndexingMap joined = JoinReplicas(labeled);
  if (joined.state() != IndexingMap::State::kNormal) {
    SplitReplicas(joined, std::ssize(map.results()), any);
    return any;
  }
  const int64_t first = std::ssize(joined.ranges());
  std::vector<Variable> ranges = joined.ranges();
  for (const Variable& v : joined.runtime()) ranges.push_back({v.bounds, "", std::nullopt});
  auto to = [&](VarKind kind, int64_t k) {
    return kind == VarKind::kRuntime ? context.Range(first + k) : context.Variable(kind, k);
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : joined.results()) results.push_back(Rename(e, context, to));
  std::vector<Constraint> constraints;
  for (const Constraint& c : joined.constraints()) {
    constraints.push_back({Rename(c.expr, context, to), c.bounds});
  }
  SplitReplicas(IndexingMap(context, results, joined.dims(), std::move(ranges), {}, constraints),
                std::ssize(map.results()), any);
  return any;
}

}  // namespace affirm
