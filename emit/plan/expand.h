// Calls in place, and ops that no emitter has a kernel for, written with ops that have one. A sort
// of long rows becomes
//
//   tiles = sort of 1024 elements each
//   step  = select(less(upper, lower), other, mine)     once for each launch of the network
//   tiles = sort of 1024 elements each, and so on
//
// What is made is held against the op: by the interpreter where it is small, by a proof otherwise.
#ifndef AFFIRM_EMIT_PLAN_EXPAND_H_
#define AFFIRM_EMIT_PLAN_EXPAND_H_

#include <memory>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::emit {

struct Expansion {
  std::unique_ptr<hlo::Module> module;  // owns the computation; null when nothing was expanded
  const hlo::Computation* computation = nullptr;
  // For each instruction that is a copy: the instruction of the original computation.
  llvm::DenseMap<const hlo::Instruction*, const hlo::Instruction*> originals{};
  // What must be in memory before it is used, by the kernel that computes it: values of one number
  // are computed together.
  llvm::DenseMap<const hlo::Instruction*, int64_t> kernels{};
};

// Whether an op would be replaced, where it stands in a computation that is expanded.
bool IsExpanded(const hlo::Instruction& op);

// Whether the calls of all computations of the module are few enough to be put in place.
bool CallsAreInlined(const hlo::Module& module);

// The computation with each op that is to be expanded replaced, in the computations that it calls
// as well: calls and fusions become copies of what they call, unless that takes too many
// instructions, so that the ops of helpers that many functions share are seen where they are
// needed. The answer is the computation itself where there is nothing to do.
Expansion Expand(const hlo::Computation& computation);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_EXPAND_H_
