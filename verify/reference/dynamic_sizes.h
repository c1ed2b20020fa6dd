// Values with dynamic dimensions. The value of an f32[<=5] is a literal of its actual size, of
// shape f32[3], say. On such values an op does what it does on static arrays of these sizes.
#ifndef AFFIRM_VERIFY_REFERENCE_DYNAMIC_SIZES_H_
#define AFFIRM_VERIFY_REFERENCE_DYNAMIC_SIZES_H_

#include "verify/reference/ops.h"

namespace affirm::hlo {

// Whether a value of shape `actual` may stand where `declared` is written: the same type and sizes,
// where a dynamic dimension may have any size up to its bound. Layouts are not compared.
bool FitsShape(const Shape& actual, const Shape& declared);

// Evaluates an instruction that uses dynamic sizes by its function for static ones. An error for
// ops for which that is not defined here, and for operands whose sizes do not fit each other.
Result EvaluateOnActualSizes(const OpInvocation& call, Result (*evaluate)(const OpInvocation&));

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_DYNAMIC_SIZES_H_
