// Known-bits analysis of a machine integer: a mask of the bits that may be set.
// Internal to verify/terms.
#ifndef AFFIRM_VERIFY_TERMS_POSSIBLE_BITS_H_
#define AFFIRM_VERIFY_TERMS_POSSIBLE_BITS_H_

#include <optional>

#include "verify/terms/scope.h"

namespace affirm::terms {

// Integers of more bits have no term: results on them are unknown.
inline constexpr int64_t kWidest = 120;

inline Int128 PowerOfTwo(int64_t exponent) { return Int128{1} << exponent; }

// The term's value modulo 2^width, if its range is a single number.
std::optional<Int128> NumberOf(Scope& scope, Term a, int64_t width);

// A mask of the bits that may be set in a modulo 2^width.
Int128 PossibleBits(Scope& scope, Term a, int64_t width);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_POSSIBLE_BITS_H_
