// Composition and inverse of maps from their definitions, by substitution alone. affirm::Compose
// and the simplifier are checked against them; they share no code with either, on purpose.
//
//   first  = (d0) -> (d0 floordiv 2)           domain: d0 in [0, 7]
//   second = (d0)[s0] -> (d0, s0)              domain: d0 in [0, 3], s0 in [0, 4]
//   ComposeByDefinition(first, second)
//          = (d0)[s0] -> (d0 floordiv 2, s0)   domain: d0 in [0, 7], s0 in [0, 4],
//                                                      d0 floordiv 2 in [0, 3]
#ifndef AFFIRM_VERIFY_HLO_PROOF_COMPOSITION_H_
#define AFFIRM_VERIFY_HLO_PROOF_COMPOSITION_H_

#include <vector>

#include "core/hlo/shape.h"
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/maps/maps.h"

namespace affirm {

// {(x, z): there is an m in first(x), inside second's dims, with z in second(m)}, unsimplified.
// Ranges and runtime variables of `second` come first, then those of `first`. Undefined when the
// ranks do not fit.
IndexingMap ComposeByDefinition(const IndexingMap& first, const IndexingMap& second);

// The same map, with the range variables that an equality constraint determines no longer used:
// ()[s0, s1] -> (s0), s0 - s1 in [0, 0] becomes ()[s0, s1] -> (s1).
IndexingMap EliminateDeterminedRanges(IndexingMap map);

// {(z, x): z in map(x)}, the inverse of `map` as a relation, over all z in [0, sizes) and those
// outside that the map gives. The dims of `map` come first among the ranges. Undefined unless there
// is a size for each result.
IndexingMap InverseByDefinition(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes);

// Is `claimed` the composition of the two? Runtime variables are matched by their producers.
MapProofResult ProveComposition(const IndexingMap& first, const IndexingMap& second,
                                const IndexingMap& claimed, const DecideOptions& options = {});

// (d0, ..)[s0, ..] -> (s0, ..): every element of `to`, of each index of `from`.
IndexingMap EveryElement(Context& context, const hlo::Shape& from, const hlo::Shape& to);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_COMPOSITION_H_
