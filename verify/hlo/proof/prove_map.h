// The proof that maps of core/analysis are the access relation of an op.
//
// The map (d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 7], labeled exact, is proved for
// `f32[4] reduce(f32[4,8] x, f32[] init), dimensions={1}`. With s0 in [0, 6] it is refuted by the
// point d0 = 0, where element (0, 7) is read and not given. With a second exact map beside it,
// (d0) -> (0, 0), it is refuted by d0 = 1, where element (0, 0) is given and not read.
#ifndef AFFIRM_VERIFY_HLO_PROOF_PROVE_MAP_H_
#define AFFIRM_VERIFY_HLO_PROOF_PROVE_MAP_H_

#include "core/analysis/indexing.h"
#include "verify/decide/decider.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/maps/maps.h"

namespace affirm {

// Is `map` (dims = output index, or input index for kInputToOutput) the relation: equal for an
// exact label, a superset for an over-approximate one? A map without a claim (unknown) is kUnknown.
MapProofResult ProveMap(const AccessRelation& relation, const LabeledMap& map, Direction direction,
                        const DecideOptions& options = {});
// The same for the maps of one operand taken together: is their union the relation (a superset,
// unless all are exact)? No maps at all say that nothing is read. Where a map names the replica
// that it reads, the pairs of element and replica are proved to be those that are read as well.
MapProofResult ProveMaps(const AccessRelation& relation, llvm::ArrayRef<LabeledMap> maps,
                         Direction direction, const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_PROVE_MAP_H_
