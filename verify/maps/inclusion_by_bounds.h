// Inclusion of two maps that are written much alike, by bounds of variables alone.
//
//   a = (d0)[s0] -> (s0)         domain: d0 in [0, 7], s0 in [0, 3]
//   b = (d0)[s0, s1] -> (s0)     domain: d0 in [0, 7], s0 in [0, 3], s1 in [0, 7], d0 - s1 in [0,
//   0]
//
// s1 of b is d0, which is in [0, 7], so that neither it nor its equality says anything: each map
// includes the other. That takes microseconds, where isl takes milliseconds.
#ifndef AFFIRM_VERIFY_MAPS_INCLUSION_BY_BOUNDS_H_
#define AFFIRM_VERIFY_MAPS_INCLUSION_BY_BOUNDS_H_

#include "llvm/ADT/ArrayRef.h"
#include "verify/maps/flattened_map.h"

namespace affirm {

// Whether every set of b is seen to be inside a's. Both have the same outer variables and arity,
// and their ranges stand right behind the outer variables. False says nothing.
bool IncludesByBounds(const FlattenedMap& a, const FlattenedMap& b);

// Whether every set of each map of b is seen to be inside the union of those of all maps of a:
//   (d0)[s0] -> (s0), s0 in [0, 7], d0 - s0 in [1, 8]
// is inside (d0)[s0] -> (s0) with d0 - s0 in [2, 9] and (d0) -> (d0 - 1) together.
bool UnionIncludesByBounds(llvm::ArrayRef<FlattenedMap> a, llvm::ArrayRef<FlattenedMap> b);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_INCLUSION_BY_BOUNDS_H_
