// Instructions of two computations that compute the same by their form: the same operation on
// operands that are the same. Where two computations differ in a few places only, these are most of
// them, and need no terms.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::equivalence {

// A number for each instruction of both computations, the same one only for instructions whose
// values are the same for all arguments. What has an effect, or another value each time, has a
// number of its own.
llvm::DenseMap<const hlo::Instruction*, int64_t> NumberSameParts(const hlo::Computation& a,
                                                                 const hlo::Computation& b);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SAME_PARTS_H_
