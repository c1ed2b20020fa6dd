// Operations that are not pure: not functions of their operands, or with side effects.
//
//   x = s32[4] rng(a, b), y = s32[4] rng(a, b)     // y need not be x
//   o = token[] outfeed(p, t)                      // p is observable, but not a result
#ifndef AFFIRM_VERIFY_EQUIVALENCE_EFFECTS_H_
#define AFFIRM_VERIFY_EQUIVALENCE_EFFECTS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::equivalence {

// Whether the operation, and all that it calls, is a function of its operands. Unknown operations,
// random numbers, receives, and custom calls with a side effect are not.
bool IsFunctionOfOperands(const hlo::Instruction& op);

// The targets of custom calls without a known meaning that the results depend on, each once. They
// are assumed to be functions of their operands.
std::vector<std::string> AssumedFunctions(const hlo::Computation& computation);

// Whether it sends, receives or has another side effect. Unknown operations are assumed to.
bool HasEffect(const hlo::Instruction& op);
// An instruction with an effect in the computation or one that it calls; null if there is none.
const hlo::Instruction* FindEffect(const hlo::Computation& computation);
// An effectful instruction that is unreachable from the results, so that a traversal from these
// misses it; null if there is none.
const hlo::Instruction* FindEffectBesideResults(const hlo::Computation& computation);
// An instruction that runs a loop, or a branch with a collective, not known to terminate, by
// IsKnownToEnd or the caller's `ends`; null if there is none.
const hlo::Instruction* FindOpenLoop(const hlo::Computation& computation,
                                     llvm::function_ref<bool(const hlo::Instruction&)> ends);
// As FindOpenLoop, for a loop that is unreachable from the results, in called computations too.
const hlo::Instruction* FindOpenLoopBesideResults(
    const hlo::Computation& computation, llvm::function_ref<bool(const hlo::Instruction&)> ends);
// Whether it is a function of its operands without value terms, hence opaque.
bool IsOpaqueFunction(const hlo::Instruction& op);

}  // namespace affirm::equivalence

#endif  // AFFIRM_VERIFY_EQUIVALENCE_EFFECTS_H_
