// Instructions of two computations that compute the same by their form: the same operation on
// operands that are the same. Where two computations differ in a few places only, these are most of
// them, and need no terms.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_

#include <cstdint>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::equivalence {

// Whether a part with this operation is cut off: not where it has a term that says all of it.
bool IsWorthACut(hlo::Opcode opcode);

// Whether a compiler is asked for the same code of two instructions of one form: an algorithm is a
// note (backend_config), and rows and columns are summed by other kernels. So it is of what they
// call, where that leaves something open.
bool AreWrittenAlike(const hlo::Instruction& a, const hlo::Instruction& b);

// Whether x + y and y + x are one form, as they are one term. Instructions that leave something
// open are not one instruction for that.
enum class Operands : uint8_t { kInOrder, kMayChangePlaces };

// A number for each instruction of both computations, the same one only for instructions whose
// values are the same for all arguments; of two of b that leave something open, an order say, only
// where they are written alike. What has an effect, or another value each time, has a
// number of its own.
llvm::DenseMap<const hlo::Instruction*, int64_t> NumberSameParts(
    const hlo::Computation& a, const hlo::Computation& b, Operands operands = Operands::kInOrder);

// Who knows more than the form says.
struct PartProofs {
  // Whether an instruction of a and one of b, of one name and shape, have the same values.
  llvm::function_ref<bool(const hlo::Instruction& of_a, const hlo::Instruction& of_b)> are_same;
  // Told of each instruction of b that has the number of some of a, operands before users.
  llvm::function_ref<void(const hlo::Instruction& of_b, int64_t number)> matched;
};
// The same, where instructions that are not the same by their form may be so by a proof, and what
// is computed from them is then the same by its form again. `numbered` is called when all of a has
// its numbers.
llvm::DenseMap<const hlo::Instruction*, int64_t> NumberSameParts(
    const hlo::Computation& a, const hlo::Computation& b, const PartProofs& proofs,
    llvm::function_ref<void(const llvm::DenseMap<const hlo::Instruction*, int64_t>&)> numbered);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_
