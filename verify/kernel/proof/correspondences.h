// Where a kernel may differ in form from the op that it computes: the one table that says so.
//
//   op                            what a kernel may compute instead
//   rsqrt(x)                      divide(1, sqrt(x))
//   logistic(x)                   divide(1, add(1, exponential(negate(x))))
//   any op on f16 or bf16         the op on f32 of the converted operands, converted back (as the
//   interpreter does) comparisons of f16 or bf16    comparisons of the operands as f32
//
// Everything else is the same operation on the same operands, reductions being multisets.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_CORRESPONDENCES_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_CORRESPONDENCES_H_

#include <vector>

#include "verify/terms/scope.h"

namespace affirm::kernel {

// What a kernel may compute in the place of an operation (kApply) of the computation.
std::vector<terms::Term> CorrespondencesOf(terms::Scope& scope, terms::Term hlo);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_CORRESPONDENCES_H_
