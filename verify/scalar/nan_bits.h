// Operations whose value depends on more of a NaN than that it is one.
#ifndef AFFIRM_VERIFY_SCALAR_NAN_BITS_H_
#define AFFIRM_VERIFY_SCALAR_NAN_BITS_H_

#include "core/hlo/module.h"

namespace affirm::hlo {

// Whether the sign or the payload of a NaN operand may decide a value: HLO defines neither for a
// NaN that is computed.
//
//   bitcast-convert from f32 to s32: true, and false where the operand is s32
bool SeesBitsOfNaN(const Instruction& op);
// Whether such an operation is in the computation, or in one that it calls.
bool SeesBitsOfNaN(const Computation& computation);

// Whether a value of the shape has floats or complex numbers, in a tuple of any depth too.
bool HasFloats(const Shape& shape);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_NAN_BITS_H_
