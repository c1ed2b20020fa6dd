// Maps whose runtime variables name elements of other instructions, compared for all values of
// those elements.
#ifndef AFFIRM_VERIFY_HLO_RUNTIME_PLACES_H_
#define AFFIRM_VERIFY_HLO_RUNTIME_PLACES_H_

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/maps/maps.h"

namespace affirm {

// Whether the maps, over the same dims, send everything to the same set, or the union of `a` covers
// that of `b`, for all values of the elements that their runtime variables name. Unknown where that
// would take more than one element of a producer at once to see.
MapAnswer ProveEqualAtRun(const IndexingMap& a, const IndexingMap& b,
                          const DecideOptions& options = {});
MapAnswer ProveCoversAtRun(llvm::ArrayRef<IndexingMap> a, llvm::ArrayRef<IndexingMap> b,
                           const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_RUNTIME_PLACES_H_
