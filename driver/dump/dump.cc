#include "driver/dump/dump.h"

#include <set>

#include "driver/dump/entry_layouts.h"
#include "driver/dump/handed_layouts.h"
#include "driver/dump/row_text.h"
#include "driver/exit_status.h"
#include "driver/input.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"

namespace affirm::driver {

namespace {

// Splits uncovered work into assumed and not assumed; each text once.
void SortUncovered(const DumpOptions& options, DumpModule& module) {
  std::vector<llvm::GlobPattern> patterns;
  for (const std::string& text : options.assume) {
    auto pattern = llvm::GlobPattern::create(text);
    if (pattern)
      patterns.push_back(std::move(*pattern));
    else
      llvm::consumeError(pattern.takeError());
  }
  std::vector<Uncovered> all = std::exchange(module.not_covered, {});
  for (Uncovered& one : all) {
    const bool assumed = llvm::any_of(
        patterns, [&](const llvm::GlobPattern& pattern) { return pattern.match(one.name); });
    std::vector<Uncovered>& list = assumed ? module.assumed : module.not_covered;
    if (!llvm::is_contained(list, one)) list.push_back(std::move(one));
  }
}

// XLA:CPU compiles parts of a program as modules of their own: the module of the longest HLO.
const ModuleFiles* Largest(const std::vector<ModuleFiles>& modules) {
  const ModuleFiles* largest = nullptr;
  uint64_t most = 0;
  for (const ModuleFiles& files : modules) {
    uint64_t size = 0;
    if (files.hlo.empty() || llvm::sys::fs::file_size(files.hlo.back().path, size)) continue;
    if (largest == nullptr || size > most) largest = &files;
    most = std::max(most, size);
  }
  return largest;
}

// The layouts and aliases of the entry in the first and in the last HLO. Files that cannot be read
// are steps that are unknown.
std::vector<Uncovered> EntryLayouts(const ModuleFiles& files) {
  if (files.hlo.empty()) return {};
  auto first = ReadOneModule(files.hlo.front().path, UnknownOpcodes::kAllow);
  auto last = ReadOneModule(files.hlo.back().path, UnknownOpcodes::kAllow);
  // A caller lays out by the first HLO of the compiler; a program may have no layouts.
  auto compiled = ReadOneModule(files.hlo[files.has_source ? 1 : 0].path, UnknownOpcodes::kAllow);
  if (first && last && compiled) {
    std::vector<Uncovered> found = EntryLayoutsNotKept(**first, **last);
    if (files.has_source && found.empty()) found = EntryLayoutsNotKept(**compiled, **last);
    llvm::append_range(found, OperandsNotKept(**first, **last));
    llvm::append_range(found, LayoutsNotHandedOn(**last));
    return found;
  }
  llvm::consumeError(first.takeError());
  llvm::consumeError(last.takeError());
  llvm::consumeError(compiled.takeError());
  return {};
}

DumpModule CheckModule(const ModuleFiles& files, const DumpOptions& options,
                       llvm::function_ref<void(const std::string&)> progress) {
  DumpModule module{.name = files.name,
                    .files = static_cast<int64_t>(files.hlo.size()),
                    .has_passes = files.has_passes};
  if (files.of_two_compilations) {
    module.not_covered.push_back(
        {"files", "files: two have one number, as of two compilations into one folder"});
    return module;
  }
  if (options.passes) {
    module.passes = CheckPasses(files, options, progress);
    if (files.hlo.size() < 2)
      module.not_covered.push_back({"passes", "passes: there is one HLO file"});
    else if (!files.has_before)
      module.not_covered.push_back(
          {"passes", "passes: what runs before " + FileName(files.hlo.front().path) +
                         ", for the dump has no HLO before optimizations"});
    if (!files.not_imported.empty())
      module.not_covered.push_back({kImport, std::string(kImport) + ": " + files.not_imported});
    // As of a compiler that ended before its last pass.
    if (files.hlo.size() > 1 && files.optimized.empty())
      module.not_covered.push_back({"passes", "passes: what runs after " +
                                                  FileName(files.hlo.back().path) +
                                                  ", for the dump has no HLO after optimizations"});
  }
  if (options.kernels) {
    module.emitters = CheckEmitters(files, options, progress);
    CheckKernels(files, options, progress, module);
  }
  if (options.only_kernel.empty()) {
    llvm::append_range(module.not_covered, ElidedConstants(files, options.passes));
    llvm::append_range(module.not_covered, EntryLayouts(files));
  }
  SortUncovered(options, module);
  return module;
}

Verdict VerdictOf(const DumpModule& module) {
  Verdict verdict = Verdict::kProved;
  for (const PassRow& row : module.passes) verdict = Meet(verdict, row.verdict);
  for (const KernelRow& row : module.kernels) verdict = Meet(verdict, row.verdict);
  for (const SliceCopy& copy : module.copies) verdict = Meet(verdict, copy.verdict);
  for (const ConstantRow& row : module.constants) verdict = Meet(verdict, row.verdict);
  // An unknown claim about an emitter is covered by the proof of its kernel.
  for (const EmitterLog& log : module.emitters) {
    if (!log.WrongClaims().empty()) verdict = Verdict::kRefuted;
  }
  if (module.buffers && !module.buffers->conflicts.empty()) verdict = Verdict::kRefuted;
  const bool nothing = module.passes.empty() && module.kernels.empty() && module.copies.empty() &&
                       module.scheduled == 0;
  if (nothing || !module.faults.empty()) verdict = Meet(verdict, Verdict::kUnknown);
  // A run that was asked for has to be; a proof needs none of what no run can decide.
  if (module.run && module.run->verdict < Verdict::kExecuted && !module.run->is_undecidable)
    verdict = Meet(verdict, module.run->verdict);
  const bool ran = module.run && module.run->verdict == Verdict::kExecuted;
  if (!module.not_covered.empty())
    verdict = Meet(verdict, ran ? Verdict::kExecuted : Verdict::kUnknown);
  return verdict;
}

}  // namespace

DumpResult CheckDump(const std::vector<ModuleFiles>& modules, const DumpOptions& options,
                     llvm::function_ref<void(const std::string&)> progress) {
  DumpResult result;
  result.verdict = Verdict::kProved;
  const ModuleFiles* largest = Largest(modules);
  for (const ModuleFiles& files : modules) {
    DumpModule module = CheckModule(files, options, progress);
    if (!options.run.empty() && &files == largest)
      module.run = RunWhole(files, options.run, options.seed, options.meanings);
    result.verdict = Meet(result.verdict, VerdictOf(module));
    result.modules.push_back(std::move(module));
  }
  if (result.modules.empty()) result.verdict = Verdict::kUnknown;
  return result;
}

std::vector<std::string> AssumedNames(const DumpResult& result) {
  std::set<std::string> names;
  for (const DumpModule& module : result.modules) {
    for (const Uncovered& assumed : module.assumed) names.insert(assumed.name);
  }
  return {names.begin(), names.end()};
}

std::vector<Uncovered> ElidedConstants(const ModuleFiles& module, bool passes) {
  llvm::ArrayRef<HloFile> files = module.hlo;
  for (const HloFile& file : passes ? files : files.take_back(1)) {
    // Reading each file would take longer than comparing those that are the same.
    auto text = ReadInput(file.path, "an HLO module");
    if (!text || !llvm::StringRef(text->text).contains("{...}")) {
      if (!text) llvm::consumeError(text.takeError());
      continue;
    }
    auto module = OneModuleOf(*text, UnknownOpcodes::kAllow);
    if (!module) {
      llvm::consumeError(module.takeError());  // the step to it is unknown
      continue;
    }
    for (const auto& computation : (*module)->computations) {
      for (const auto& op : computation->instructions) {
        if (op->opcode != hlo::Opcode::kConstant || op->literal || !op->shape.IsArray()) continue;
        return {{"elided constants", "elided constants: '" + op->name + "' of " +
                                         FileName(file.path) +
                                         " has no value (--xla_dump_large_constants)"}};
      }
    }
  }
  return {};
}

std::optional<WrongPart> FirstWrong(const DumpResult& result) {
  for (const DumpModule& module : result.modules) {
    for (const PassRow& row : module.passes) {
      if (row.verdict == Verdict::kRefuted) return WrongPart{.pass = &row, .module = &module};
    }
    if (module.buffers && !module.buffers->conflicts.empty())
      return WrongPart{.buffer = &module.buffers->conflicts.front(), .module = &module};
    for (const EmitterLog& log : module.emitters) {
      if (!log.WrongClaims().empty()) return WrongPart{.emitter = &log, .module = &module};
    }
    for (const KernelRow& row : module.kernels) {
      if (row.verdict == Verdict::kRefuted) return WrongPart{.kernel = &row, .module = &module};
    }
    for (const SliceCopy& copy : module.copies) {
      if (copy.verdict == Verdict::kRefuted) return WrongPart{.copy = &copy, .module = &module};
    }
    for (const ConstantRow& row : module.constants) {
      if (row.verdict == Verdict::kRefuted) return WrongPart{.constant = &row, .module = &module};
    }
    if (module.run && module.run->verdict == Verdict::kRefuted)
      return WrongPart{.run = &*module.run, .module = &module};
  }
  return std::nullopt;
}

}  // namespace affirm::driver
