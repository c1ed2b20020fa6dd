// Functions of complex numbers on enclosures.
#ifndef AFFIRM_VERIFY_ENCLOSURE_COMPLEX_FUNCTIONS_H_
#define AFFIRM_VERIFY_ENCLOSURE_COMPLEX_FUNCTIONS_H_

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/enclosure/enclosure.h"

namespace affirm::enclosure {

// What compilers expand functions into are formulas of real functions, that may be off by this many
// unit roundoffs of the magnitude of the result, or of what the formula cancels: a part that is
// small beside the other one may have no digits (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, section 3.6). Products, quotients and roots have at most ten operations;
// functions two or three of those in the table of `UlpOf`.
inline constexpr double kComplexRoundings = 32;

// An elementwise operation whose result is complex. All numbers for inverse functions of sines and
// hyperbolic sines, atan2 and remainder, and where a formula may overflow or underflow.
Enclosure EncloseComplex(const hlo::Instruction& op, llvm::ArrayRef<Enclosure> operands);
// All numbers where it may overflow or underflow.
Enclosure ComplexQuotient(hlo::PrimitiveType part, const Enclosure& a, const Enclosure& b);
// The magnitude of a complex number.
Interval ComplexMagnitude(hlo::PrimitiveType part, const Enclosure& a);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_COMPLEX_FUNCTIONS_H_
