// The proof that the maps of a fusion, or of another op that calls computations, are what these
// read.
#ifndef AFFIRM_VERIFY_HLO_FUSION_H_
#define AFFIRM_VERIFY_HLO_FUSION_H_

#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "verify/maps/maps.h"

namespace affirm {

// Does leaf `output_id` of the op's result mean what the computations that the op calls mean? True
// of fusions, calls, conditionals and the results of async-start, where they are well-formed.
bool IsCall(const hlo::Instruction& op, int64_t output_id);

// For such an op, one answer per operand: is the union of `maps[operand]` (from result leaf
// `output_id`) the union, over all paths from the root to the parameter, of the compositions of the
// ops' relations? Equal if all its maps are labelled exact; a cover otherwise, of which the exact
// ones hold nothing that isn't read. The maps of each instruction inside are proved against its
// meaning first, then composed by definition. Of a conditional, each branch may run: its maps can
// only be covers. Unknown, with the reason, where an instruction has no meaning, or past the bounds
// on paths.
std::vector<MapAnswer> ProveFusion(const hlo::Instruction& fusion, int64_t output_id,
                                   llvm::ArrayRef<std::vector<LabeledMap>> maps, Context& context,
                                   const DecideOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_FUSION_H_
