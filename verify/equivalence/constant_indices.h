// Whether constant indices satisfy unique_indices or indices_are_sorted of a gather or a scatter.
//
//   i = s32[2,1] constant({{2},{7}}), s = scatter(x, i, u), unique_indices=true
//
// does: elements 2 and 7 of x get one update each. Indices are constant if the value term of each
// element is a number: constants, iotas, and values computed from them.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_CONSTANT_INDICES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_CONSTANT_INDICES_H_

#include "core/hlo/module.h"

namespace affirm::equivalence {

// The indices of a gather or a scatter.
const hlo::Instruction& IndicesOf(const hlo::Instruction& op);

// Whether no element of a scatter's operands gets two updates. False if an index is not constant,
// or there are more than 65,536 updates.
bool UpdatesAreApart(const hlo::Instruction& scatter);

// Whether the index vectors of a gather or a scatter ascend in lexicographic order, in the
// row-major order of the batch. False where an index is not constant, and for more than 65,536
// indices.
bool IndexVectorsAscend(const hlo::Instruction& op);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_CONSTANT_INDICES_H_
