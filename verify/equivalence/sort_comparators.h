// Analyses of sort comparators. Internal to verify/equivalence.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_

#include <cstddef>
#include <memory>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::equivalence {

using Copies = llvm::DenseMap<const hlo::Instruction*, hlo::Instruction*>;

// Adds a copy of the instruction, with the copies of its operands.
hlo::Instruction* CopyInto(hlo::Computation& to, const hlo::Instruction& op, const Copies& copies);

// Whether the two computations are proved to give the same results.
bool AreProvedEqual(hlo::Computation& a, hlo::Computation& b);

// Whether the comparator, of one array, orders any two different elements.
bool IsTotal(const hlo::Computation& less);

// Decomposes a comparator that is proved to be less(a, b), with ties broken by the positions in
// operand `operand` of the sort; returns `less` with the same parameters, or null. The equivalence
// requires that `less` is a strict weak order, which the caller must check.
std::unique_ptr<hlo::Computation> LessBesidePositions(const hlo::Computation& with, size_t operand);

// The same for s32 positions in the last operand, without their parameters.
std::unique_ptr<hlo::Computation> WithoutPositions(const hlo::Computation& with);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SORT_COMPARATORS_H_
