// Maps through whole computations, by composing those of their instructions. Internal to
// core/analysis.
#ifndef AFFIRM_CORE_ANALYSIS_COMPUTATION_H_
#define AFFIRM_CORE_ANALYSIS_COMPUTATION_H_

#include "core/analysis/ops/op_maps.h"

namespace affirm::analysis {

// `second` after `first`, simplified, with the weaker label and second's leaf. Undefined when it
// grows past kMaxExpressionSize. Through several collectives the replica has one result for each,
// in the order in which the map meets them: a position in the group of the replica before.
LabeledMap ComposeLabeled(const LabeledMap& first, const LabeledMap& second);

GroupedIndexing ComputationIndexing(const hlo::Instruction& root, int64_t output_id,
                                    Session& session);

// From leaf `leaf` of an instruction to `user`, which needs it, in the same computation, and to all
// instructions on the way: operands come before users, the instruction itself has the identity. The
// maps say to which leaf they lead.
GroupedIndexing UserIndexing(const hlo::Instruction& from, int64_t leaf,
                             const hlo::Instruction& user, Session& session);

// From leaf `output_id` of the root to the parameters (list k: parameter k), and from parameter
// `parameter` to the leaves of the root. Computed once a session.
InstructionIndexing ToParameters(const hlo::Computation& computation, int64_t output_id,
                                 Session& session);
InstructionIndexing FromParameter(const hlo::Computation& computation, int64_t parameter,
                                  Session& session);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_COMPUTATION_H_
