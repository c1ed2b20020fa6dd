// isl's work in a process of its own, which is ended when its time is over.
//
// isl counts operations, and its limit on them keeps a verdict from depending on the machine; but
// one operation may cost a thousand times what another does, and some work is not counted at all.
// Only the processor time of a process bounds it in every case.
#ifndef AFFIRM_VERIFY_DECIDE_ISL_WORKER_H_
#define AFFIRM_VERIFY_DECIDE_ISL_WORKER_H_

#include <isl/ctx.h>

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/decide/decider.h"

namespace affirm {

// The answer of isl to a claim. If it is refuted, `point` is a point at which it fails; the caller
// defines the meaning of its coordinates.
struct IslResult {
  Verdict verdict = Verdict::kUnknown;
  std::string reason = {};
  std::vector<int64_t> point = {};
};

// The result of `work`, with a context that has the budget's operations. Unknown if it takes more
// processor time than the budget has for isl, or dies. `work` runs in a copy of this process: its
// changes are not seen here.
IslResult RunIsl(const Budget& budget, llvm::function_ref<IslResult(isl_ctx*)> work);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_ISL_WORKER_H_
