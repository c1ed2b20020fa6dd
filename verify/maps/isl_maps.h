// Maps as isl relations from outer variables to results; exact for range variables.
#ifndef AFFIRM_VERIFY_MAPS_ISL_MAPS_H_
#define AFFIRM_VERIFY_MAPS_ISL_MAPS_H_

#include <optional>
#include <string>
#include <vector>

#include "verify/decide/decider.h"
#include "verify/decide/isl_terms.h"
#include "verify/decide/isl_worker.h"
#include "verify/maps/flattened_map.h"

namespace affirm {

// {outer -> results} of a map whose ranges stand right behind its outer variables; null when isl
// can't. With `keep_ranges` the range variables stay on the input side. `reason` says why it is
// null.
IslPtr<isl_map> MakeIslMap(isl_ctx* ctx, const FlattenedMap& map, bool keep_ranges,
                           std::string& reason);

// Is `small` a subset of `big`? Refuted at the outer variables of a pair of `small` that `big`
// lacks.
IslResult FindMissing(isl_ctx* ctx, isl_map* big, isl_map* small);

// Is every pair of b's relation in a's and, with `equal`, the other way round? Refuted at
// outer variables where only one has a pair.
IslResult IslCompare(const FlattenedMap& a, const FlattenedMap& b, bool equal,
                     const Budget& budget);
// Is the relation (dims, ranges) -> results injective for each value of the runtime variables?
// Refuted at two points of dims and ranges: outer variables, ranges, then those of the other point.
IslResult IslInjective(const FlattenedMap& a, const Budget& budget);
// Is the map surjective: is every index of an array of this shape a result, for each value of the
// runtime variables? Refuted at runtime variables, then the index.
IslResult IslSurjective(const FlattenedMap& a, llvm::ArrayRef<int64_t> shape, const Budget& budget);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_ISL_MAPS_H_
