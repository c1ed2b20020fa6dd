// Maps through whole computations, by composing the maps of their instructions. Internal to
// core/analysis.
#ifndef AFFIRM_CORE_ANALYSIS_COMPUTATION_H_
#define AFFIRM_CORE_ANALYSIS_COMPUTATION_H_

#include "core/analysis/ops/op_maps.h"

namespace affirm::analysis {

// `second` after `first`, simplified, with the weaker label and second's leaf. Undefined if it
// exceeds kMaxExpressionSize. Through several collectives, the replica map has one result for each,
// in the order of the path: the position in the group of the previous replica.
LabeledMap ComposeLabeled(const LabeledMap& first, const LabeledMap& second);

GroupedIndexing ComputationIndexing(const hlo::Instruction& root, int64_t output_id,
                                    Session& session);

// Maps from leaf `leaf` of an instruction to `user`, which depends on it, in the same computation,
// and to all instructions on the paths; operands come before users. The instruction itself has the
// identity. The maps' `leaf` is the one they lead to.
GroupedIndexing UserIndexing(const hlo::Instruction& from, int64_t leaf,
                             const hlo::Instruction& user, Session& session);

// Maps from leaf `output_id` of the root to the parameters (list k: parameter k), and from
// parameter `parameter` to the leaves of the root. Memoized in the session.
InstructionIndexing ToParameters(const hlo::Computation& computation, int64_t output_id,
                                 Session& session);
InstructionIndexing FromParameter(const hlo::Computation& computation, int64_t parameter,
                                  Session& session);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_COMPUTATION_H_
