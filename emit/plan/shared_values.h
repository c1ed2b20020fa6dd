// Values that many kernels would recompute. A kernel computes everything that its result needs and
// that is not in memory. If layers add to one value,
//
//   x1 = x0 + f(x0)    x2 = x1 + f(x1)    ...
//
// the kernels of layer k add up the k values before it, and each layer has different kernels. With
// x1, x2, .. in memory, all layers share their kernels.
#ifndef AFFIRM_EMIT_PLAN_SHARED_VALUES_H_
#define AFFIRM_EMIT_PLAN_SHARED_VALUES_H_

#include <set>
#include <string>

#include "emit/plan/split.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::emit {

// The names of elementwise instructions that more than four kernels compute, with at least four
// operations from values in memory. Among instructions of the same kernels, only the last ones,
// where the kernels diverge.
std::set<std::string> ComputedByManyKernels(llvm::ArrayRef<KernelPartition> kernels);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_SHARED_VALUES_H_
