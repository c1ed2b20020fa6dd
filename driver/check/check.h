// `affirm check`: checks one HLO module. Proves its maps and their simplification, emits and proves
// kernels, runs them on the SIMT emulator, and compares with the reference interpreter.
//
//   Checker checker({.seed = 7});
//   ModuleReport report = checker.Check(module, "m.hlo", [](llvm::StringRef) {});
//   report.verdict();  // "affirmed", or "REFUTED: ...", "MISMATCH: ...", "UNKNOWN: ..."
#ifndef AFFIRM_DRIVER_CHECK_CHECK_H_
#define AFFIRM_DRIVER_CHECK_CHECK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "core/simplify/rule_table.h"
#include "driver/certificates.h"
#include "driver/check/spent_here.h"
#include "driver/report_model/run_report.h"
#include "driver/validate/validate.h"
#include "driver/work_limits.h"
#include "emit/kernel.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/decide/decider.h"
#include "verify/kernel/proof/prove_kernel.h"
#include "verify/maps/maps.h"
#include "verify/reference/compare.h"
#include "verify/reference/device_arguments.h"
#include "verify/reference/devices.h"
#include "verify/rules/prove.h"

namespace affirm::driver {

using hlo::ExecutionTarget;
using hlo::kFarApart;
using hlo::LiteralComparison;
using hlo::Mismatch;

// Fault injection for tests, which the check must detect. Empty functions inject nothing. (A wrong
// constant in a kernel is EmitOptions::fault_constant; a wrong rule is a custom rule table.)
struct FaultInjection {
  // May alter the map of an instruction for one operand before it is used and proved.
  std::function<void(const hlo::Instruction&, int64_t operand, LabeledMap&)> op_map;
  // May alter a composed map, from the result of a fusion to `instruction`, before it is proved.
  std::function<void(const hlo::Instruction& instruction, IndexingMap&)> composition;
  // May alter a map of a fusion from an operand to its result before it is proved.
  std::function<void(const hlo::Instruction& fusion, int64_t operand, LabeledMap&)> input_to_output;
  // May alter the correct result of a kernel before the next one uses it, as a wrong partition of
  // the module into kernels would.
  std::function<void(const std::string& kernel_of, hlo::Literal&)> handed_on;
};

struct CheckOptions {
  DecideOptions decide;
  const RuleTable* rules = nullptr;  // null: the built-in table
  emit::EmitOptions emit;
  uint64_t seed = 0;  // for arguments and the order of threads
  ExecutionTarget target = ExecutionTarget::kEmulator;
  // Seconds of processor time for a module; 0: no limit. With a limit, the check runs in worker
  // processes, which are killed when their time is over. Wall time may be kClockPerCpu times as
  // long. Kernels on a CUDA device have no limits.
  double time_limit = 0;
  // Bytes for all processes of a module. With less than all memory, the check runs in worker
  // processes, and a unit that needs more is given up.
  uint64_t memory_limit = WorkLimits().memory;
  FaultInjection faults;
  // Command-line options that replays must repeat, such as " --target cuda".
  std::string asked = {};
};

// The outcome of one proof. `detail` is the counterexample when refuted and the reason when
// unknown.
struct Proof {
  // For a refuted map without runtime variables: an index, the results there, and the expected
  // ones. Each list has at most a few entries, with a flag whether it is complete.
  struct Difference {
    using Indices = std::vector<std::vector<int64_t>>;
    std::vector<int64_t> at;
    Indices given, wanted;
    bool all_given = true, all_wanted = true;
  };
  Verdict verdict = Verdict::kUnknown;
  std::string engine;
  double ms = 0;
  std::string detail;
  std::optional<Difference> difference = std::nullopt;
};

// The maps of one instruction for one operand, whose union is proved to be its reads. Usually one
// map.
struct MapCheck {
  std::string computation, instruction, opcode;
  int64_t output = 0, operand = 0;
  std::vector<std::string> maps;
  Exactness exactness = Exactness::kUnknown;  // the weakest of them
  Proof proof;
};

// The maps from the result of a fusion to one of its parameters, with two proofs: that they equal
// the compositions of maps along all paths; and that their union is the fusion's reads, by the
// semantics of its instructions. The maps from the parameter to the result have the second proof.
struct ComposedCheck {
  struct InputToOutputMaps {
    std::vector<std::string> maps;
    Exactness exactness = Exactness::kExact;  // the weakest of them
    Proof semantics;                          // meaningful unless `exactness` is unknown
  };
  std::string fusion;
  int64_t output = 0, operand = 0;
  std::vector<std::string> maps;
  Exactness exactness = Exactness::kUnknown;  // the weakest of them
  Proof composition, semantics;
  InputToOutputMaps input_to_output;
};

// The rewrites behind the composed maps of a module.
struct SimplificationCheck {
  int64_t compositions = 0;                      // maps that were composed and simplified
  int64_t proved = 0;                            // proved equal before and after simplification
  double ms = 0;                                 // time of these proofs
  int64_t steps = 0;                             // rewriting steps
  int64_t replayed = 0;                          // steps that the independent checker accepted
  std::map<std::string, int64_t> uses;           // rule -> number of uses
  std::map<std::string, RuleProofResult> rules;  // proofs of the used rules
};

// Certificates of proved claims about maps (docs/certificates.md).
struct CertificatesCheck {
  int64_t written = 0;
  std::map<std::string, int64_t> without;  // reason -> claims without a certificate
  std::string problem;                     // the first file that could not be written

  int64_t NumClaims() const;
  void Add(const CertificatesCheck& more);
  // The difference to `before`, an earlier state.
  CertificatesCheck Since(const CertificatesCheck& before) const;
};

// The folder for a module's certificates, and the lines of its file.
struct CertificateFolder {
  std::string path;
  HloLines lines;
};
// The folder of a module's certificates, below `folder`, by its file and number there; null if
// `folder` is empty. `text` is the file's text; empty if the module differs from it.
std::unique_ptr<CertificateFolder> CertificatesOf(const std::string& folder, llvm::StringRef file,
                                                  size_t number, llvm::StringRef text);

struct ThreadMapCheck {
  std::string map;
  std::string what;   // "output 0", "operand of reduce", ...
  std::string shape;  // its sizes, "[4,8]"
  Proof bijection;
};

struct KernelCheck {
  std::string fusion, name, emitter;
  emit::LaunchShape launch;
  int64_t functions = 0;
  int64_t unordered_terms = 0;
  std::string same_as;     // an earlier kernel whose code it shares; empty: it has its own
  bool has_code = false;   // whether it has LLVM IR
  bool too_large = false;  // too large to run as a whole (driver/validate/sample.h)
  // A sample was wanted, but had no time, or nothing to compare. This is no failure, and a proved
  // kernel needs no more.
  bool has_empty_sample = false;
  std::vector<ThreadMapCheck> thread_maps;
  // The claims about the kernel's LLVM IR (docs/kernels.md), proved before it runs, for any size.
  std::optional<kernel::KernelProof> proof;
  size_t fusion_number = 0;  // the program's fusion that it belongs to
  ExecutionTarget target = ExecutionTarget::kEmulator;
  bool to_the_bit = true;  // results must equal the interpreter's; else lie within enclosures
  int64_t runs = 0;        // runs compared with the interpreter
  bool reached = false;    // whether a run of the module executed it
  bool failed = false;     // a run ended with an error, which is a finding
  bool ran_alone = false;  // no run of the module reached it, so it ran on arguments of its own
  std::string why_not;     // why there is no kernel, or it is not run
  // Why no run tested some element: its rounding error is too large. Empty if each was tested.
  std::string not_tested;
  // If the module is too large to run: the result of running some blocks.
  std::optional<ExecutionSummary> sample;
  LiteralComparison comparison;  // element count of one run, errors of all runs
  double run_ms = 0;

  bool is_proved() const;  // every claim about its LLVM IR
  // Proved, or every element was tested by runs.
  bool is_tested() const { return is_proved() || not_tested.empty(); }
};

// A collective of a computation that the host runs, exchanged by its maps (exchange.h).
struct CollectiveCheck {
  std::string computation, instruction, opcode;
  int64_t runs = 0;
  int64_t step = 1;                   // stride of the exchanged and compared elements
  std::string why_not = {};           // why it cannot be exchanged
  LiteralComparison comparison = {};  // element count of one device, errors of all runs
  friend bool operator==(const CollectiveCheck&, const CollectiveCheck&) = default;
};

// An op that ran as a loop of kernels (library_ops.h), on arguments of its own with a finite
// result: on the module's arguments, a matrix may have no factorization.
struct LibraryCheck {
  std::string computation, instruction, opcode;
  int64_t runs = 0;
  std::string why_not = {};  // why it has no finite value by kernels
  LiteralComparison comparison = {};
  friend bool operator==(const LibraryCheck&, const LibraryCheck&) = default;
};

// The devices that the module ran on.
struct DevicesCheck {
  hlo::Devices devices;
  std::string assumed;              // assumptions beyond the module's header (hlo::DeviceCount)
  std::vector<int64_t> kernels_on;  // the devices whose kernels ran; all of them, or a sample
};

// Runs of the module by its kernels, compared with the interpreter's runs of the original module.
struct WholeCheck {
  int64_t runs = 0;
  std::vector<CollectiveCheck> collectives;
  std::vector<LibraryCheck> libraries;  // as Program::library_ops
  hlo::SharedArguments shared = hlo::SharedArguments::kNone;
  std::string why_shared;  // the deadlock that occurs with different arguments
  LiteralComparison comparison;
  std::string why_not;    // why it is not run, or not compared
  bool given_up = false;  // its run was started, but not finished
  // Two kernels add the terms of one sum in different orders, so no order of the interpreter
  // matches both; results were compared kernel by kernel.
  bool several_orders = false;
  // Its run was given up, and its kernels ran one by one.
  bool in_parts() const { return given_up && proved_by_kernels; }
  // If this was tried: why the kernels are not proved to compose to the module; empty: they are.
  std::optional<std::string> why_not_by_kernels;
  // For a module too large to run: each kernel is proved, and the kernels compose to the module.
  bool proved_by_kernels = false;
  // In late trips of loops, the interpreter's values replaced those of proved kernels.
  bool late_trips_proved = false;
  // For a module that is proved by its kernels: loops not known to end. The proof is about
  // executions where they do.
  std::vector<std::string> open_loops;
  // Loops that did not end on some arguments; both sides left them after a few trips.
  std::vector<std::string> left_loops;
  // Sets of arguments on which every loop ended.
  int64_t ended_runs = 0;
  friend bool operator==(const WholeCheck&, const WholeCheck&) = default;
};

// The coverage of an instruction of a reachable computation, of a kernel, or of the module.
struct LedgerRow {
  enum class Kind : uint8_t { kInstruction, kKernel, kModule };
  // Coverage of the value, from best to worst.
  enum class Value : uint8_t {
    kUnused,      // no result needs it
    kForwarded,   // it passes values on: a parameter, a tuple, ...
    kControl,     // a loop or branch, whose called computations have rows of their own
    kCompared,    // a kernel computed it, and its users agree with the interpreter; or a collective
                  // that was exchanged by its maps
    kProved,      // its kernel is proved but too large to run; some blocks agree (sample.h)
    kProvedOnly,  // its kernel is proved, and was not run
    kNotCovered,  // see `why`
  };
  Kind kind = Kind::kInstruction;
  std::string computation, name;
  // The verdict on its maps (for kernels, on thread maps); nullopt if it has none.
  std::optional<Verdict> map = std::nullopt;
  Value value = Value::kUnused;
  std::string by = {};             // the fusion whose kernels compute it
  std::string why = {};            // why it is not covered; empty if a finding says so
  hlo::SourceLocation where = {};  // the instruction, or the fusion

  bool IsCovered() const;
};
const char* Name(LedgerRow::Value value);  // "compared", "not covered", ...
struct ModuleReport;
// " for each of 8 devices (8 replicas, from the groups of its collectives)"; empty for one device.
std::string DevicesText(const ModuleReport& report);

// An obstacle to the verdict "affirmed".
struct Finding {
  enum class Kind : uint8_t { kRefuted, kMismatch, kUnknown };
  Kind kind = Kind::kUnknown;
  std::string text;
  std::string replay;              // a command line that reproduces it
  std::string claim = "coverage";  // the claim that it concerns (report_model/claims.cc)
  std::string element = {}, expected = {}, actual = {};  // for a wrong value
};
const char* Name(Finding::Kind kind);  // "REFUTED", "MISMATCH", "UNKNOWN"

// The buffer assignment of the entry and its callees.
struct MemoryCheck {
  int64_t arrays = 0, bytes = 0;
  int64_t sharing_pairs = 0;  // pairs of arrays that share bytes at different times
  int64_t conflicts = 0;      // pairs that share bytes while both are live: a finding each
  // Results that are copied to the memory of the parameter that input_output_alias requires.
  int64_t copies = 0;
};

// A unit of the check (unit.h) that timed out, or whose process ended.
struct GivenUp {
  std::string unit, why;
  double seconds = 0;  // its processor time
};

struct ModuleReport {
  std::string file, module;
  int64_t computations = 0, instructions = 0;
  uint64_t seed = 0;
  double time_limit = 0;  // 0: none
  // Constants that the text elides, which got values from the seed (elided_constants.h).
  int64_t made_constants = 0;
  int64_t random_states = 0;       // random states that became arguments (random_states.h)
  bool sizes_at_bounds = false;    // whether dynamic sizes were set to bounds (bounded_sizes.h)
  int64_t sizes_as_arguments = 0;  // how many of these sizes became arguments
  std::vector<MapCheck> maps;
  std::vector<ComposedCheck> composed;
  SimplificationCheck simplification;
  std::optional<CertificatesCheck> certificates;  // if requested
  std::vector<KernelCheck> kernels;
  DevicesCheck devices;
  MemoryCheck memory;
  WholeCheck whole;
  std::vector<std::string> argument_kinds;  // kinds of arguments on which the module ran
  std::vector<LedgerRow> ledger;
  std::vector<Finding> findings;
  std::vector<GivenUp> given_up;
  double ms = 0;

  // The finding that decides the verdict: the first refuted or mismatched one, else the first; null
  // if affirmed.
  const Finding* Worst() const;
  // kExecuted means affirmed with at least one kernel that is not proved.
  Verdict outcome() const;
  int status() const;            // exit status: 0, 1 or 2
  int64_t OnlyExecuted() const;  // kernels that ran and are not proved
  // "15 of 15 instructions, 3 of 3 kernels (1 of them only executed), the module as a whole on 4
  // sets of arguments"
  std::string Covered() const;
  // "affirmed", or "REFUTED: ...", "MISMATCH: ...", "UNKNOWN: ..."
  std::string verdict() const;
};

// Persistent records of the finished units of a module's check.
class UnitLedger {
 public:
  virtual ~UnitLedger() = default;
  // The record of a unit by its number and name; null if there is none.
  virtual const llvm::json::Object* Find(size_t unit, llvm::StringRef name) const = 0;
  virtual llvm::Error Append(size_t unit, llvm::StringRef name, llvm::json::Object record) = 0;
};

// Checks modules. Thread-safe; proofs of rules are shared between modules.
class Checker {
 public:
  explicit Checker(CheckOptions options);
  // `progress` is called with the current activity.
  ModuleReport Check(const hlo::Module& module, llvm::StringRef file,
                     llvm::function_ref<void(llvm::StringRef)> progress);
  // The same, resuming from the ledger, if any; `spent` is time already used for the module. Writes
  // certificates if there is a folder. An error if the ledger cannot be used.
  llvm::Expected<ModuleReport> Check(const hlo::Module& module, llvm::StringRef file,
                                     llvm::function_ref<void(llvm::StringRef)> progress,
                                     UnitLedger* ledger, const SpentHere& spent,
                                     const CertificateFolder* certificates = nullptr);

  const CheckOptions& options() const { return options_; }
  const RuleTable& rules() const { return *options_.rules; }
  const RuleProofResult& ProofOf(const Rule& rule);
  // Adds a proof from another process.
  void Remember(const std::string& rule, const RuleProofResult& proof);

 private:
  CheckOptions options_;
  std::mutex proving_;
  std::map<std::string, RuleProofResult> rule_proofs_;
};

// The row "36 of 38 claims about maps that are proved have one", and its JSON.
CoverageRow CertificatesRow(const CertificatesCheck& certificates);
void WriteCertificates(llvm::json::OStream& json, const CertificatesCheck& certificates);
// The model of all output formats (driver/report_model).
RunReport ToRunReport(const ModuleReport& report);
// Prints maps, kernels, findings and the last line of the summary; `everything`: all proved maps,
// too, however many.
void PrintReport(const ModuleReport& report, llvm::raw_ostream& os, bool everything = false);
// The verdict and its coverage.
std::string VerdictLine(const ModuleReport& report);
// The report as one JSON object.
void WriteReport(const ModuleReport& report, llvm::json::OStream& json);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_CHECK_H_
