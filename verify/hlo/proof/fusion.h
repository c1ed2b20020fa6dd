// The proof that the maps of a fusion, or of another op that calls computations, are what these
// computations read.
//
//   fused { p = f32[4,8] parameter(0), t = f32[8,4] transpose(p), ROOT s = f32[2,4] slice(t), ... }
//
// The map of p is proved by proving the maps of s and of t, composing them by definition along the
// path s, t, p, and comparing the result with the map that is claimed for the fusion.
#ifndef AFFIRM_VERIFY_HLO_PROOF_FUSION_H_
#define AFFIRM_VERIFY_HLO_PROOF_FUSION_H_

#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "verify/hlo/proof/paths.h"
#include "verify/maps/maps.h"

namespace affirm {

// Is array leaf `output_id` of the op's result computed by the computations that the op calls? True
// of well-formed fusions, calls, conditionals and loops, and of the results of async-start.
bool IsCall(const hlo::Instruction& op, int64_t output_id);

// For such an op, one answer per operand: is the union of `maps[operand]` (from result leaf
// `output_id`) the union, over all paths from the root to the parameter, of the compositions of the
// access relations of the ops? Equal if all maps are labeled exact; otherwise a superset, in which
// the exact maps give nothing that is not read. The maps of each instruction inside are first
// proved to be its access relation, then composed by definition. A branch of a conditional reads
// where the value of the selector selects it. Unknown, with the reason, where an instruction has no
// access relation, or where there are too many paths. Of a `while` the invariants are proved
// (loops.h).
std::vector<MapProofResult> ProveFusion(const hlo::Instruction& fusion, int64_t output_id,
                                        llvm::ArrayRef<std::vector<LabeledMap>> maps,
                                        Context& context, const DecideOptions& options = {});
// The same with what others of the module have proved, and for them.
std::vector<MapProofResult> ProveFusion(const hlo::Instruction& fusion, int64_t output_id,
                                        llvm::ArrayRef<std::vector<LabeledMap>> maps,
                                        CallProofs& proofs);

// The maps that the analysis gives an op that calls computations, and what is proved of them; once.
const CallProofs::Call& ProofOfCall(const hlo::Instruction& op, int64_t leaf, CallProofs& proofs);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_FUSION_H_
