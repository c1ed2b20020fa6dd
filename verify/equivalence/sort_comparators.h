// The comparators of sorts that launches make. Internal to verify/equivalence.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_

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

// The comparator of a stable sort that one with positions is made of; null where it is none.
std::unique_ptr<hlo::Computation> WithoutPositions(const hlo::Computation& with);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_
