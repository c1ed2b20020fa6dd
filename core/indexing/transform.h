// Transformations of maps that change the variables or select results, over the same domain.
#ifndef AFFIRM_CORE_INDEXING_TRANSFORM_H_
#define AFFIRM_CORE_INDEXING_TRANSFORM_H_

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm {

// Every range variable s with a constraint `s mod m in [r, r]` becomes s' * m + r, with the bounds
// of s' such that s keeps to its own, and the constraint is dropped. The sets stay the same:
//   ()[s0] -> (s0), s0 in [0, 9], s0 mod 4 in [1, 1]  becomes  ()[s0] -> (s0 * 4 + 1), s0 in [0, 2]
IndexingMap RescaleRangeVariables(const IndexingMap& map);

// The range variables at the given positions become dims, behind the others, in the order given.
// The new map sends (dims, those values) to the results with those values. A position out of range
// or named twice gives the undefined map.
IndexingMap ConvertRangeVariablesToDims(const IndexingMap& map, llvm::ArrayRef<int64_t> positions);

// The map to the results at the given positions, over the same domain. A position out of range
// gives the undefined map.
IndexingMap SubMap(const IndexingMap& map, llvm::ArrayRef<int64_t> positions);

// Each dim, range or runtime variable whose bounds are one value is replaced by that value in
// results and constraints; the variable itself stays.
IndexingMap ReplacePointVariables(const IndexingMap& map);

}  // namespace affirm

#endif  // AFFIRM_CORE_INDEXING_TRANSFORM_H_
