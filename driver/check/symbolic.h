// `affirm check --symbolic`: proves the formula of an op's maps for all sizes, and compares the
// code's maps with it at some sizes.
#ifndef AFFIRM_DRIVER_CHECK_SYMBOLIC_H_
#define AFFIRM_DRIVER_CHECK_SYMBOLIC_H_

#include <cstdint>
#include <string>

#include "driver/report_model/run_report.h"
#include "driver/report_output.h"
#include "verify/hlo/symbolic/op.h"

namespace affirm::driver {

struct SymbolicQuery {
  std::string op;
  int64_t rank = 2;
  std::string certificates;  // the folder for them; empty: none are written
};

// Proves the formula of every form of the op at the rank, compares the code with each at 20 sizes,
// prints both, and returns the report model. If the code's maps differ from the formula, that is a
// difference; a formula that was compared at no size is unknown. Certificates are files
// FORM.OPERAND.cert.
RunReport CheckSymbolic(const SymbolicQuery& query, const Budget& budget, ReportOutput output,
                        unsigned jobs);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_SYMBOLIC_H_
