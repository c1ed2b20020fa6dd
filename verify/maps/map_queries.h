// Whole questions about maps as closed formulas with quantifiers, for other solvers to check
// (DecideOptions::smt2_directory). The proofs of this folder ask smaller questions. That
// (d0)[s0] -> (d0 + s0) is inside (d0)[s1] -> (d0 + s1), with a result y, is the query
//
//   (exists s0: y = d0 + s0) implies (exists s1: y = d0 + s1), for all d0 and y
#ifndef AFFIRM_VERIFY_MAPS_MAP_QUERIES_H_
#define AFFIRM_VERIFY_MAPS_MAP_QUERIES_H_

#include "llvm/ADT/ArrayRef.h"
#include "verify/decide/engines.h"
#include "verify/decide/formula.h"
#include "verify/maps/flattened_map.h"

namespace affirm {

// Is every tuple of the union of `b`, at every point, one of the union of `a`; with `equal` also
// the other way round? All maps have the same outer variables and arity.
SolverQuery InclusionQuery(llvm::ArrayRef<FlattenedMap> a, llvm::ArrayRef<FlattenedMap> b,
                           bool equal);
// Do two points (dims, ranges) of the domain that give the same result at the same values of the
// runtime variables agree?
SolverQuery InjectivityQuery(const FlattenedMap& map);
// Is every index of an array of this shape a result, at all values of the runtime variables?
SolverQuery SurjectivityQuery(const FlattenedMap& map, llvm::ArrayRef<int64_t> shape);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_MAP_QUERIES_H_
