// How a map is proved to be injective and surjective: by enumeration, by an inverse that is read
// off the results, by isl. Internal to verify/maps: use ProveBijection and its like of maps.h.
#ifndef AFFIRM_VERIFY_MAPS_BIJECTION_PROVER_H_
#define AFFIRM_VERIFY_MAPS_BIJECTION_PROVER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/maps/flattened_map.h"
#include "verify/maps/maps.h"
#include "verify/maps/point_set.h"

namespace affirm {

// No array has such a shape: its largest index, size - 1, may not even be a number of 64 bits.
inline bool HasNegativeSize(llvm::ArrayRef<int64_t> shape) {
  return llvm::any_of(shape, [](int64_t size) { return size < 0; });
}
inline constexpr char kNegativeSize[] = "the shape has a size below 0";

class BijectionProver {
 public:
  BijectionProver(const IndexingMap& map, llvm::ArrayRef<int64_t> shape,
                  const DecideOptions& options)
      : map_(map),
        flat_(Flatten(map, static_cast<int64_t>(map.dims().size() + map.runtime().size()),
                      *map.context(), /*keep_unused=*/true)),
        inputs_(InputsAsRanges(flat_)),
        shape_(shape),
        options_(options) {}

  MapProofResult Injective();
  MapProofResult Surjective();
  MapProofResult Inside();
  // For a map that is injective with all results inside the shape: whether it has as many points as
  // the shape has indices, and so is surjective.
  bool CountsMatch() const;

 private:
  bool Wants(Engine e) const { return !options_.only || *options_.only == e; }
  // The map with runtime variables as its only outer ones, and with dims and ranges, in this order,
  // as its ranges.
  static FlattenedMap InputsAsRanges(const FlattenedMap& flat);
  bool Proves(std::vector<Interval> variables, Formula claim);  // notes the engine
  bool InjectiveByInverse();   // a left inverse: it gives back the inputs from the result
  bool SurjectiveByInverse();  // a right inverse: it gives an input for each index
  // By enumeration of at most `limit` points; false if there are more.
  bool InjectiveByEnumeration(MapProofResult& answer, int64_t limit);
  bool SurjectiveByEnumeration(MapProofResult& answer, int64_t limit);
  // More points are visited where an inverse is not found, since isl may take longer, and even more
  // where nothing else has settled the query: a map that is wrong has no inverse.
  int64_t PointsBeforeIsl() const { return 4 * options_.budget.enumeration_points; }
  int64_t PointsAfterIsl() const { return 32 * options_.budget.enumeration_points; }
  MapProofResult InjectiveByIsl();
  MapProofResult SurjectiveByIsl();
  // The result of the search for an inverse.
  MapProofResult ByInverse(bool found) const {
    return found ? Settled(Verdict::kProved, strongest_)
                 : MapProofResult{.reason = "no inverse was found", .disagreement = disagreement_};
  }
  MapProofResult Settled(Verdict v, Engine e) const { return {.verdict = v, .engine = e}; }
  MapProofResult NotInjective(Engine engine, llvm::ArrayRef<int64_t> runtime,
                              llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> second,
                              const WideTuple& result) const;
  MapProofResult NotSurjective(Engine engine, llvm::ArrayRef<int64_t> runtime,
                               llvm::ArrayRef<int64_t> index) const;
  std::string Describe(llvm::ArrayRef<int64_t> inputs) const;

  const IndexingMap& map_;
  FlattenedMap flat_, inputs_;
  llvm::ArrayRef<int64_t> shape_;
  const DecideOptions& options_;
  Engine strongest_ = Engine::kIntervalAnalysis;
  std::optional<EngineDisagreement> disagreement_;  // about a part of the query
};

// "(3, 0)"
std::string TupleText(const WideTuple& tuple);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_BIJECTION_PROVER_H_
