// Maps between two instructions, whatever stands on the way. Of
//   reshape1 = f32[50,20] reshape(p0)          // p0 is f32[10,10,10]
//   reshape2 = f32[10,10,10] reshape(reshape1)
// the map from reshape2 to p0 is (d0, d1, d2) -> (d0, d1, d2).
#ifndef AFFIRM_CORE_ANALYSIS_BETWEEN_H_
#define AFFIRM_CORE_ANALYSIS_BETWEEN_H_

#include <cstdint>
#include <vector>

#include "core/analysis/indexing.h"
#include "llvm/Support/Error.h"

namespace affirm {

// The distinct, simplified maps from an element of leaf `leaf` of `from`: output-to-input to the
// elements of `to` that it needs, input-to-output to those of `to` that need it. Each says in
// `leaf` to which array of `to` it leads. No map: nothing is read, although `to` is on the way.
//
// Both are instructions of one computation; or the one that is needed is in a fusion, or a call,
// that the computation of the other one makes, at any depth. An error when neither is so, or when
// none of them needs the other: `to` is not on the way.
llvm::Expected<std::vector<LabeledMap>> MapsBetween(const hlo::Instruction& from, int64_t leaf,
                                                    const hlo::Instruction& to, Direction direction,
                                                    Context& context,
                                                    const IndexingOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_BETWEEN_H_
