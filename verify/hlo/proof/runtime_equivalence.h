// Comparison of maps with runtime variables, for all values of the elements that these name.
//
//   (d0)[s0]{rt0} -> (rt0), rt0 = producer[s0]       and the same with rt0 = producer[3 - s0],
//
// s0 in [0, 3], are equal: both lead to the set of all values of the producer. With s0 in [0, 2] in
// both they are not, because the values of producer[3] and of producer[0] may differ.
#ifndef AFFIRM_VERIFY_HLO_PROOF_RUNTIME_EQUIVALENCE_H_
#define AFFIRM_VERIFY_HLO_PROOF_RUNTIME_EQUIVALENCE_H_

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/maps/maps.h"

namespace affirm {

// For all values of the elements that the runtime variables name: do the two maps, over the same
// dims, lead to the same set at each index; is the union of `a` a superset of that of `b`? Unknown
// where only the values of several elements of a producer together decide.
MapProofResult ProveEqualForAllRuntimeValues(const IndexingMap& a, const IndexingMap& b,
                                             const DecideOptions& options = {});
MapProofResult ProveCoversForAllRuntimeValues(llvm::ArrayRef<IndexingMap> a,
                                              llvm::ArrayRef<IndexingMap> b,
                                              const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_RUNTIME_EQUIVALENCE_H_
