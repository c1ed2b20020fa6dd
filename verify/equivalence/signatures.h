// Checks that two computations have the same signature: parameters and result shapes.
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

// Load terms for elements of parameters, common to both computations: by the number of the array
// leaf and the row-major index, for any layout. The scope must outlive the function.
hlo_values::ElementFunction LogicalElements(terms::Scope& scope,
                                            const hlo::Computation& computation);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_SIGNATURES_H_
