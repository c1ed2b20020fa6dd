// Whether two computations are the same graph: the same operations on the same operands from the
// results down to the parameters, whatever the names, the order of the text, and what says where an
// instruction came from. What is the same graph computes the same, even where nobody knows what an
// operation means, but for contents that nobody defines (undefined.h).
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SAME_STRUCTURE_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SAME_STRUCTURE_H_

#include "core/hlo/module.h"

namespace affirm::equivalence {

// Layouts count where an operation depends on them (bitcast, custom-call); operations that have an
// effect, or whose values differ from one run to the next, are the same only in the same number.
bool SameStructure(const hlo::Computation& a, const hlo::Computation& b);

// Whether they are the same graph, layouts and all, and written in the same order: the instructions
// at one place of both are the same operation on those at the same places.
bool SameInOrder(const hlo::Computation& a, const hlo::Computation& b);

// The same number for instructions of the same attributes; mostly another one for others.
uint64_t HashOfAttributes(const hlo::Instruction& op);
// Whether the operation and its attributes are the same; the operands and the computations that it
// calls aside.
bool SameAttributes(const hlo::Instruction& a, const hlo::Instruction& b);
// The same, whatever the shapes of their results are.
bool SameBesideShapes(const hlo::Instruction& a, const hlo::Instruction& b);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SAME_STRUCTURE_H_
