// Simplifies operations on floats: constant folding, and cancelling conversions.
// Internal to verify/terms; Pool::Apply calls it.
//
//   convert f32 -> bf16 of (convert bf16 -> f32 of x)     is x
//   convert f32 -> bf16 of (maximum of two such of x, y)   is (maximum of x, y)
//   convert f32 -> bf16 of (maximum of any a, b)           is (maximum of them converted)
//   convert f32 -> bf16 of (add of two such of x, y)       is (add of x, y)
//   multiply of x and 1, maximum of x and -inf             is x
//   compare-LT of (abs of x) and inf                       is (is-finite of x)
//   compare-LT of x and NaN                                is false
#ifndef AFFIRM_VERIFY_TERMS_FLOAT_OPERATIONS_H_
#define AFFIRM_VERIFY_TERMS_FLOAT_OPERATIONS_H_

#include "verify/terms/term.h"

namespace affirm::terms {

// The simpler form of an operation on values, or null. They are equal up to the bits of a NaN.
Term SimplerOperation(Pool& pool, Op op, hlo::PrimitiveType type, llvm::ArrayRef<Term> args);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_FLOAT_OPERATIONS_H_
