// The ends of the floating-point element types.
#ifndef AFFIRM_VERIFY_SCALAR_FLOAT_LIMITS_H_
#define AFFIRM_VERIFY_SCALAR_FLOAT_LIMITS_H_

#include "core/hlo/shape.h"

namespace affirm::hlo {

// The largest finite number of a floating type.
double LargestFinite(PrimitiveType type);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_FLOAT_LIMITS_H_
