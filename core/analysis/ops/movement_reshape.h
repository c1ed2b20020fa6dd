// The map of a reshape, which layouts and bitcasts need too. Internal to core/analysis.
//
// From an index of f32[6,4] to the index of the same element in f32[24]: (d0, d1) -> (d0 * 4 + d1).
#ifndef AFFIRM_CORE_ANALYSIS_OPS_MOVEMENT_RESHAPE_H_
#define AFFIRM_CORE_ANALYSIS_OPS_MOVEMENT_RESHAPE_H_

#include "core/indexing/indexing_map.h"

namespace affirm::analysis {

// Sends an index of an array of sizes `from` to the index with the same row-major position in an
// array of sizes `to`, simplified. Undefined when the numbers of elements differ or leave int64.
IndexingMap ReshapeMap(Context& context, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_OPS_MOVEMENT_RESHAPE_H_
