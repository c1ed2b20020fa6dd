// Composition of maps from its definition, by substitution alone: what affirm::Compose and the
// simplifier are checked against.
#ifndef AFFIRM_VERIFY_HLO_COMPOSITION_H_
#define AFFIRM_VERIFY_HLO_COMPOSITION_H_

#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/maps/maps.h"

namespace affirm {

// {(x, z): there is an m in first(x), inside second's dims, with z in second(m)}, unsimplified.
// Ranges and runtime variables of `second` come first, then those of `first`. Undefined when the
// ranks do not fit.
IndexingMap ComposeByDefinition(const IndexingMap& first, const IndexingMap& second);

// {(z, x): z in map(x)}: the same pairs from the other end, over all z in [0, sizes) and those
// outside that the map gives. The dims of `map` come first among the ranges. Undefined when the
// number of sizes is not that of results.
IndexingMap Converse(const IndexingMap& map, llvm::ArrayRef<int64_t> sizes);

// The variable with its place in terms of the variables of another map, `to` being what the old
// ones are there. What the place was read under is left out: it is the element that counts.
Variable Carried(const Variable& v, llvm::function_ref<SymbolicExpr(VarKind, int64_t)> to,
                 const std::vector<Variable>& dims, const std::vector<Variable>& ranges,
                 const std::vector<Variable>& runtime);

// Is `claimed` the composition? Runtime variables are matched by what produces them.
MapAnswer ProveComposition(const IndexingMap& first, const IndexingMap& second,
                           const IndexingMap& claimed, const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_COMPOSITION_H_
