// Value numbering across two computations: the same operation on equal operands gives equal values.
// If the computations differ in a few places, this matches most instructions without terms.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_

#include <cstdint>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::equivalence {

// Whether a matched part with this operation is worth replacing by a symbolic array: not if its
// term is simple.
bool IsWorthACut(hlo::Opcode opcode);

// Whether a compiler would generate the same code for two instructions of one form: backend_config
// may select an algorithm, and rows and columns are summed by different kernels. The same holds for
// the instructions of called computations with open choices.
bool AreWrittenAlike(const hlo::Instruction& a, const hlo::Instruction& b);

// Whether x + y and y + x are one form, as they are one term. That does not make instructions with
// open choices one instruction.
enum class Operands : uint8_t { kInOrder, kMayChangePlaces };

// Value numbers for the instructions of both computations: equal numbers imply equal values for all
// arguments. Two instructions of b with open choices, such as an order, share a number only if they
// are written alike. An instruction with an effect, or that is not a function of its operands, has
// a number of its own.
llvm::DenseMap<const hlo::Instruction*, int64_t> NumberSameParts(
    const hlo::Computation& a, const hlo::Computation& b, Operands operands = Operands::kInOrder);

// Callbacks that add equalities by proof.
struct PartProofs {
  // Whether an instruction of a and one of b, with one name and shape, have equal values.
  llvm::function_ref<bool(const hlo::Instruction& of_a, const hlo::Instruction& of_b)> are_same;
  // Called for each instruction of b that has the number of one of a, operands before users.
  llvm::function_ref<void(const hlo::Instruction& of_b, int64_t number)> matched;
};
// As above; instructions that differ in form may be equal by a proof, and their users may then
// match by form again. `numbered` is called when all of a has its numbers.
llvm::DenseMap<const hlo::Instruction*, int64_t> NumberSameParts(
    const hlo::Computation& a, const hlo::Computation& b, const PartProofs& proofs,
    llvm::function_ref<void(const llvm::DenseMap<const hlo::Instruction*, int64_t>&)> numbered);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_
