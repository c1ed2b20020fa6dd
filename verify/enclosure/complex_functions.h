// Functions of complex numbers on enclosures.
#ifndef AFFIRM_VERIFY_ENCLOSURE_COMPLEX_FUNCTIONS_H_
#define AFFIRM_VERIFY_ENCLOSURE_COMPLEX_FUNCTIONS_H_

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/enclosure/enclosure.h"

namespace affirm::enclosure {

// Compilers expand complex functions into formulas of real ones. A formula may be off by this many
// unit roundoffs of the result's magnitude, or of the terms that cancel, so a part much smaller
// than the other may have no correct digits (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, section 3.6). Products, quotients and roots have at most ten operations;
// functions apply two or three real functions of the table of `UlpOf`.
inline constexpr double kComplexRoundings = 32;

// Encloses an elementwise operation with a complex result. Returns all numbers for inverse sines
// and inverse hyperbolic sines, atan2 and remainder, and where a formula may overflow or underflow.
Enclosure EncloseComplex(const hlo::Instruction& op, llvm::ArrayRef<Enclosure> operands);
// Returns all numbers where the quotient may overflow or underflow.
Enclosure ComplexQuotient(hlo::PrimitiveType part, const Enclosure& a, const Enclosure& b);
// The magnitude of a complex number.
Interval ComplexMagnitude(hlo::PrimitiveType part, const Enclosure& a);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_COMPLEX_FUNCTIONS_H_
