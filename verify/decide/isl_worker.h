// isl's work in a process of its own, which is ended when its time is over.
//
// isl counts operations, and its limit on them keeps a verdict from depending on the machine; but
// one operation may cost a thousand times what another does, and some work is not counted at all.
// What bounds it whatever happens is the processor time of a process.
#ifndef AFFIRM_VERIFY_DECIDE_ISL_WORKER_H_
#define AFFIRM_VERIFY_DECIDE_ISL_WORKER_H_

#include <isl/ctx.h>

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/decide/decider.h"

namespace affirm {

// What isl says about a claim. Where it is refuted, `point` is a point at which it fails; what its
// coordinates are is for each caller to say.
struct IslResult {
  Verdict verdict = Verdict::kUnknown;
  std::string reason = {};
  std::vector<int64_t> point = {};
};

// What `work` finds with a context that has the budget's operations. Unknown when it takes more
// processor time than the budget has for isl, or dies. `work` runs in a copy of this process:
// nothing that it changes is seen here.
IslResult RunIsl(const Budget& budget, llvm::function_ref<IslResult(isl_ctx*)> work);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_ISL_WORKER_H_
