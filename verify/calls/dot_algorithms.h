// Writes the `algorithm` of a dot as HLO: the type to which its operands are rounded, and the type
// in which its terms are summed.
//
//   d = f32[4,8] dot(a, b), ..., algorithm=dot_bf16_bf16_f32
// becomes
//   a_bf16 = bf16[4,6] convert(a)    b_bf16 = bf16[6,8] convert(b)
//   d = f32[4,8] dot(a_bf16, b_bf16), ...
//
// With `_x3`, `_x6` or `_x9` an operand is a sum of parts of that type, each what is left of the
// operand rounded, and 3, 6 or 9 products of parts are summed, those of the smallest parts first.
#ifndef AFFIRM_VERIFY_CALLS_DOT_ALGORITHMS_H_
#define AFFIRM_VERIFY_CALLS_DOT_ALGORITHMS_H_

#include "core/hlo/module.h"

namespace affirm::calls {

// Replaces the dots whose algorithm says what they compute. Others keep theirs, and have no values:
// sums in a type narrower than f32, sums that are less exact than their type.
void ExpandDotAlgorithms(hlo::Module& module);

// Gives dots of f32 in default precision the algorithm dot_tf32_tf32_f32, as a compiler for a
// device that multiplies matrices of TF32 may. What is said to be `high` or `highest`, or has an
// algorithm, stays.
void UseTf32(hlo::Module& module);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_DOT_ALGORITHMS_H_
