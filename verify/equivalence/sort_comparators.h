// The comparators of sorts that launches make. Internal to verify/equivalence.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_

#include <cstddef>
#include <memory>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::equivalence {

using Copies = llvm::DenseMap<const hlo::Instruction*, hlo::Instruction*>;

// Adds a copy of the instruction, whose operands are the copies of its own.
hlo::Instruction* CopyInto(hlo::Computation& to, const hlo::Instruction& op, const Copies& copies);

// Whether the two computations are proved to give the same results.
bool AreProvedEqual(hlo::Computation& a, hlo::Computation& b);

// Whether any two elements that are different are ordered by the comparator, of one array.
bool IsTotal(const hlo::Computation& less);

// `less` with the same parameters, of a comparator that is proved to be less(a, b), and to compare
// the positions in operand `operand` of the sort where neither comes before the other; null where
// it is none. It is that of a strict weak order `less` alone: whether it is one the caller asks.
std::unique_ptr<hlo::Computation> LessBesidePositions(const hlo::Computation& with, size_t operand);

// The same of positions of s32 in the last operand, without the parameters of these.
std::unique_ptr<hlo::Computation> WithoutPositions(const hlo::Computation& with);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_
