// Maps between any two instructions, composed along all paths. For
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
// elements of `to` that it reads, input-to-output to those of `to` that read it. Each map's `leaf`
// is the array of `to` that it leads to. An empty list means that no element is read.
//
// Both are instructions of one computation; or the operand side is inside of a fusion or call in
// the computation of the other one, at any depth. An error otherwise, or if neither depends on the
// other.
llvm::Expected<std::vector<LabeledMap>> MapsBetween(const hlo::Instruction& from, int64_t leaf,
                                                    const hlo::Instruction& to, Direction direction,
                                                    Context& context,
                                                    const IndexingOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_BETWEEN_H_
