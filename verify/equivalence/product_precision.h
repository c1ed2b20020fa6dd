// Products of matrices that may round more than those that they stand for.
#ifndef AFFIRM_VERIFY_EQUIVALENCE_PRODUCT_PRECISION_H_
#define AFFIRM_VERIFY_EQUIVALENCE_PRODUCT_PRECISION_H_

#include <string>

#include "core/hlo/module.h"
#include "verify/equivalence/prove.h"

namespace affirm::equivalence {

// Whether a dot or a convolution may round its operands, which are f32.
bool MayRoundOperands(const hlo::Instruction& op);

// "dot d of B, that it may round more": a dot or a convolution of f32 in B, in less than the
// highest precision, where A may not round. Empty where there is none.
//
// Operands in default precision may be rounded (to TF32, by kernels.md), as a licence of each
// instruction. B rounds no more than A where both are also proved equal with the operands of each
// product of B rounded by a choice of its own (rounding_choice.h), and those of A by the choices of
// B's products, where their own precisions let them round as much:
//
//   A: dot(x, y), dot(z, y)   B: the same   // rounded by choice 0, and by choice 1, in both
//
// `exact` is the proof of the two, by ProveEquivalent with these options.
std::string LessPrecise(const hlo::Computation& a, const hlo::Computation& b,
                        const EquivalenceProof& exact, const ProveOptions& options);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_PRODUCT_PRECISION_H_
