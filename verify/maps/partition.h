// Whether several maps together give each element of an array exactly once.
#ifndef AFFIRM_VERIFY_MAPS_PARTITION_H_
#define AFFIRM_VERIFY_MAPS_PARTITION_H_

#include "verify/maps/maps.h"

namespace affirm {

// Is each index of an array of this shape the result of exactly one point (dims, ranges) of exactly
// one of the maps, and are there no other results? For one map that is ProveBijection. Maps with
// runtime variables give kUnknown. Refuted answers name an index in the counterexample's note.
//
//   (d0) -> (d0 * 2) and (d0) -> (d0 * 2 + 1), d0 in [0, 3], are a partition of [8].
MapProofResult ProvePartition(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<int64_t> shape,
                              const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_PARTITION_H_
