// Two HLO modules: do they compute the same values for all arguments?
//
//   auto options = EquivalenceOptions();
//   ModuleEquivalence e = CompareModules(*before, *after, options);
//   e.verdict;       // proved: equal, every result; refuted: e.difference has been executed
//
// First the two graphs are compared, then results are proved equal element by element
// (verify/equivalence); then both modules are executed by the interpreter on directed sets of
// arguments. A result that is executed without a difference is not proved.
#ifndef AFFIRM_DRIVER_EQUIVALENCE_EQUIVALENCE_H_
#define AFFIRM_DRIVER_EQUIVALENCE_EQUIVALENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/equivalence/module_equivalence.h"
#include "driver/report_model/run_report.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {

struct EquivalenceOptions {
  uint64_t seed = 0;
  std::vector<std::string> allowed_laws;  // of verify/equivalence/laws.h, beside the exact ones
  // How far executed floats may lie apart: this many units in the last place; and where `rounding`
  // is set, as far as the roundings of both modules may bring them (enclosed_pair.h).
  int64_t ulp = 0;
  bool rounding = false;
  // One of these roundings: narrow floats may be kept in f32.
  bool excess_precision = true;
  // Else results are proved or unknown. What is proved is executed on a few sets all the same: a
  // difference refutes, and is a fault of affirm.
  bool execute = true;
};

// An error for another signature, or a law that does not exist.
llvm::Expected<ModuleEquivalence> CompareModules(const hlo::Module& a, const hlo::Module& b,
                                                 const EquivalenceOptions& options);

// The verdict, and what it rests on: "equal, assuming my_lib is a function", "equal (rests on
// exhaustion over 2^16 values)".
std::string VerdictLine(const ModuleEquivalence& equivalence);

// Executes both modules, whose proofs `result` has, and concludes anew: all sets where something is
// not proved, else a few. Where a law that changes roundings was used, these are sets on which such
// laws change nothing of note: small numbers, zeros and ones.
void ExecuteModules(const hlo::Module& a, const hlo::Module& b, const EquivalenceOptions& options,
                    ModuleEquivalence& result);

// "on set 3 (small) of the arguments", "on arguments that terms gave".
std::string OriginOfArguments(const ExecutedDifference& difference);
// The attributes of a difference, in an open object; the two values have these names.
void WriteCounterexample(llvm::json::OStream& json, const ExecutedDifference& difference,
                         const char* a, const char* b);
// {"verdict", "results": [...], "counterexample"?, "executed": {...}, "laws": [...],
// "rests_on"?, "effect"?, "promise"?, "devices"?, "assumed"?, "replay"}
void WriteJson(llvm::json::OStream& json, const ModuleEquivalence& equivalence,
               const std::string& replay);
// Without the braces.
void WriteAttributes(llvm::json::OStream& json, const ModuleEquivalence& equivalence,
                     const std::string& replay);
// The model of all output formats (driver/report_model), for these two files.
RunReport ToRunReport(const ModuleEquivalence& equivalence, const std::string& file_a,
                      const std::string& file_b, const std::string& replay);
// A line for each result, the difference, the verdict.
void PrintReport(llvm::raw_ostream& os, const ModuleEquivalence& equivalence,
                 const std::string& replay);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_EQUIVALENCE_EQUIVALENCE_H_
