#include "verify/hlo/proof/replicas.h"

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/composition.h"

namespace affirm {
namespace {

bool HasResults(const IndexingMap& map) { return map.state() == IndexingMap::State::kNormal; }

// The map with further dims behind its own, which it hands on behind its first `rank` results. They
// have no bounds: whatever stood there before stays.
IndexingMap HandingOn(const IndexingMap& map, int64_t rank, int64_t count) {
  if (!HasResults(map) || count == 0) return map;
  std::vector<Variable> dims = map.dims();
  std::vector<SymbolicExpr> results(map.results().begin(), map.results().begin() + rank);
  for (int64_t k = 0; k < count; ++k) {
    results.push_back(map.context()->Dim(std::ssize(dims)));
    dims.push_back({Interval{}, "", std::nullopt});
  }
  llvm::append_range(results, map.results().drop_front(rank));
  return IndexingMap(*map.context(), results, std::move(dims), map.ranges(), map.runtime(),
                     map.constraints());
}

}  // namespace

int64_t NumReplicas(const LabeledMap& labeled) {
  if (!labeled.replica_id || !HasResults(*labeled.replica_id)) return 0;
  return std::ssize(labeled.replica_id->results());
}

IndexingMap JoinReplicas(const LabeledMap& labeled) {
  const IndexingMap& map = labeled.map;
  if (!labeled.replica_id || map.IsKnownEmpty()) return map;
  const IndexingMap& replica = *labeled.replica_id;
  const bool same_variables = HasResults(map) && HasResults(replica) &&
                              map.dims() == replica.dims() && map.ranges() == replica.ranges() &&
                              map.runtime() == replica.runtime();
  if (!same_variables) return IndexingMap::Undefined();
  std::vector<SymbolicExpr> results = map.results().vec();
  llvm::append_range(results, replica.results());
  std::vector<Constraint> constraints = map.constraints();
  llvm::append_range(constraints, replica.constraints());
  return IndexingMap(*map.context(), results, map.dims(), map.ranges(), map.runtime(), constraints);
}

void SplitReplicas(const IndexingMap& joined, int64_t rank, LabeledMap& out) {
  out.map = joined;
  out.replica_id.reset();
  if (!HasResults(joined) || std::ssize(joined.results()) == rank) return;
  out.map = joined.WithResults(joined.results().take_front(rank));
  out.replica_id = joined.WithResults(joined.results().drop_front(rank));
}

IndexingMap ComposeWithReplicas(const LabeledMap& first, const LabeledMap& second) {
  const auto rank = std::ssize(second.map.results());
  return ComposeByDefinition(JoinReplicas(first),
                             HandingOn(JoinReplicas(second), rank, NumReplicas(first)));
}

}  // namespace affirm
