// Arrays whose sizes are known at run time only. The value of an f32[<=5] is an array of the size
// that it has: a literal of shape f32[3], say. What an op does on such arrays is what it does on
// arrays of these sizes.
#ifndef AFFIRM_VERIFY_REFERENCE_DYNAMIC_SIZES_H_
#define AFFIRM_VERIFY_REFERENCE_DYNAMIC_SIZES_H_

#include "verify/reference/ops.h"

namespace affirm::hlo {

// Whether a value of shape `actual` may stand where `declared` is written: the same type and sizes,
// where a dynamic dimension may have any size up to its bound. Layouts are not compared.
bool FitsShape(const Shape& actual, const Shape& declared);

// An instruction that uses dynamic sizes, by the function that evaluates it at static ones. An
// error for ops that have no such meaning here, and for operands whose sizes do not fit each other.
Result EvaluateOnActualSizes(const Call& call, Result (*evaluate)(const Call&));

Result EvaluateDynamicReshape(const Call& call);
Result EvaluateSetDimensionSize(const Call& call);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_DYNAMIC_SIZES_H_
