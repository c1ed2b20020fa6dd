// affirm check --symbolic: the formula of an op's maps, proved for all sizes at once, and the
// code's maps held against it at some.
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
// prints both, and answers what every format is made from. A formula that is not the code's is a
// difference, one that the code was compared with nowhere is unknown. Certificates are files
// FORM.OPERAND.cert.
RunReport CheckSymbolic(const SymbolicQuery& query, const Budget& budget, ReportOutput output,
                        unsigned jobs);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_SYMBOLIC_H_
