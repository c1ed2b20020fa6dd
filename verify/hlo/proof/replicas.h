// Maps together with the replicas that they name, composed and compared by definition.
//
// A map of a collective may name the member of the replica group whose operand is read, over its
// own variables. A composition names those of all steps that name one, in the order of the steps:
// of an all-gather of f32[4] from two, of an all-gather of f32[2] from two, element d0 is element
// d0 mod 2 of member (d0 mod 4) floordiv 2 of the group of member d0 floordiv 4.
#ifndef AFFIRM_VERIFY_HLO_PROOF_REPLICAS_H_
#define AFFIRM_VERIFY_HLO_PROOF_REPLICAS_H_

#include <cstdint>

#include "core/analysis/indexing.h"
#include "core/indexing/indexing_map.h"

namespace affirm {

// How many replicas the map names.
int64_t NumReplicas(const LabeledMap& labeled);
// The map to (element, replicas); undefined where the two parts are not over the same variables.
IndexingMap JoinReplicas(const LabeledMap& labeled);
// The other way: the first `rank` results lead to the element.
void SplitReplicas(const IndexingMap& joined, int64_t rank, LabeledMap& out);

// `second` after `first`, to (element, replicas of first, replicas of second).
IndexingMap ComposeWithReplicas(const LabeledMap& first, const LabeledMap& second);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_REPLICAS_H_
