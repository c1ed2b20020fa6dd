// Checks the constants of a program that kernels and copies read from memory. XLA:GPU puts the
// value of the instruction constant.5 into a variable of an LLVM IR module:
//
//   @buffer_for_constant_5 = constant [64 x i8] c"\00\00\80?...", align 256
//
// Its bytes are compared with the literal of the optimized HLO, in the layout of the array.
#ifndef AFFIRM_DRIVER_DUMP_CONSTANTS_H_
#define AFFIRM_DRIVER_DUMP_CONSTANTS_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/dump_files.h"
#include "driver/dump/scheduled_work.h"
#include "driver/report_model/run_report.h"
#include "verify/verdict.h"

namespace affirm::driver {

// A constant whose bytes were compared. Proved: each element equals the literal's, with NaNs
// identified. Refuted: an element differs.
struct ConstantRow {
  std::string module;
  std::string instruction;
  SourceRegion where = {};  // the instruction in the optimized HLO
  Verdict verdict = Verdict::kUnknown;
  std::string reason = {};  // if refuted: element, both values, variable and file
  // If refuted: the element, "[2]", and its value in the HLO and in the variable.
  std::string element = {}, expected = {}, actual = {};
};

struct ConstantRows {
  std::vector<ConstantRow> rows;
  // Constants without a row: no file has their values, or they are not comparable.
  std::vector<Uncovered> not_covered;
};

// Checks the used constants of reachable computations. XLA:CPU dumps no values of constants; those
// with one element are assumed to be the literals.
ConstantRows CheckConstants(const hlo::Module& scheduled, const BufferAssignment* buffers,
                            const ModuleFiles& files);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_CONSTANTS_H_
