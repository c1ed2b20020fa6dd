// Checks that matrix products of B round no more than those of A that they implement.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_PRODUCT_PRECISION_H_
#define AFFIRM_VERIFY_EQUIVALENCE_PRODUCT_PRECISION_H_

#include <string>

#include "core/hlo/module.h"
#include "verify/equivalence/prove.h"

namespace affirm::equivalence {

// Whether a dot or a convolution may round its operands, which are f32.
bool MayRoundOperands(const hlo::Instruction& op);

// "dot d of B, that it may round more": a dot or a convolution of f32 in B, in less than the
// highest precision, where A may not round. Empty if there is none.
//
// Each instruction may round operands in default precision (to TF32, docs/kernels.md). B rounds no
// more than A if the following proof succeeds too: the operands of each product of B are rounded by
// an arbitrary function of its own (rounding_choice.h), and those of A by the functions of B's
// products, as far as A's precisions allow:
//
//   A: dot(x, y), dot(z, y)   B: the same   // rounded by choice 0, and by choice 1, in both
//
// `exact` is the proof of the two, by ProveEquivalent with these options.
std::string LessPrecise(const hlo::Computation& a, const hlo::Computation& b,
                        const EquivalenceProof& exact, const ProveOptions& options);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_PRODUCT_PRECISION_H_
