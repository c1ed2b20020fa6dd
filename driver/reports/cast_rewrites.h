// Which rewrites of index casts are sound, as a report (docs/machine-integers.md).
#ifndef AFFIRM_DRIVER_REPORTS_CAST_REWRITES_H_
#define AFFIRM_DRIVER_REPORTS_CAST_REWRITES_H_

#include "driver/report_model/run_report.h"
#include "driver/report_output.h"
#include "verify/decide/decider.h"

namespace affirm::driver {

// Decides the four rewrites in both directions through i8, i16, i32 and i64, for an index of N
// and of at least N bits (N from 8 to 64), without `exact` and with it; then which casts are exact
// by their types alone. Prints what it found, and adds what every format is made from. The exit
// status: is every rewrite sound with `exact`?
int ReportCasts(ReportOutput output, const DecideOptions& options, RunReport& report);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_CAST_REWRITES_H_
