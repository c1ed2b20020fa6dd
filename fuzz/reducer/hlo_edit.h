// Changes to HLO modules that keep them whole. Internal to the reducer.
#ifndef AFFIRM_FUZZ_REDUCER_HLO_EDIT_H_
#define AFFIRM_FUZZ_REDUCER_HLO_EDIT_H_

#include <memory>
#include <vector>

#include "core/hlo/module.h"

namespace affirm::fuzz {

// A copy, by way of the text; null when the text does not read back.
std::unique_ptr<hlo::Module> Clone(const hlo::Module& module);

// The instructions that call a computation.
std::vector<hlo::Instruction*> Callers(const hlo::Computation& computation);

// Every use of `from`, the root included, becomes one of `to`, an earlier instruction of the same
// computation.
void ReplaceUses(hlo::Instruction& from, hlo::Instruction& to);

// A new parameter of the computation, of the shape of another instruction.
hlo::Instruction& AddParameter(hlo::Computation& computation, const hlo::Instruction& like);

// Turns an instruction into a parameter of its shape: of the entry, or of a computation that a
// single fusion or call of the entry calls, which gets an operand. False for other computations.
bool BecomeParameter(hlo::Instruction& instruction);
// The same elements as far as both shapes have them, converted.
hlo::Literal Resized(const hlo::Literal& literal, const hlo::Shape& shape);

// Makes a module whole again after a change: drops what the roots don't reach, parameters that
// nothing uses and computations that nothing calls; gives every instruction the shape that its
// operands ask for. False when no valid module comes of it.
bool Repair(hlo::Module& module);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_REDUCER_HLO_EDIT_H_
