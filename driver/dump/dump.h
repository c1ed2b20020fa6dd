// All of a compiler's dump (`affirm xla`): the HLO before and after each pass that changed it, and
// each kernel against the fusion that it is made from.
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

// A step from one HLO file of the dump to the next.
struct PassRow {
  std::string module;
  std::string pipeline, pass;  // "simplification", "algsimp"
  std::string before, after;   // paths
  int64_t line = 0;            // of the result in `after`; 0: it could not be read
  // Proved: each result of the module is the same. Executed: some result is not proved, and both
  // files gave the same on all sets of arguments. Refuted: a result differs.
  Verdict verdict = Verdict::kUnknown;
  bool changed = true;  // not the same graph
  ModuleEquivalence equivalence = {};
  std::string reason = {};  // why it is unknown, or not proved
  std::string replay = {};
};

// A kernel as it is launched for one instruction.
struct KernelRow {
  std::string module;
  std::string kernel;       // the function
  std::string instruction;  // the fusion
  std::string path = {};    // of the LLVM IR
  SourceRegion where = {};  // of the instruction in the optimized HLO
  Verdict verdict = Verdict::kUnknown;
  std::optional<Validation> validation = {};  // nothing where no launch could be made
  std::string reason = {};                    // why it is unknown
};

// What was found of a module, in order, and what was not covered.
struct DumpModule {
  std::string name;
  int64_t files = 0;        // of HLO
  bool has_passes = false;  // HLO of single passes
  std::vector<PassRow> passes = {};
  std::vector<KernelRow> kernels = {};
  std::vector<SliceCopy> copies = {};       // that are decided
  std::vector<ConstantRow> constants = {};  // that are decided
  std::vector<EmitterLog> emitters = {};
  std::optional<BufferLives> buffers = {};  // nothing where the dump has no buffer assignment
  int64_t scheduled = 0;                    // instructions that compute
  // Where what runs is not the schedule, in its order, in its buffers: the verdict is unknown.
  std::vector<std::string> faults = {};
  std::optional<WholeRun> run = {};  // of the compiled program, where there is a command for it
  // Work that no check covers, and the part of it that the caller takes on trust (--assume).
  std::vector<Uncovered> not_covered = {}, assumed = {};
};

// What is wrong in a module that is as small as may be (driver/campaign/dump_reducer.h).
struct ReducedModule {
  std::string file;
  int64_t instructions_before = 0, instructions = 0;
  std::string replay;  // a command
};

// Refuted before unknown before executed before proved. Where something is not covered and not
// assumed, at most executed where the whole program ran without a difference, and else unknown.
struct DumpResult {
  Verdict verdict = Verdict::kUnknown;
  std::vector<DumpModule> modules;
  std::optional<ReducedModule> reduced = {};
};

struct DumpOptions {
  uint64_t seed = 0;
  unsigned jobs = 1;
  bool passes = true, kernels = true;  // what is checked
  // Passes may use no law that changes roundings (verify/equivalence/laws.h). Else a step that such
  // laws explain is proved, and says by which.
  bool strict = false;
  std::string only_kernel;  // the function's name; empty: all
  // Patterns of the names of what is not covered (Uncovered::name) and taken on trust.
  std::vector<std::string> assume = {};
  // A command that runs the compiled program (whole_run.h) of the largest module; empty: none.
  std::string run = {};
  // Kernels whose operands and results have more elements are executed in samples only.
  int64_t most_elements = int64_t{1} << 22;
  // Of library calls, before what is known of them (verify/calls/expand.h).
  calls::GivenMeanings meanings;
  // Hears of each kernel that a launch was made of, when it has been validated; by several threads
  // where there are several jobs.
  std::function<void(const KernelRow& row, const KernelSubject& subject)> on_kernel = {};
};

DumpResult CheckDump(const std::vector<ModuleFiles>& modules, const DumpOptions& options,
                     llvm::function_ref<void(const std::string&)> progress);
// The names of what is assumed in any module, each once, in order.
std::vector<std::string> AssumedNames(const DumpResult& result);
// The constants whose values the HLO files leave out ("{...}"); of the last file alone unless
// `passes`.
std::vector<Uncovered> ElidedConstants(const ModuleFiles& module, bool passes);

// Puts the module that the compiler was given, a file of HLO, before those of the dump's module of
// its name: what happens between, the import, is a step like any other. An error for a file that
// cannot be read, and where the dump has no such module.
llvm::Error AddSource(std::vector<ModuleFiles>& modules, const std::string& path);
// The same of a text, which is written to a file of the folder.
llvm::Error AddSourceText(std::vector<ModuleFiles>& modules, const std::string& folder,
                          const std::string& text);
inline constexpr char kImport[] = "import";  // that step, as a pass

// Parts of it. passes.cc: the steps of a module; kernels.cc: its kernels.
std::vector<PassRow> CheckPasses(const ModuleFiles& module, const DumpOptions& options,
                                 llvm::function_ref<void(const std::string&)> progress);
void CheckKernels(const ModuleFiles& module, const DumpOptions& options,
                  llvm::function_ref<void(const std::string&)> progress, DumpModule& result);
// emitters.cc: the logs of emitters' passes.
std::vector<EmitterLog> CheckEmitters(const ModuleFiles& module, const DumpOptions& options,
                                      llvm::function_ref<void(const std::string&)> progress);

// Of the first module in which something is wrong: the first pass that changes a result, or else
// a buffer that is reused too early, or else the first pass of an emitter that changes maps, or
// else the first kernel that is refuted, or else the first copy of a slice, or else a constant, or
// else the run of the whole program.
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

// In an open object: "verdict", "assumed": [names], "not_covered": [texts], "first_wrong"?:
// {"stage", "name", "counterexample"}, "reduced"?:
// {"file", "instructions_before", "instructions", "replay"}, "passes": [...], "kernels": [...],
// "copies": [...], "constants": [...], "emitters": [...], "modules": [...]
void WriteAttributes(llvm::json::OStream& json, const DumpResult& result);
// What every format is made from (driver/report_model); `replay` checks the dump again.
RunReport ToRunReport(const DumpResult& result, const std::string& folder,
                      const std::string& replay);
// What the lines of the summary count, and these lines, with times of the records.
Counts CountsOf(const DumpResult& result);
void AddDumpCoverage(const Counts& counts, RunReport& report);
// Where no record explains an unknown, one says so: nothing was checked.
void AddUncovered(RunReport& report);

// The JSON of the shards of a run, as one that was not sharded prints it: shard i of n has the
// modules i, i + n, ... The error says which report is another run's.
struct DumpShard {
  uint64_t index = 0, count = 1;
  llvm::json::Object json;
};
llvm::Expected<llvm::json::Object> MergeDumps(const std::vector<DumpShard>& shards);
// "refuted: the first that is wrong is PART of MODULE"; no part: nothing is wrong. "proved,
// assuming fft, __cublas$gemm".
std::string DumpVerdictLine(Verdict verdict, llvm::StringRef part, llvm::StringRef module,
                            llvm::ArrayRef<std::string> assumed, bool covered);
// Each module with every step that changes it, every kernel and every emitter; `everything`: also
// steps that change nothing.
void PrintReport(llvm::raw_ostream& os, const DumpResult& result, bool everything);
// "refuted: the first that is wrong is pass algsimp of module_0001.jit_f"
std::string VerdictLine(const DumpResult& result);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_DUMP_H_
