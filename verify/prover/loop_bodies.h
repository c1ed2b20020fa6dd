// Arrays of a loop that its body makes of themselves alone, at the same index: after any number of
// trips such an array is made of what it was before the loop.
#ifndef AFFIRM_VERIFY_PROVER_LOOP_BODIES_H_
#define AFFIRM_VERIFY_PROVER_LOOP_BODIES_H_

#include <cstdint>
#include <string>

#include "core/hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::prover {

// Whether array `leaf` of a `while` is such an array.
bool IsKept(const hlo::Instruction& loop, int64_t leaf);
// The body of the loop as a certificate has it: "body NAME", the lines that show which arrays are
// kept, "end body". `line_of` is the text of an instruction.
std::string BodyText(const hlo::Instruction& loop,
                     llvm::function_ref<std::string(const hlo::Instruction&)> line_of);

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_LOOP_BODIES_H_
