// One dimension of a window that slides over an array. Internal to core/analysis.
//
// With stride 2 and padding_low 1, tap s0 of window d0 lies over element d0 * 2 + s0 - 1.
#ifndef AFFIRM_CORE_ANALYSIS_OPS_WINDOW_H_
#define AFFIRM_CORE_ANALYSIS_OPS_WINDOW_H_

#include <vector>

#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"

namespace affirm::analysis {

// Window position `out`, tap `tap` and array index `in` belong together when
//   out * stride + tap * window_dilation = in * base_dilation + padding_low,
// with each within its size. The two functions solve this for `in` and for `out`, and add the
// conditions for a solution to `constraints`.
SymbolicExpr WindowInput(const hlo::WindowDimension& window, SymbolicExpr out, SymbolicExpr tap,
                         int64_t in_size, std::vector<Constraint>& constraints);
SymbolicExpr WindowOutput(const hlo::WindowDimension& window, SymbolicExpr in, SymbolicExpr tap,
                          int64_t out_size, std::vector<Constraint>& constraints);

// Strides and dilations are positive and sizes are not negative.
bool IsWellFormed(const std::vector<hlo::WindowDimension>& window);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_OPS_WINDOW_H_
