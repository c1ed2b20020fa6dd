// The main job as a function: a module affirmed, with everything that was found on the way. Link
// affirm::driver.
//
//   affirm::driver::Checker checker({});
//   affirm::driver::ModuleReport report = checker.Check(*module, "m.hlo", [](llvm::StringRef) {});
//   report.status();   // 0 affirmed, 1 something is wrong, 2 something stayed unknown
//   report.verdict();  // "affirmed", or "MISMATCH: ..." with the element and both values
#ifndef AFFIRM_INCLUDE_AFFIRM_CHECK_H_
#define AFFIRM_INCLUDE_AFFIRM_CHECK_H_

#include "driver/check/check.h"

#endif  // AFFIRM_INCLUDE_AFFIRM_CHECK_H_
