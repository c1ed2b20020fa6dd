// The inverse of a map as a relation: which dims tuples lead to an element? Under
// (d0)[s0] -> (d0 * 4 + s0), with s0 in [0, 3], only x0 floordiv 4 leads to x0.
#ifndef AFFIRM_CORE_ANALYSIS_INVERSE_H_
#define AFFIRM_CORE_ANALYSIS_INVERSE_H_

#include "core/indexing/indexing_map.h"

namespace affirm {

// The map that sends (x0, ..) in `result_shape` to every dims tuple of `map` that reaches it:
// d is in inverse(x) exactly when x is in map(d), for the same runtime values. Results are solved
// for one dim or range variable each where they are linear in it (`c * d + rest = x` gives
// `(x - rest) floordiv c` under `(x - rest) mod c in [0, 0]`); what remains is a range variable,
// tied by a constraint. Runtime variables stay, their sources rebased to the new variables.
IndexingMap Inverse(const IndexingMap& map, llvm::ArrayRef<int64_t> result_shape);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_INVERSE_H_
