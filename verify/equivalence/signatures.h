// What two computations have in common before anything is proved of them: their parameters and the
// shapes of their results.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_SIGNATURES_H_
#define AFFIRM_VERIFY_EQUIVALENCE_SIGNATURES_H_

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"
#include "verify/hlo/values/values.h"
#include "verify/terms/scope.h"

namespace affirm::equivalence {

// An error where parameters or results differ in number or shape (layouts aside):
// "parameter 1 is f32[4] and f32[5]".
llvm::Error CheckSignatures(const hlo::Computation& a, const hlo::Computation& b);

// Elements of parameters as both computations name them: the array leaves have numbers, and their
// elements the row-major position, whatever the layouts. The scope outlives the function.
hlo_values::ElementFunction LogicalElements(terms::Scope& scope,
                                            const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SIGNATURES_H_
