// A rounding that an implementation may choose, of which a proof knows nothing else.
//
//   y = f32[8] reduce-precision(x), exponent_bits=8, mantissa_bits=10, rounding_choice=3
//
// Each element is x, or x with fewer bits, by a choice of number 3: the same one wherever that
// number stands. It is a function of the element of which no rule says anything, but that numbers
// of few bits are what they were. What is proved of it holds of both. Proofs make such instructions
// (equivalence/product_precision.h); no module has them.
#ifndef AFFIRM_VERIFY_HLO_VALUES_ROUNDING_CHOICE_H_
#define AFFIRM_VERIFY_HLO_VALUES_ROUNDING_CHOICE_H_

#include <cstdint>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "verify/terms/term.h"

namespace affirm::hlo_values {

// The name of the attribute.
inline constexpr llvm::StringLiteral kRoundingChoice = "rounding_choice";

// The value of such an instruction, of the value of its operand; null of others.
terms::Term RoundedByChoice(terms::Pool& pool, const hlo::Instruction& op, terms::Term operand);

}  // namespace affirm::hlo_values

#endif  // AFFIRM_VERIFY_HLO_VALUES_ROUNDING_CHOICE_H_
