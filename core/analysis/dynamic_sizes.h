// Maps of ops on arrays of dynamic size, that is, known at run time only. Internal to
// core/analysis.
//
// For s = f32[<=5] set-dimension-size(p, n) and a sum over s, the map of the sum is
//   ()[s0]{rt0} -> (s0), domain: s0 in [0, 4], rt0 in [0, 5], s0 - rt0 in [-5, -1]
// where rt0 is n: elements from n on are padding, and are not read.
#ifndef AFFIRM_CORE_ANALYSIS_DYNAMIC_SIZES_H_
#define AFFIRM_CORE_ANALYSIS_DYNAMIC_SIZES_H_

#include "core/analysis/ops/op_maps.h"

namespace affirm::analysis {

// The maps of an op with dynamic sizes, derived from its maps with all sizes at their bounds. If a
// size cannot be traced to the scalar that sets it, for instance a parameter's, the maps at the
// bounds are over-approximate for ops that keep elements in place for all sizes, and unknown for
// others.
InstructionIndexing WithDynamicSizes(const hlo::Instruction& op, int64_t output_id,
                                     InstructionIndexing at_bounds, Session& session);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_DYNAMIC_SIZES_H_
