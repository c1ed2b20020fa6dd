// The values of run time that maps read, and whether they can stand in their producers at once.
#ifndef AFFIRM_VERIFY_HLO_RUNTIME_CONTENTS_H_
#define AFFIRM_VERIFY_HLO_RUNTIME_CONTENTS_H_

#include <cstdint>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/maps/maps.h"

namespace affirm {

inline bool IsNormal(const IndexingMap& map) { return map.state() == IndexingMap::State::kNormal; }

// Where the value of a runtime variable comes from; null when the sets of the map do not depend on
// the variable, as far as can be seen, or that is not known.
const RuntimeSource* NeededSource(const IndexingMap& map, int64_t variable);
// Its place in the producer; null for a scalar, too.
const IndexingMap* PlaceOf(const IndexingMap& map, int64_t variable);

// What `prove` says about maps with a common list of runtime variables, where these may have any
// values; refuted only by values that the producers can hold, each at all the places at which a map
// reads it. Unknown where that can't be seen.
MapAnswer ForContents(std::vector<IndexingMap> maps,
                      llvm::function_ref<MapAnswer(llvm::ArrayRef<IndexingMap>)> prove);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_RUNTIME_CONTENTS_H_
