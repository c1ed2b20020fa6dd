// Values that many kernels would compute each for itself. A kernel computes all that its result
// needs and that is not in memory, so that where layers add to one value,
//
//   x1 = x0 + f(x0)    x2 = x1 + f(x1)    ...
//
// the kernels of layer k add up the k values before it, and no two layers have the same kernels.
// With each of x1, x2, .. in memory they all do.
#ifndef AFFIRM_EMIT_PLAN_SHARED_VALUES_H_
#define AFFIRM_EMIT_PLAN_SHARED_VALUES_H_

#include <set>
#include <string>

#include "emit/plan/split.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::emit {

// The names of elementwise instructions, of at least four operations up to what is in memory, that
// more than four kernels compute. Of those that the same kernels compute the last ones alone, from
// which these kernels go on in different ways.
std::set<std::string> ComputedByManyKernels(llvm::ArrayRef<KernelPartition> kernels);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_SHARED_VALUES_H_
