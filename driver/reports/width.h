// In how many bits a map, or the kernels of a module, can be evaluated: the reports of `affirm
// width`.
//
//   i33 signed: proved (interval analysis, 0.0 ms)
//   i32 signed: refuted
//     mul: bl * 128 = 2147483648 at th = 0, bl = 16777216; in i32: -2147483648
#ifndef AFFIRM_DRIVER_REPORTS_WIDTH_H_
#define AFFIRM_DRIVER_REPORTS_WIDTH_H_

#include <string>

#include "core/indexing/indexing_map.h"
#include "driver/report_model/run_report.h"
#include "driver/report_output.h"
#include "verify/width/width.h"

namespace affirm::driver {

struct WidthQuery {
  unsigned width = 0;  // 0: find the narrowest
  Signedness signedness = Signedness::kSigned;
  bool steps = false;  // also print the machine operations
  ReportOutput output = ReportOutput::kText;
};

// Decides, prints and adds what every format is made from; kSuccess or kBadInput.
int ReportWidth(const IndexingMap& map, const WidthQuery& query, const DecideOptions& options,
                RunReport& report);

struct KernelWidths {
  std::string file;    // of HLO
  unsigned width = 0;  // whether this width will do; 0: which one is chosen
  ReportOutput output = ReportOutput::kText;
};

// The same of `index` in each kernel of a file.
int ReportKernelWidths(const KernelWidths& query, RunReport& report);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_WIDTH_H_
