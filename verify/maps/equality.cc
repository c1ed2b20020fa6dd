// Equality and inclusion of maps, and emptiness of a domain.
#include <utility>

#include "verify/maps/map_comparison.h"
#include "verify/maps/map_queries.h"
#include "verify/maps/maps.h"
#include "verify/maps/proved_maps.h"
#include "verify/maps/timing.h"

namespace affirm {
namespace {

FlattenedMap FlattenAlone(const IndexingMap& map, Context& context) {
  return Flatten(map, static_cast<int64_t>(map.dims().size() + map.runtime().size()), context);
}

MapProofResult Unknown(std::string reason) {
  MapProofResult answer;
  answer.reason = std::move(reason);
  return answer;
}

// A point of the domain as a counterexample: what the map gives there. On the left side, or on the
// right.
std::optional<MapCounterexample> PointOfDomain(const FlattenedMap& map,
                                               llvm::ArrayRef<int64_t> outer, bool on_left) {
  PointSets sets(map);
  std::optional<int64_t> n = sets.NumRangePoints();
  if (!n || *n > kConfirmLimit) return std::nullopt;
  sets.SetPoint(outer);
  TupleSet there,
      nothing{.arity = static_cast<int64_t>(map.results.size()), .count = 0, .values = {}};
  if (!sets.Compute(there) || there.Size() == 0) return std::nullopt;
  return on_left ? MakeCounterexample(map, outer, there, nothing)
                 : MakeCounterexample(map, outer, nothing, there);
}

// Is the map empty? A refutation carries a point of the domain with its set on the given side.
MapProofResult IsEmpty(const IndexingMap& map, bool on_left, const DecideOptions& options) {
  if (map.IsUndefined()) return Unknown("a map is undefined");
  if (map.IsKnownEmpty()) return {.verdict = Verdict::kProved};
  FlattenedMap flat = FlattenAlone(map, *map.context());
  if (flat.empty) return {.verdict = Verdict::kProved};
  SolverQuery q{.context = flat.context, .variables = flat.outer, .names = {}};
  q.variables.insert(q.variables.end(), flat.ranges.begin(), flat.ranges.end());
  q.claim = Formula::Not(flat.Domain(/*bounds=*/false));
  SolverResult inside = Decide(q, options);
  MapProofResult answer{.verdict = inside.verdict, .engine = inside.engine};
  answer.reason = inside.reason;
  answer.disagreement = inside.disagreement;
  if (inside.verdict == Verdict::kRefuted) {
    inside.counterexample.resize(flat.outer.size());
    answer.counterexample = PointOfDomain(flat, inside.counterexample, on_left);
    if (!answer.counterexample) {
      return Unknown("a point of the domain was found, but not what the map gives there");
    }
  }
  return answer;
}

bool SameSignature(const IndexingMap& a, const IndexingMap& b) {
  return !a.IsKnownEmpty() && !b.IsKnownEmpty() && a.dims().size() == b.dims().size() &&
         a.runtime().size() == b.runtime().size() && a.results().size() == b.results().size();
}

MapProofResult Compare(const IndexingMap& a, const IndexingMap& b, bool equal,
                       const DecideOptions& options, int64_t most_points = kConfirmLimit) {
  if (a.IsUndefined() || b.IsUndefined()) return Unknown("a map is undefined");
  if (a.context() == b.context() && a == b) return {.verdict = Verdict::kProved};
  if (SameSignature(a, b)) {
    FlattenedMap lhs = FlattenAlone(a, *a.context()), rhs = FlattenAlone(b, *a.context());
    std::optional<SolverQuery> query;
    if (!options.smt2_directory.empty()) query = InclusionQuery(lhs, rhs, equal);
    MapProofResult result =
        MapComparison(std::move(lhs), std::move(rhs), equal, options, most_points).Run();
    if (query) WriteSmtLib(*query, result.verdict, options.smt2_directory);
    return result;
  }
  // Functions of different arguments agree only where both are empty.
  MapProofResult right = IsEmpty(b, /*on_left=*/false, options);
  if (right.verdict != Verdict::kProved || !equal) return right;
  return IsEmpty(a, /*on_left=*/true, options);
}

}  // namespace

MapProofResult ProveEqual(const IndexingMap& a, const IndexingMap& b,
                          const DecideOptions& options) {
  return Timed([&] {
    return ProveOnce(MapClaim::kEqual, a, b, {}, options,
                     [&] { return Compare(a, b, /*equal=*/true, options); });
  });
}

MapProofResult ProveSuperset(const IndexingMap& a, const IndexingMap& b,
                             const DecideOptions& options) {
  return Timed([&] {
    return ProveOnce(MapClaim::kSuperset, a, b, {}, options,
                     [&] { return Compare(a, b, /*equal=*/false, options); });
  });
}

MapProofResult ProveSupersetOrNothing(const IndexingMap& a, const IndexingMap& b,
                                      const DecideOptions& options) {
  constexpr int64_t kMostPoints = 1 << 14;
  return Timed([&] {
    return ProveOnce(MapClaim::kSuperset, a, b, {}, options,
                     [&] { return Compare(a, b, /*equal=*/false, options, kMostPoints); });
  });
}

MapProofResult ProveEmpty(const IndexingMap& a, const DecideOptions& options) {
  return Timed([&] { return IsEmpty(a, /*on_left=*/true, options); });
}

}  // namespace affirm
