// The bits that may be ones in a machine integer. Internal to verify/terms.
#ifndef AFFIRM_VERIFY_TERMS_POSSIBLE_BITS_H_
#define AFFIRM_VERIFY_TERMS_POSSIBLE_BITS_H_

#include <optional>

#include "verify/terms/scope.h"

namespace affirm::terms {

// Integers of more bits have no term: what is computed of them is unknown.
inline constexpr int64_t kWidest = 120;

inline Int128 PowerOfTwo(int64_t exponent) { return Int128{1} << exponent; }

// The number modulo 2^width, if the term is one here.
std::optional<Int128> NumberOf(Scope& scope, Term a, int64_t width);

// The bits that may be ones in a, modulo 2^width.
Int128 PossibleBits(Scope& scope, Term a, int64_t width);

}  // namespace affirm::terms

#endif  // AFFIRM_VERIFY_TERMS_POSSIBLE_BITS_H_
