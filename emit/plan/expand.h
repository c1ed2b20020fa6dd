// Inlines calls, and expands ops without an emitter into ops with one. A sort of long rows becomes
//
//   tiles = sort of 1024 elements each
//   step  = select(less(upper, lower), other, mine)     once for each launch of the network
//   tiles = sort of 1024 elements each, and so on
//
// The expansion is checked against the op: by the interpreter if it is small, otherwise by a proof.
#ifndef AFFIRM_EMIT_PLAN_EXPAND_H_
#define AFFIRM_EMIT_PLAN_EXPAND_H_

#include <memory>

#include "core/hlo/module.h"
#include "llvm/ADT/DenseMap.h"

namespace affirm::emit {

struct Expansion {
  std::unique_ptr<hlo::Module> module;  // owns the computation; null when nothing was expanded
  const hlo::Computation* computation = nullptr;
  // Copy -> instruction of the original computation.
  llvm::DenseMap<const hlo::Instruction*, const hlo::Instruction*> originals{};
  // Values that must be materialized, by the number of the kernel that computes them.
  llvm::DenseMap<const hlo::Instruction*, int64_t> kernels{};
};

// Whether Expand replaces the op.
bool IsExpanded(const hlo::Instruction& op);

// Whether all calls of the module are inlined, that is, few enough.
bool CallsAreInlined(const hlo::Module& module);

// Inlines calls and fusions, unless the code grows too much, and expands ops. So an op in a shared
// helper function is expanded at each use. Returns the computation itself if there is nothing to
// do.
Expansion Expand(const hlo::Computation& computation);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_EXPAND_H_
