// The inverse of a map as a relation: which dims tuples have an element as a result? For
// (d0)[s0] -> (d0 * 4 + s0), with s0 in [0, 3], x0 is a result of x0 floordiv 4 alone.
#ifndef AFFIRM_CORE_ANALYSIS_INVERSE_H_
#define AFFIRM_CORE_ANALYSIS_INVERSE_H_

#include "core/indexing/indexing_map.h"

namespace affirm {

// The map from (x0, ..) in `result_shape` to every dims tuple of `map` that has it as a result: d
// is in inverse(x) if and only if x is in map(d), for the same runtime values. Each result is
// solved for one dim or range variable in which it is linear (`c * d + rest = x` gives `(x - rest)
// floordiv c` under `(x - rest) mod c in [0, 0]`); unsolved variables become range variables under
// a constraint. Runtime variables stay, with their sources rebased to the new variables.
IndexingMap Inverse(const IndexingMap& map, llvm::ArrayRef<int64_t> result_shape);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_INVERSE_H_
