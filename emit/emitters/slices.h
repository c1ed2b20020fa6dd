// Which arrays of a kernel are in one slice of memory: operands that are one value, and results
// that are written over an operand.
#ifndef AFFIRM_EMIT_EMITTERS_SLICES_H_
#define AFFIRM_EMIT_EMITTERS_SLICES_H_

#include <cstdint>
#include <vector>

#include "emit/emitters/emitter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::emit {

// Whether a thread that writes an element of the output is the only one that reads that element of
// the input, and reads nothing else of it, all before it writes: then the output may be in the
// input's memory. So it is where one function, that of all outputs, reads the input at its own
// index; a thread computes what the function gives before it stores any of it.
//
//   %f { x = f32[8], y = f32[8], ROOT r = add(negate(x), reverse(y)) }   r over x: yes, over y: no
bool CanBeWrittenOver(const FlatGraph& graph, const EmissionPlan& plan, size_t output,
                      size_t input);

// The slice of each array, inputs before outputs: the number of the first array in it. `wanted`, by
// array too, is EmitOptions::slices. Inputs of one slice share it where they have one type and
// size. An output that is updated in place has its input's where the kernel reads that nowhere
// (`is_read`, by input), so that a caller need not copy it; any other output is in the slice of an
// input where that is wanted and CanBeWrittenOver allows it. No two outputs have one slice.
std::vector<int64_t> ChooseSlices(const FlatGraph& graph, const EmissionPlan& plan,
                                  llvm::ArrayRef<int64_t> wanted,
                                  llvm::function_ref<bool(size_t input)> is_read);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_SLICES_H_
