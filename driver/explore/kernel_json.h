// The accesses of a kernel's threads, as JSON for the page. Addresses and guards are terms over the
// thread and the block, so the page can show any warp of any block.
#ifndef AFFIRM_DRIVER_EXPLORE_KERNEL_JSON_H_
#define AFFIRM_DRIVER_EXPLORE_KERNEL_JSON_H_

#include <cstdint>

#include "driver/check/check.h"
#include "driver/validate/validate.h"
#include "llvm/Support/JSON.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

// Limits for all kernels of a page, so that its file stays small. A kernel whose accesses do not
// fit lists none: it has their counts, and a note. Text that does not fit is left out.
struct KernelBudget {
  int64_t accesses = 60'000;
  int64_t source_bytes = 1'000'000;
};

// A kernel and the text that it was read from; empty: unknown.
struct KernelText {
  const kernel::KernelIr& ir;
  llvm::StringRef text;
};

// {"grid", "threads", "params": [..], "terms": [..], "groups": [..], "cases": [..], "note"?,
//  "source"?: [{"first": line, "lines": [..]}, ..], "source_lines"?}
//   groups   an entry for each instruction that touches memory, with the counts of all blocks
//   cases    {"facts": [term..], "accesses": [[group, thread, memory, offset, bytes, guard], ..]}
//            in the order of each thread; `thread` is -1 where every thread has the access
//   source   the lines of the kernel's function, or those around its accesses; `source_lines` is
//            the number of all of them
llvm::json::Object KernelJson(const KernelText& kernel, const kernel::Launch& launch,
                              KernelBudget& budget);

// [{"claim", "verdict", "engine", "reason"?, "counterexample"?}]
llvm::json::Array ClaimsJson(const kernel::KernelProof& proof);
llvm::json::Array ClaimsJson(const Validation& validation);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EXPLORE_KERNEL_JSON_H_
