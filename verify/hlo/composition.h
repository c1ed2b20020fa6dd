// Composition of maps from its definition, by substitution alone: what affirm::Compose and the
// simplifier are checked against.
#ifndef AFFIRM_VERIFY_HLO_COMPOSITION_H_
#define AFFIRM_VERIFY_HLO_COMPOSITION_H_

#include <vector>

#include "core/indexing/indexing_map.h"
#include "verify/maps/maps.h"

namespace affirm {

// {(x, z): there is an m in first(x), inside second's dims, with z in second(m)}, unsimplified.
// Ranges and runtime variables of `second` come first, then those of `first`. Undefined when the
// ranks do not fit.
IndexingMap ComposeByDefinition(const IndexingMap& first, const IndexingMap& second);

// Is `claimed` the composition? Runtime variables are matched by what produces them.
MapAnswer ProveComposition(const IndexingMap& first, const IndexingMap& second,
                           const IndexingMap& claimed, const DecideOptions& options = {});

// Whether the maps, over the same dims, send everything to the same set, or the union of `a` covers
// that of `b`, for all values of the elements that their runtime variables name. Unknown where that
// would take more than one element of a producer at once to see.
MapAnswer ProveEqualAtRun(const IndexingMap& a, const IndexingMap& b,
                          const DecideOptions& options = {});
MapAnswer ProveCoversAtRun(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b,
                           const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_COMPOSITION_H_
