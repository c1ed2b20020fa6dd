// Maps of ops on arrays of dynamic size, which are known at run time only. Internal to
// core/analysis.
//
// For s = f32[<=5] set-dimension-size(p, n) and a sum over s, the map of the sum is
//   ()[s0]{rt0} -> (s0), domain: s0 in [0, 4], rt0 in [0, 5], s0 - rt0 in [-5, -1]
// where rt0 is n: the elements from n on are padding, which is not read.
#ifndef AFFIRM_CORE_ANALYSIS_DYNAMIC_SIZES_H_
#define AFFIRM_CORE_ANALYSIS_DYNAMIC_SIZES_H_

#include "core/analysis/ops/op_maps.h"

namespace affirm::analysis {

// The maps of an op that uses dynamic sizes, from those that it has where all sizes are as large as
// their bounds. Where a size cannot be followed to the scalar that sets it, as that of a parameter,
// the maps at the bounds are over-approximate for ops whose elements stay where they are, whatever
// the sizes; else they are unknown, as for ops that have no such maps.
InstructionIndexing WithDynamicSizes(const hlo::Instruction& op, int64_t output_id,
                                     InstructionIndexing at_bounds, Session& session);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_DYNAMIC_SIZES_H_
