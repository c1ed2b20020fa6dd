// Questions about maps as set-valued functions (DESIGN section 2).
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

struct MapAnswer {
  Verdict verdict = Verdict::kUnknown;
  Engine engine = Engine::kSyntactic;
  std::optional<MapCounterexample> counterexample = {};  // present when refuted
  std::string reason = {};                               // when unknown
  std::optional<EngineDisagreement> disagreement = {};   // when unknown because of it
  double ms = 0;
};

// Are the maps equal: the same set at every (dims, runtime)? Dims and runtime variables are matched
// by position; the bounds of the two may differ (a point outside one domain goes to the empty set
// there). Different numbers of dims, runtime variables or results are refuted unless both maps are
// empty. Undefined maps give kUnknown.
MapAnswer ProveEqual(const IndexingMap& a, const IndexingMap& b, const DecideOptions& options = {});
// Is every set of `b` inside `a`'s?
MapAnswer ProveCovers(const IndexingMap& a, const IndexingMap& b,
                      const DecideOptions& options = {});
// Is every set of the union of `b` inside the union of `a`? The maps all have the same dims,
// runtime variables and number of results (those that are known to be empty aside).
MapAnswer ProveUnionCovers(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b,
                           const DecideOptions& options = {});
// Is the domain empty?
MapAnswer ProveEmpty(const IndexingMap& a, const DecideOptions& options = {});
// Do two different points (dims, ranges) of the domain never give the same result, and does every
// index of `shape` appear?
MapAnswer ProveInjective(const IndexingMap& a, const DecideOptions& options = {});
MapAnswer ProveOnto(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                    const DecideOptions& options = {});
// Injective, onto, and inside `shape`.
MapAnswer ProveBijection(const IndexingMap& a, llvm::ArrayRef<int64_t> shape,
                         const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_MAPS_H_
