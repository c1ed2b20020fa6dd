// Is a kernel, given as LLVM IR, the computation that it is said to be? A verdict for each claim
// (docs/kernels.md).
//
// Claims are judged twice. Provers give verdicts for all arguments and all sizes of the grid;
// execution runs the kernel on the emulator against the interpreter, and can only refute. Merge
// puts them together.
#ifndef AFFIRM_DRIVER_VALIDATE_VALIDATE_H_
#define AFFIRM_DRIVER_VALIDATE_VALIDATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "driver/report_model/run_report.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/enclosure/elementwise.h"
#include "verify/kernel/emulator/finding.h"
#include "verify/kernel/emulator/races.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

// Something wrong that was executed: where, what should have been there, and what was.
struct KernelCounterexample {
  int64_t block = -1, thread = -1;
  std::string buffer;
  int64_t element = -1;
  std::string expected, actual;
  int line = 0;  // of the LLVM IR
  std::string instruction;
};

struct ClaimResult {
  kernel::Claim claim = kernel::Claim::kValues;
  // Only `values` can be kExecuted: it ran without a difference, and all other claims are proved.
  Verdict verdict = Verdict::kUnknown;
  std::string engine;  // "emulator", ...
  double ms = 0;
  std::optional<KernelCounterexample> counterexample;  // of kRefuted
  bool contradicted = false;                           // a prover proves what a run refutes
  std::string reason;
  std::string rests_on;  // of kProved, beside terms: "exhaustion over 2^32 values"
  std::string oracles;   // of values that are proved: "ranges 12, folds 3" (docs/trust.md)
};

// The coverage of a run of some blocks.
struct SampleSummary {
  int64_t blocks = 0, of_blocks = 0;      // run to their end, and in the grid
  int64_t elements = 0, of_elements = 0;  // compared at least once, and in the results
  std::string not_compared;               // why elements that these blocks wrote were not
};

struct ExecutionSummary {
  int64_t runs = 0, elements = 0;
  int64_t largest_ulp = 0;
  // The largest relative width of an enclosure that accepted a differing element.
  double within = 0;
  int64_t left_open = 0;  // elements that differ, and that HLO leaves open
  // Why some element was tested by no run: roundings may move it too far. Empty if each was tested.
  std::string not_tested;
  int64_t codes = 0;  // of the emulator (EmulatorRun::codes), in all runs
  // Set if only some blocks ran. Such a run can only refute.
  std::optional<SampleSummary> sample;
  // The construct that a run met and the emulator does not model; empty: none.
  std::string limit;
};

// The results of the run that refuted the values, array by array: those of the interpreter and
// those of the kernel.
struct RefutedRun {
  std::vector<hlo::Literal> expected, actual;
};

struct Validation {
  Verdict verdict = Verdict::kUnknown;  // of the whole
  std::vector<ClaimResult> claims;      // one for each of kernel::kClaims, in order
  ExecutionSummary executed;
  // Where a whole run compared the results and found a difference.
  std::shared_ptr<const RefutedRun> refuted_run = nullptr;
};

// The subject of a validation. The operands of the launch are the leaves of the computation's
// parameters in order; its outputs are the leaves of the root.
struct KernelSubject {
  const hlo::Computation* computation = nullptr;
  const kernel::KernelIr* ir = nullptr;
  kernel::Launch launch;
  // Operands of dots are rounded first, in either direction (rounded_dots.h).
  bool rounds_dots = false;
};
// The freedom that the values of a kernel have besides rounding.
enclosure::Freedom KernelFreedom(const KernelSubject& subject);

// The fusion's computation, or the entry where no name is given. An error names what is missing.
llvm::Expected<const hlo::Computation*> FindComputation(const hlo::Module& module,
                                                        llvm::StringRef fusion);
// Whether the launch has the parameters that the computation needs, in number and shape, and no
// layout that contradicts the HLO text (written_layouts.h).
llvm::Error CheckSubject(const KernelSubject& subject);

// Limits of a sample, which takes about a second. They count steps, so that the coverage does not
// depend on the machine.
struct SampleOptions {
  int64_t blocks = 6;                     // the first, the last, and others
  int64_t elements_of_block = 64;         // compared elements of a block, in each result
  int64_t most_codes = int64_t{1} << 27;  // of the emulator, on all sets of arguments together
  int64_t most_steps = int64_t{1} << 22;  // of the evaluation of the elements, likewise
};

struct ValidateOptions {
  // Which blocks run: all, some, or all where the kernel is not too large (IsTooLargeToRun).
  enum class Execution : uint8_t { kAutomatic, kWhole, kSample };

  uint64_t seed = 0;
  Execution execution = Execution::kAutomatic;
  SampleOptions sample;
  // The launch was written by hand, and may omit the initial contents of results that are updated
  // in place (in_place.h). A launch from a program's thunks states them.
  bool may_omit_contents = false;
};

// Whether the kernel cannot be run whole: its buffers, or what the interpreter would hold for it,
// do not fit 4 GiB, or the grid has more threads than can be run in minutes.
bool IsTooLargeToRun(const KernelSubject& subject);

// The claims as execution judges them: refuted with a counterexample, else unknown. What is too
// large runs in part (sample.h).
Validation ExecuteClaims(const KernelSubject& subject, const ValidateOptions& options);
// The claims as they are proved from the kernel's LLVM IR (verify/kernel/proof): proved or unknown.
std::vector<ClaimResult> ProveClaims(const KernelSubject& subject, const ValidateOptions& options);
// The claims of a prover and those of execution: what either refutes is refuted, what the prover
// proves is proved. A claim that is proved and was seen to be wrong is refuted, and says so.
// `proofs` may lack claims.
Validation Merge(const std::vector<ClaimResult>& proofs, Validation executed);
// Runs the provers, executes the kernel, and merges both.
Validation Validate(const KernelSubject& subject, const ValidateOptions& options);

// The verdict, and what it rests on: "executed (6 of 7 claims proved; values on 76 argument sets)"
// where values were only executed, "proved (rests on exhaustion over 2^32 values)".
std::string VerdictLine(const Validation& validation);
// The attributes of a counterexample, in an open object.
void WriteCounterexample(llvm::json::OStream& json, const KernelCounterexample& example);
// {"runs", "elements", "largest_ulp", "within"?, "not_tested"?, "sample"?: {"blocks", "of_blocks",
// "elements", ...}}
void WriteExecuted(llvm::json::OStream& json, const ExecutionSummary& executed);
// {"verdict", "claims": [...], "executed": {...}}
void WriteJson(llvm::json::OStream& json, const Validation& validation);
void WriteAttributes(llvm::json::OStream& json,
                     const Validation& validation);  // without the braces
// "6 of 262144 blocks, 6 of 262144 elements"
std::string SampleText(const SampleSummary& sample);
// ", within 3.1e-07 of the value": how far roundings may move what was compared; empty for 0.
std::string WithinText(double within);
// A line for each claim, what was executed, the verdict.
void PrintReport(llvm::raw_ostream& os, const Validation& validation);

// The names of a validated kernel in reports.
struct ValidatedKernel {
  SourceRegion where;   // the instruction in HLO
  std::string scope;    // the module
  std::string subject;  // the kernel's function
  std::string file;     // of its LLVM IR
  std::string replay;
};
// A record for each claim. The text for a claim that is not proved names the kernel.
std::vector<ReportRecord> RecordsOf(const Validation& validation, const ValidatedKernel& kernel);
// The model of all output formats (driver/report_model).
RunReport ToRunReport(const Validation& validation, const ValidatedKernel& kernel);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_VALIDATE_VALIDATE_H_
