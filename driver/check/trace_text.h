// Formats steps of a simplification as text and JSON.
#ifndef AFFIRM_DRIVER_CHECK_TRACE_TEXT_H_
#define AFFIRM_DRIVER_CHECK_TRACE_TEXT_H_

#include <string>

#include "core/simplify/rule_table.h"
#include "core/simplify/trace.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// "floordiv.split at result 0: (d0 * 8 + d1) floordiv 8 => d0 + d1 floordiv 8 [c = 8, x = d0, y =
// d1]"
std::string StepText(const TraceStep& step, const RuleTable& rules);
// {"rule", "location", "before", "after", "bindings": {name: text}}
void WriteStep(llvm::json::OStream& json, const TraceStep& step, const RuleTable& rules);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_TRACE_TEXT_H_
