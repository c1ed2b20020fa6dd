// Runtime variables of maps, with their producers as uninterpreted functions from an index to a
// value: one element has one value (congruence), whichever map reads it.
//
// A counterexample in which map a reads producer[0] = 1 and map b reads producer[0] = 2 refutes
// nothing, because no contents of the producer have both.
#ifndef AFFIRM_VERIFY_HLO_PROOF_RUNTIME_CONGRUENCE_H_
#define AFFIRM_VERIFY_HLO_PROOF_RUNTIME_CONGRUENCE_H_

#include <cstdint>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/maps/maps.h"

namespace affirm {

inline bool IsNormal(const IndexingMap& map) { return map.state() == IndexingMap::State::kNormal; }

// The source of a runtime variable. Null when it is not known, or when the sets of the map do not
// depend on the variable (a syntactic check).
const RuntimeSource* UsedSource(const IndexingMap& map, int64_t variable);
// The index of its element in the producer; null for a scalar, too.
const IndexingMap* ProducerIndexOf(const IndexingMap& map, int64_t variable);

// Proves a claim about maps with a common list of runtime variables, for all contents of the
// producers. `prove` decides the claim for independent values of the variables. Its proof stands;
// its counterexample stands if the values are congruent, and otherwise one is sought among
// producers that have the same value everywhere. Unknown where neither helps.
MapProofResult ProveUnderCongruence(
    std::vector<IndexingMap> maps,
    llvm::function_ref<MapProofResult(llvm::ArrayRef<IndexingMap>)> prove);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_RUNTIME_CONGRUENCE_H_
