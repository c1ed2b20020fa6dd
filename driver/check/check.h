// The main job: one HLO module affirmed. Maps and their proofs, traced simplification, kernels, a
// run on the SIMT emulator, and the comparison with the reference interpreter, with everything that
// was found on the way.
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

// What tests break, to see that the check says no. Empty functions break nothing. (A wrong constant
// in a kernel is EmitOptions::fault_constant; a wrong rule is a table of one's own.)
struct FaultInjection {
  // May alter the map of an instruction for one operand before it is used and proved.
  std::function<void(const hlo::Instruction&, int64_t operand, LabeledMap&)> op_map;
  // May alter a composed map, from the result of a fusion to `instruction`, before it is proved.
  std::function<void(const hlo::Instruction& instruction, IndexingMap&)> composition;
  // May alter a map of a fusion from an operand to its result before it is proved.
  std::function<void(const hlo::Instruction& fusion, int64_t operand, LabeledMap&)> input_to_output;
  // May alter what a kernel that was right hands on to the next, as a wrong cut of a module into
  // kernels would.
  std::function<void(const std::string& kernel_of, hlo::Literal&)> handed_on;
};

struct CheckOptions {
  DecideOptions decide;
  const RuleTable* rules = nullptr;  // null: the built-in table
  emit::EmitOptions emit;
  uint64_t seed = 0;  // of the arguments and of the order of threads
  ExecutionTarget target = ExecutionTarget::kEmulator;
  // Seconds of processor time for a module; 0: none. With a limit the check works in processes of
  // its own, which are ended when their time is over. The clock may run kClockPerCpu times as long.
  // Kernels on a CUDA device have no limits.
  double time_limit = 0;
  // Bytes for the processes of a module together. Fewer than all: it works in processes of its own,
  // and a unit that would need more is given up.
  uint64_t memory_limit = WorkLimits().memory;
  FaultInjection faults;
  // Options of the command that are part of each claim, as " --target cuda": replays have them.
  std::string asked = {};
};

// The outcome of one proof. `detail` is the counterexample when refuted and the reason when
// unknown.
struct Proof {
  // Of a map that is refuted: an index, what the map gives there, and what it should give; of each
  // at most a few, and whether these are all. Without runtime variables, of which values would have
  // to be said.
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

// The maps of one instruction for one operand, which together are proved to be what it reads.
// Almost always one map.
struct MapCheck {
  std::string computation, instruction, opcode;
  int64_t output = 0, operand = 0;
  std::vector<std::string> maps;
  Exactness exactness = Exactness::kUnknown;  // the weakest of them
  Proof proof;
};

// The maps from the result of a fusion to one of its parameters, with two proofs: that each of them
// equals a composition of the maps on the way, none missing; and that together they are what the
// fusion reads, by the semantics of its instructions. The maps from the parameter to the result
// have the second proof.
struct ComposedCheck {
  struct InputToOutputMaps {
    std::vector<std::string> maps;
    Exactness exactness = Exactness::kExact;  // the weakest of them
    Proof semantics;                          // where it is not unknown
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
  int64_t compositions = 0;             // maps that were composed and simplified
  int64_t proved = 0;                   // of them, proved to mean the same before and after
  double ms = 0;                        // of these proofs
  int64_t steps = 0;                    // of rewriting
  int64_t replayed = 0;                 // steps that the independent checker accepted
  std::map<std::string, int64_t> uses;  // of each rule
  std::map<std::string, RuleProofResult> rules;  // of each rule that was used
};

// The certificates of claims about maps that are proved (docs/certificates.md).
struct CertificatesCheck {
  int64_t written = 0;
  std::map<std::string, int64_t> without;  // claims without one, by why
  std::string problem;                     // the first file that could not be written

  int64_t NumClaims() const;
  void Add(const CertificatesCheck& more);
  // The claims that are not in `before`, which was counted first.
  CertificatesCheck Since(const CertificatesCheck& before) const;
};

// Where the certificates of a module go, and the lines of its file.
struct CertificateFolder {
  std::string path;
  HloLines lines;
};
// The certificates of each module have a folder of their own below `folder`, by its file and its
// number there; null without a folder. `text`: of the file; empty where the module is not what the
// file says.
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
  std::string same_as;     // the kernel before it whose code it has; empty: its own
  bool has_code = false;   // there is LLVM IR of it
  bool too_large = false;  // to run as a whole (driver/validate/sample.h)
  // A sample of it was wanted, and showed nothing: it had no time, or nothing that can be compared.
  // It did not fail, and where the kernel is proved that is enough.
  bool has_empty_sample = false;
  std::vector<ThreadMapCheck> thread_maps;
  // The claims about the kernel's LLVM IR (docs/kernels.md), proved before it runs, whatever its
  // size.
  std::optional<kernel::KernelProof> proof;
  size_t fusion_number = 0;  // which fusion of the program it belongs to
  ExecutionTarget target = ExecutionTarget::kEmulator;
  bool to_the_bit = true;  // its results have to be the interpreter's; else within enclosures
  int64_t runs = 0;        // that were compared with the interpreter
  bool reached = false;    // by some run
  bool failed = false;     // a run ended with an error, which is a finding
  bool ran_alone = false;  // the module's arguments did not lead to it: it had its own
  std::string why_not;     // why there is no kernel, or it is not run
  // Why some element was tested by no run: roundings move it too far. Empty where each was tested.
  std::string not_tested;
  // Where the module is too large to run: what some of its blocks showed.
  std::optional<ExecutionSummary> sample;
  LiteralComparison comparison;  // of all runs: the elements of one, the errors of all
  double run_ms = 0;

  bool is_proved() const;  // every claim about its LLVM IR
  // By its runs, where it is not proved.
  bool is_tested() const { return is_proved() || not_tested.empty(); }
};

// A collective of a computation that the host runs, exchanged by its maps (exchange.h).
struct CollectiveCheck {
  std::string computation, instruction, opcode;
  int64_t runs = 0;
  int64_t step = 1;                   // every so many elements were exchanged and compared
  std::string why_not = {};           // why it cannot be exchanged
  LiteralComparison comparison = {};  // of all runs: the elements of one device, the errors of all
  friend bool operator==(const CollectiveCheck&, const CollectiveCheck&) = default;
};

// An op that ran as a loop of kernels (library_ops.h), on arguments of its own on which its result
// is finite: those of a module may have no factor.
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
  std::string assumed;              // of what the header does not say (hlo::DeviceCount)
  std::vector<int64_t> kernels_on;  // the devices whose kernels ran; all of them, or a sample
};

// The module run through its kernels, against the interpreter's run of the module as it stands.
struct WholeCheck {
  int64_t runs = 0;
  std::vector<CollectiveCheck> collectives;
  std::vector<LibraryCheck> libraries;  // as Program::library_ops
  hlo::SharedArguments shared = hlo::SharedArguments::kNone;
  std::string why_shared;  // the deadlock that there is without
  LiteralComparison comparison;
  std::string why_not;    // why it is not run, or not compared
  bool given_up = false;  // its run was begun, and not finished
  // No order of the interpreter's is that of its kernels: two of them take the terms of one sum in
  // different orders, so that what it gives was compared kernel by kernel.
  bool several_orders = false;
  // Its run was given up, and its kernels were run each by itself.
  bool in_parts() const { return given_up && proved_by_kernels; }
  // Where it was asked: why its kernels together are not proved to be the module; empty: they are.
  std::optional<std::string> why_not_by_kernels;
  // Too large to run: each kernel is proved, and that all of them together are the module.
  bool proved_by_kernels = false;
  // In late trips of loops the values of kernels that are proved were the interpreter's.
  bool late_trips_proved = false;
  // Of a module that is proved by its kernels, the loops that are not known to end: what is proved
  // is the value where they do.
  std::vector<std::string> open_loops;
  // Loops that did not end on some arguments: both sides left them after a few trips.
  std::vector<std::string> left_loops;
  // Sets of arguments on which every loop ended.
  int64_t ended_runs = 0;
  friend bool operator==(const WholeCheck&, const WholeCheck&) = default;
};

// What was covered of an instruction of a computation that can run, of a kernel, or of the module.
struct LedgerRow {
  enum class Kind : uint8_t { kInstruction, kKernel, kModule };
  // Of the value, from the best to the worst.
  enum class Value : uint8_t {
    kUnused,      // no result needs it
    kForwarded,   // it passes values on: a parameter, a tuple, ...
    kControl,     // a loop or branch: what runs in it has rows of its own
    kCompared,    // a kernel computed it, and what needs it came out as the interpreter says; or a
                  // collective that was exchanged by its maps
    kProved,      // its kernel is proved, and too large to run: some blocks agree (sample.h)
    kProvedOnly,  // its kernel is proved, and nothing of it was run
    kNotCovered,  // see `why`
  };
  Kind kind = Kind::kInstruction;
  std::string computation, name;
  // Of its maps (of kernels: of the maps of threads); nothing where it has none to prove.
  std::optional<Verdict> map = std::nullopt;
  Value value = Value::kUnused;
  std::string by = {};             // the fusion whose kernels compute it
  std::string why = {};            // why it is not covered; empty where a finding says so
  hlo::SourceLocation where = {};  // of the instruction, or of the fusion

  bool IsCovered() const;
};
const char* Name(LedgerRow::Value value);  // "compared", "not covered", ...
struct ModuleReport;
// " for each of 8 devices (8 replicas, from the groups of its collectives)"; empty for one device.
std::string DevicesText(const ModuleReport& report);

// Something that keeps the module from being affirmed.
struct Finding {
  enum class Kind : uint8_t { kRefuted, kMismatch, kUnknown };
  Kind kind = Kind::kUnknown;
  std::string text;
  std::string replay;              // a command line that shows it again
  std::string claim = "coverage";  // which claim it is about (report_model/claims.cc)
  std::string element = {}, expected = {}, actual = {};  // of a value that is wrong
};
const char* Name(Finding::Kind kind);  // "REFUTED", "MISMATCH", "UNKNOWN"

// The memory that the arrays of the entry, and of what it calls, are given.
struct MemoryCheck {
  int64_t arrays = 0, bytes = 0;
  int64_t sharing_pairs = 0;  // of arrays that have bytes in common, one after the other
  int64_t conflicts = 0;      // that are needed at one time: a finding each
  // Results that input_output_alias wants in the memory of a parameter, and that are copied there.
  int64_t copies = 0;
};

// A unit of the check (unit.h) that was not finished: its time was over, or its process ended.
struct GivenUp {
  std::string unit, why;
  double seconds = 0;  // of processor time, that it took
};

struct ModuleReport {
  std::string file, module;
  int64_t computations = 0, instructions = 0;
  uint64_t seed = 0;
  double time_limit = 0;  // 0: none
  // Constants that the text leaves out, which have values from the seed (elided_constants.h).
  int64_t made_constants = 0;
  int64_t random_states = 0;       // that are taken for arguments (random_states.h)
  bool sizes_at_bounds = false;    // which the module leaves to the run time (bounded_sizes.h)
  int64_t sizes_as_arguments = 0;  // of these
  std::vector<MapCheck> maps;
  std::vector<ComposedCheck> composed;
  SimplificationCheck simplification;
  std::optional<CertificatesCheck> certificates;  // where they are asked for
  std::vector<KernelCheck> kernels;
  DevicesCheck devices;
  MemoryCheck memory;
  WholeCheck whole;
  std::vector<std::string> argument_kinds;  // with which the module ran
  std::vector<LedgerRow> ledger;
  std::vector<Finding> findings;
  std::vector<GivenUp> given_up;
  double ms = 0;

  // The finding that decides: the first that is refuted or mismatched, else the first; null when
  // affirmed.
  const Finding* Worst() const;
  // Executed: affirmed, and at least one kernel is not proved.
  Verdict outcome() const;
  int status() const;            // exit status: 0, 1 or 2
  int64_t OnlyExecuted() const;  // kernels that ran and are not proved
  // "15 of 15 instructions, 3 of 3 kernels (1 of them only executed), the module as a whole on 4
  // sets of arguments"
  std::string Covered() const;
  // "affirmed", or "REFUTED: ...", "MISMATCH: ...", "UNKNOWN: ..."
  std::string verdict() const;
};

// Records of the units of a module's check that are finished, kept from one run to the next.
class UnitLedger {
 public:
  virtual ~UnitLedger() = default;
  // The record of a unit by its place and name; null where it is not there.
  virtual const llvm::json::Object* Find(size_t unit, llvm::StringRef name) const = 0;
  virtual llvm::Error Append(size_t unit, llvm::StringRef name, llvm::json::Object record) = 0;
};

// Checks modules, from any number of threads; proofs of rules are kept from one module to the next.
class Checker {
 public:
  explicit Checker(CheckOptions options);
  // `progress` hears what is being done.
  ModuleReport Check(const hlo::Module& module, llvm::StringRef file,
                     llvm::function_ref<void(llvm::StringRef)> progress);
  // The same, going on where the ledger ends, of a module for which some of its time was spent
  // before, with certificates where there is a folder. An error when the ledger cannot be used.
  llvm::Expected<ModuleReport> Check(const hlo::Module& module, llvm::StringRef file,
                                     llvm::function_ref<void(llvm::StringRef)> progress,
                                     UnitLedger* ledger, const SpentHere& spent,
                                     const CertificateFolder* certificates = nullptr);

  const CheckOptions& options() const { return options_; }
  const RuleTable& rules() const { return *options_.rules; }
  const RuleProofResult& ProofOf(const Rule& rule);
  // Takes a proof that another process made.
  void Remember(const std::string& rule, const RuleProofResult& proof);

 private:
  CheckOptions options_;
  std::mutex proving_;
  std::map<std::string, RuleProofResult> rule_proofs_;
};

// "36 of 38 claims about maps that are proved have one", and as JSON.
CoverageRow CertificatesRow(const CertificatesCheck& certificates);
void WriteCertificates(llvm::json::OStream& json, const CertificatesCheck& certificates);
// What every format is made from (driver/report_model).
RunReport ToRunReport(const ModuleReport& report);
// Every map, kernel and finding, and the last line of the summary; `everything`: also of maps that
// are proved each one, however many.
void PrintReport(const ModuleReport& report, llvm::raw_ostream& os, bool everything = false);
// The verdict and what it covers.
std::string VerdictLine(const ModuleReport& report);
// The same as one JSON object.
void WriteReport(const ModuleReport& report, llvm::json::OStream& json);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_CHECK_H_
