// Queries about indexing maps, and their answers: are two maps equal, does one contain the other,
// is a map injective, surjective, a bijection, or empty?
//
// A map is a function from (dims, runtime variables) to sets: at each such point it gives the
// results of all values of its range variables that satisfy the constraints, and the empty set
// outside of the domain. With d0 in [0, 3]:
//
//   (d0)[s0] -> (d0 * 4 + s0), s0 in [0, 3]     at d0 = 1 gives {4, 5, 6, 7}
//   (d0)[s0] -> (d0 * 4 + 3 - s0), s0 in [0, 3] gives the same sets: ProveEqual says kProved
//   (d0)[s0] -> (d0 * 4 + s0), s0 in [0, 2]     ProveSuperset(first, this) says kProved;
//                                               ProveEqual says kRefuted at d0 = 0
#ifndef AFFIRM_VERIFY_MAPS_MAPS_H_
#define AFFIRM_VERIFY_MAPS_MAPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "verify/decide/decider.h"
#include "verify/decide/linear_form.h"

namespace affirm {

// A point at which two maps differ: its coordinates and what each side gives there, re-evaluated.
struct MapCounterexample {
  std::vector<int64_t> dims = {}, runtime = {};
  // Result tuples, in order; at most 8 a side. Results are integers of any size.
  std::vector<std::vector<BigInt>> lhs = {}, rhs = {};
  bool lhs_truncated = false, rhs_truncated = false;
  // Where the claim was about one map: which points (dims, then ranges) of it refute the claim, or
  // what is missing.
  std::string note = {};
  std::string ToString(const IndexingMap& lhs_map) const;  // "d0 = 3: lhs {(4)}, rhs {(5)}"
};

struct MapProofResult {
  Verdict verdict = Verdict::kUnknown;
  Engine engine = Engine::kIntervalAnalysis;
  std::optional<MapCounterexample> counterexample = {};  // present when refuted
  std::string reason = {};                               // when unknown
  std::optional<EngineDisagreement> disagreement = {};   // when unknown because of it
  double ms = 0;
};

// Are the maps equal: the same set at every (dims, runtime)? Dims and runtime variables are matched
// by position; the bounds of the two may differ (a point outside one domain goes to the empty set
// there). Different numbers of dims, runtime variables or results are refuted unless both maps are
// empty. Undefined maps give kUnknown.
MapProofResult ProveEqual(const IndexingMap& a, const IndexingMap& b,
                          const DecideOptions& options = {});
// Is every set of `b` a subset of `a`'s? (`a` is then an over-approximation of `b`.)
MapProofResult ProveSuperset(const IndexingMap& a, const IndexingMap& b,
                             const DecideOptions& options = {});
// Is every set of the union of `b` inside the union of `a`? The maps all have the same dims,
// runtime variables and number of results (those that are known to be empty aside).
MapProofResult ProveUnionSuperset(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b,
                                  const DecideOptions& options = {});
// Is the domain empty?
MapProofResult ProveEmpty(const IndexingMap& a, const DecideOptions& options = {});
// Injective: no two points (dims, ranges) of the domain give the same result. Surjective: every
// index of an array of this shape is a result. Both at each value of the runtime variables. A shape
// with a size below 0 gives kUnknown, here and in ProveBijection.
MapProofResult ProveInjective(const IndexingMap& a, const DecideOptions& options = {});
MapProofResult ProveSurjective(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                               const DecideOptions& options = {});
// Injective, surjective, and every result is an index of the shape: each element is written exactly
// once.
MapProofResult ProveBijection(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                              const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_MAPS_H_
