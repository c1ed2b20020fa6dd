// Operations that are no functions of their operands, and those that do something beside their
// result.
//
//   x = s32[4] rng(a, b), y = s32[4] rng(a, b)     // y need not be x
//   o = token[] outfeed(p, t)                      // what p is matters, and is no result
#ifndef AFFIRM_VERIFY_EQUIVALENCE_EFFECTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_EFFECTS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::equivalence {

// Whether the same operands give the same result each time, of the operation and of all that it
// calls. Unknown operations, random numbers, what is received, and custom calls with a side effect
// do not.
bool IsFunctionOfOperands(const hlo::Instruction& op);

// The targets of custom calls that the results depend on and that have no known meaning, each once:
// functions of their operands, as far as anybody knows.
std::vector<std::string> AssumedFunctions(const hlo::Computation& computation);

// Whether it sends, receives or has another effect, as an unknown operation may.
bool HasEffect(const hlo::Instruction& op);
// An instruction of the computation, or of one that it calls, that sends, receives or has another
// effect, as an unknown one may; null where there is none.
const hlo::Instruction* FindEffect(const hlo::Computation& computation);
// Such a one on which no result depends, so that whoever goes through the graph from the results
// does not come to it.
const hlo::Instruction* FindEffectBesideResults(const hlo::Computation& computation);
// An instruction of the computation that runs a loop which is not known to end (IsKnownToEnd), of
// those that the caller does not know to end for another reason; null where there is none.
const hlo::Instruction* FindOpenLoop(const hlo::Computation& computation,
                                     llvm::function_ref<bool(const hlo::Instruction&)> ends);
// An open loop on which no result depends, in the computation or in one that it calls.
const hlo::Instruction* FindOpenLoopBesideResults(
    const hlo::Computation& computation, llvm::function_ref<bool(const hlo::Instruction&)> ends);
// Whether its results are a function of its operands that value terms do not say.
bool IsOpaqueFunction(const hlo::Instruction& op);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_EFFECTS_H_
