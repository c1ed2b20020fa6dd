// Witnesses: for a point of one map's range variables, the point of another map's that gives the
// same result. With the target 5 * d0 + s0, s0 in [0, 4], the map (d0)[s1, s2] -> (s1 * 5 + s2) has
// the witness s1 = (5 * d0 + s0) floordiv 5, s2 = (5 * d0 + s0) mod 5.
#ifndef AFFIRM_VERIFY_MAPS_WITNESS_H_
#define AFFIRM_VERIFY_MAPS_WITNESS_H_

#include <optional>
#include <vector>

#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/maps/flattened_map.h"

namespace affirm {

// Values for the range variables of `map`, as terms over the outer variables and those of
// `targets`, that should make its results equal to `targets`. A guess, to be proved: it is found by
// reading the results as mixed-radix numbers. nullopt when some range variable can't be read off.
std::optional<std::vector<SymbolicExpr>> FindWitness(const FlattenedMap& map,
                                                     llvm::ArrayRef<SymbolicExpr> targets);

// e with the range variables of `map` replaced.
SymbolicExpr SubstituteRanges(const FlattenedMap& map, SymbolicExpr e,
                              llvm::ArrayRef<SymbolicExpr> values);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_WITNESS_H_
