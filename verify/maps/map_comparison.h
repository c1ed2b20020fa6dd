// The portfolio behind ProveEqual and ProveSuperset: bounds, enumeration and sampling of points,
// claims about one point at a time, witnesses for range variables, and inclusion of isl relations.
#ifndef AFFIRM_VERIFY_MAPS_MAP_COMPARISON_H_
#define AFFIRM_VERIFY_MAPS_MAP_COMPARISON_H_

#include <optional>
#include <string>
#include <vector>

#include "verify/maps/flattened_map.h"
#include "verify/maps/maps.h"
#include "verify/maps/point_set.h"

namespace affirm {

class MapComparison {
 public:
  // The claim is a = b or, with `equal` false, that every set of b is inside a's. Both maps have
  // the same outer variables and arity, and their ranges stand right behind the outer variables.
  // A counterexample is confirmed where each map has at most `most_points` points of its ranges
  // there; without that it is none.
  MapComparison(FlattenedMap a, FlattenedMap b, bool equal, const DecideOptions& options,
                int64_t most_points = kConfirmLimit);

  MapProofResult Run();

 private:
  enum class Step : uint8_t { kHolds, kFails, kOpen };

  bool Wants(Engine e) const { return !options_.only || *options_.only == e; }
  // Each of these returns true when it has settled the claim in answer_.
  bool ByBounds();  // the maps are the same but for constraints and ranges that say nothing
  bool ByEnumeration();
  bool BySampling();
  bool ByPoints();  // the results agree at each point of outer variables and ranges
  bool ByWitnesses();
  bool ByIsl();

  // Asks whether `conclusion` holds wherever `hypothesis` does; notes the engine.
  SolverResult Ask(const FlattenedMap& ranges, Formula hypothesis, Formula conclusion);
  // Every tuple of `from` is one of `to`, by a witness.
  bool IncludedByWitness(const FlattenedMap& from, const FlattenedMap& to);
  Formula Domain(const FlattenedMap& map) const;
  // Compares the sets at one point. kFails: answer_ is the refutation.
  Step CompareAt(llvm::ArrayRef<int64_t> outer, int64_t limit);
  Step CompareSets();
  bool Settle(Verdict verdict, Engine engine);
  bool Refute(Engine engine, llvm::ArrayRef<int64_t> outer);

  const FlattenedMap a_, b_;
  const bool equal_;
  const DecideOptions& options_;
  const int64_t most_points_;
  std::vector<Interval> hull_;
  PointSets sets_a_, sets_b_;
  TupleSet set_a_, set_b_;
  Engine strongest_ = Engine::kIntervalAnalysis;
  MapProofResult answer_;
};

// ProveSuperset for callers without a use for a refutation: at an index with many points of ranges
// none is looked for, which takes longer than to find that there is no proof.
MapProofResult ProveSupersetOrNothing(const IndexingMap& a, const IndexingMap& b,
                                      const DecideOptions& options);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_MAP_COMPARISON_H_
