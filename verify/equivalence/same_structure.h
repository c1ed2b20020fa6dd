// Whether two computations are isomorphic graphs: the same operations on the same operands from the
// results to the parameters, up to names, order of the text and metadata. Isomorphic graphs compute
// the same, even with unknown operations, except for undefined contents (undefined.h).
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SAME_STRUCTURE_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SAME_STRUCTURE_H_

#include "core/hlo/module.h"

namespace affirm::equivalence {

// Layouts count for operations that depend on them (bitcast, custom-call). Operations with effects,
// or that are not functions of their operands, must occur equally often on both sides.
bool SameStructure(const hlo::Computation& a, const hlo::Computation& b);

// Whether the computations are the same instruction by instruction, with layouts: those at one
// position have the same operation, and operands at the same positions.
bool SameInOrder(const hlo::Computation& a, const hlo::Computation& b);

// A hash of the attributes.
uint64_t HashOfAttributes(const hlo::Instruction& op);
// Whether operation, shape and attributes are equal; ignores operands and called computations.
bool SameAttributes(const hlo::Instruction& a, const hlo::Instruction& b);
// The same, ignoring the shapes of the results.
bool SameBesideShapes(const hlo::Instruction& a, const hlo::Instruction& b);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SAME_STRUCTURE_H_
