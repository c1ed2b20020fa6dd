// Checks a compiler's dump (`affirm xla`): the HLO before and after each pass that changed it, and
// each kernel against its fusion.
//
//   auto modules = FindModules("dump");
//   DumpResult result = CheckDump(*modules, {});
//   result.verdict;   // refuted: FirstWrong(result) is the guilty pass or kernel
#ifndef AFFIRM_DRIVER_DUMP_DUMP_H_
#define AFFIRM_DRIVER_DUMP_DUMP_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/buffers/buffer_lives.h"
#include "driver/dump/constants.h"
#include "driver/dump/dump_files.h"
#include "driver/dump/emitter_maps.h"
#include "driver/dump/scheduled_work.h"
#include "driver/dump/slice_copies.h"
#include "driver/dump/whole_run.h"
#include "driver/equivalence/equivalence.h"
#include "driver/validate/validate.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "verify/calls/expand.h"

namespace affirm::driver {

// A pass, from one HLO file of the dump to the next.
struct PassRow {
  std::string module;
  std::string pipeline, pass;  // "simplification", "algsimp"
  std::string before, after;   // paths
  int64_t line = 0;            // line of the result in `after`; 0: it could not be read
  // Proved: each result of the module is the same. Executed: some result is not proved, and both
  // files gave the same on all sets of arguments. Refuted: a result differs.
  Verdict verdict = Verdict::kUnknown;
  bool changed = true;  // whether the graphs differ
  ModuleEquivalence equivalence = {};
  std::string reason = {};  // why it is unknown, or not proved
  std::string replay = {};
};

// A kernel as it is launched for one instruction.
struct KernelRow {
  std::string module;
  std::string kernel;       // the function
  std::string instruction;  // the fusion
  std::string path = {};    // path of the LLVM IR
  SourceRegion where = {};  // the instruction in the optimized HLO
  Verdict verdict = Verdict::kUnknown;
  std::optional<Validation> validation = {};  // nullopt if no launch could be built
  std::string reason = {};                    // why it is unknown
};

// The results for a module, in order, and the work that was not covered.
struct DumpModule {
  std::string name;
  int64_t files = 0;        // number of HLO files
  bool has_passes = false;  // whether there is HLO of single passes
  std::vector<PassRow> passes = {};
  std::vector<KernelRow> kernels = {};
  std::vector<SliceCopy> copies = {};       // decided ones
  std::vector<ConstantRow> constants = {};  // decided ones
  std::vector<EmitterLog> emitters = {};
  std::optional<BufferLives> buffers = {};  // nullopt if the dump has no buffer assignment
  int64_t scheduled = 0;                    // instructions that compute
  // Deviations of execution from the schedule, its order or its buffers: the verdict is unknown.
  std::vector<std::string> faults = {};
  std::optional<WholeRun> run = {};  // a run of the compiled program, if there is a command for it
  // Work that no check covers, and the part of it that the caller trusts (--assume).
  std::vector<Uncovered> not_covered = {}, assumed = {};
};

// A wrong module, reduced (driver/campaign/dump_reducer.h).
struct ReducedModule {
  std::string file;
  int64_t instructions_before = 0, instructions = 0;
  std::string replay;  // a command
};

// The verdict is the weakest of refuted, unknown, executed, proved. If some work is neither covered
// nor assumed, it is at most executed if the whole program ran without a difference, else unknown.
struct DumpResult {
  Verdict verdict = Verdict::kUnknown;
  std::vector<DumpModule> modules;
  std::optional<ReducedModule> reduced = {};
};

struct DumpOptions {
  uint64_t seed = 0;
  unsigned jobs = 1;
  bool passes = true, kernels = true;  // whether to check passes, kernels
  // Allows passes no law that changes roundings (verify/equivalence/laws.h). Otherwise a pass that
  // such laws explain is proved, and the report names them.
  bool strict = false;
  std::string only_kernel;  // the function's name; empty: all
  // Patterns for names of uncovered work (Uncovered::name) to be trusted.
  std::vector<std::string> assume = {};
  // A command that runs the compiled program (whole_run.h) of the largest module; empty: none.
  std::string run = {};
  // Kernels whose operands and results have more elements are executed in samples only.
  int64_t most_elements = int64_t{1} << 22;
  // Meanings of library calls, which override the known ones (verify/calls/expand.h).
  calls::GivenMeanings meanings;
  // Called for each validated kernel with a launch; from several threads if there are several jobs.
  std::function<void(const KernelRow& row, const KernelSubject& subject)> on_kernel = {};
};

DumpResult CheckDump(const std::vector<ModuleFiles>& modules, const DumpOptions& options,
                     llvm::function_ref<void(const std::string&)> progress);
// The names of assumed work in any module, each once, in order.
std::vector<std::string> AssumedNames(const DumpResult& result);
// The elided constants ("{...}") of the HLO files; of the last file alone unless `passes`.
std::vector<Uncovered> ElidedConstants(const ModuleFiles& module, bool passes);

// Adds the compiler's input, an HLO file, before the files of the dump's module of its name, so
// that the import is checked like a pass. The source is that of one compilation: where several
// modules have the name, those that are not its import are left alone if another one of their
// folder is, else the import is not covered. An error if the file cannot be read, or the dump has
// no such module.
llvm::Error AddSource(std::vector<ModuleFiles>& modules, const std::string& path,
                      const DumpOptions& options);
// The same for a text, which is written to a file in the folder.
llvm::Error AddSourceText(std::vector<ModuleFiles>& modules, const std::string& folder,
                          const std::string& text, const DumpOptions& options);
inline constexpr char kImport[] = "import";  // the name of that pass

// Parts of CheckDump. passes.cc: the passes of a module; kernels.cc: its kernels.
std::vector<PassRow> CheckPasses(const ModuleFiles& module, const DumpOptions& options,
                                 llvm::function_ref<void(const std::string&)> progress);
void CheckKernels(const ModuleFiles& module, const DumpOptions& options,
                  llvm::function_ref<void(const std::string&)> progress, DumpModule& result);
// emitters.cc: the logs of the emitters' passes.
std::vector<EmitterLog> CheckEmitters(const ModuleFiles& module, const DumpOptions& options,
                                      llvm::function_ref<void(const std::string&)> progress);

// The first refuted part of the first module that has one, in this order: a pass that changes a
// result; a buffer that is reused too early; an emitter pass that changes maps; a kernel; a copy of
// a slice; a constant; the run of the whole program.
struct WrongPart {
  const PassRow* pass = nullptr;
  const EmitterLog* emitter = nullptr;
  const KernelRow* kernel = nullptr;
  const BufferConflict* buffer = nullptr;
  const SliceCopy* copy = nullptr;
  const ConstantRow* constant = nullptr;
  const WholeRun* run = nullptr;
  const DumpModule* module = nullptr;
};
std::optional<WrongPart> FirstWrong(const DumpResult& result);

// Writes to an open object: "verdict", "assumed": [names], "not_covered": [texts], "first_wrong"?:
// {"stage", "name", "counterexample"}, "reduced"?:
// {"file", "instructions_before", "instructions", "replay"}, "passes": [...], "kernels": [...],
// "copies": [...], "constants": [...], "emitters": [...], "modules": [...]
void WriteAttributes(llvm::json::OStream& json, const DumpResult& result);
// The model of all output formats (driver/report_model); `replay` is the command that checks the
// dump again.
RunReport ToRunReport(const DumpResult& result, const std::string& folder,
                      const std::string& replay);
// The counts for the lines of the summary; and these lines, with the records' times.
Counts CountsOf(const DumpResult& result);
void AddDumpCoverage(const Counts& counts, RunReport& report);
// Adds a record "nothing was checked" if no record explains an unknown verdict.
void AddUncovered(RunReport& report);

// Merges the JSON of a run's shards to that of an unsharded run: shard i of n has the modules i,
// i + n, ... The error names a report of another run.
struct DumpShard {
  uint64_t index = 0, count = 1;
  llvm::json::Object json;
};
llvm::Expected<llvm::json::Object> MergeDumps(const std::vector<DumpShard>& shards);
// "refuted: the first that is wrong is PART of MODULE"; an empty part: nothing is wrong. "proved,
// assuming fft, __cublas$gemm".
std::string DumpVerdictLine(Verdict verdict, llvm::StringRef part, llvm::StringRef module,
                            llvm::ArrayRef<std::string> assumed, bool covered);
// Prints each module with all passes that change it, kernels and emitters; `everything`: also
// passes that change nothing.
void PrintReport(llvm::raw_ostream& os, const DumpResult& result, bool everything);
// "refuted: the first that is wrong is pass algsimp of module_0001.jit_f"
std::string VerdictLine(const DumpResult& result);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_DUMP_H_
