// Dynamic sizes, which are known at run time only. The shape f32[<=5] has at most five elements;
// the program says how many, and the rest of its memory is padding, which a sum over the array does
// not include.
//
// Every layer with a semantics of instructions asks here first whether one uses dynamic sizes, and
// refuses what it does not handle: a shape's `dims` are then bounds, not sizes.
#ifndef AFFIRM_CORE_HLO_DYNAMIC_SIZES_H_
#define AFFIRM_CORE_HLO_DYNAMIC_SIZES_H_

#include "core/hlo/module.h"

namespace affirm::hlo {

// Whether an array of the shape has a dynamic dimension, bounded or not.
bool HasDynamicSize(const Shape& shape);

// Whether a size that is known at run time only has a part in what the instruction computes: the
// result or an operand has one, the instruction sets one (whatever its result is written as), or
// the module ties sizes of its parameters to values. Instructions of called computations answer for
// themselves.
bool UsesDynamicSizes(const Instruction& instruction);
// The same for leaf `output_id` of the result alone. It makes a difference for tuples and their
// elements: a leaf of static size is what it is, beside a dynamic one.
bool UsesDynamicSizes(const Instruction& instruction, int64_t output_id);
// Whether an instruction of the computation, or of those that it calls, does.
bool UsesDynamicSizes(const Computation& computation);

// Whether sizes of the instruction's result may be dynamic that its shape does not show.
bool MayHideDynamicSizes(const Instruction& instruction);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_DYNAMIC_SIZES_H_
