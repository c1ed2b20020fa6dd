// Products of Householder reflections, as LAPACK's geqrf and orgqr have them. Internal to
// verify/calls.
#ifndef AFFIRM_VERIFY_CALLS_REFLECTIONS_H_
#define AFFIRM_VERIFY_CALLS_REFLECTIONS_H_

#include "verify/calls/matrix_text.h"

namespace affirm::calls {

// The result of LAPACK's geqrf: R in the upper triangle, below it the reflectors without their
// leading one, and their factors.
struct Reflectors {
  Value matrix, factors;
};
Reflectors Reflect(Lines& text, llvm::StringRef name, const Value& a);

// The first columns of the product of the reflections.
Value Orthogonal(Lines& text, llvm::StringRef name, const Reflectors& of, int64_t columns);

}  // namespace affirm::calls

#endif  // AFFIRM_VERIFY_CALLS_REFLECTIONS_H_
