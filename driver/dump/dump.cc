#include "driver/dump/dump.h"

#include "driver/exit_status.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

DumpResult CheckDump(const std::vector<ModuleFiles>& modules, const DumpOptions& options,
                     llvm::function_ref<void(const std::string&)> progress) {
  DumpResult result;
  result.verdict = Verdict::kProved;
  int64_t rows = 0;
  for (const ModuleFiles& files : modules) {
    DumpModule module{.name = files.name,
                      .files = static_cast<int64_t>(files.hlo.size()),
                      .has_passes = files.has_passes};
    if (options.passes) {
      module.passes = CheckPasses(files, options, progress);
      if (files.hlo.size() < 2) module.not_covered.emplace_back("passes: there is one HLO file");
    }
    if (options.kernels) {
      module.emitters = CheckEmitters(files, options, progress);
      CheckKernels(files, options, progress, module);
    }
    for (const PassRow& row : module.passes) result.verdict = Meet(result.verdict, row.verdict);
    for (const KernelRow& row : module.kernels) result.verdict = Meet(result.verdict, row.verdict);
    for (const SliceCopy& copy : module.copies) result.verdict = Meet(result.verdict, copy.verdict);
    // What stays unknown of an emitter is covered by the proof of its kernel.
    for (const EmitterLog& log : module.emitters) {
      if (!log.WrongClaims().empty()) result.verdict = Verdict::kRefuted;
    }
    if (module.buffers && !module.buffers->conflicts.empty()) result.verdict = Verdict::kRefuted;
    rows +=
        static_cast<int64_t>(module.passes.size() + module.kernels.size() + module.copies.size());
    result.modules.push_back(std::move(module));
  }
  // Of nothing nothing is proved.
  if (rows == 0 && result.verdict != Verdict::kRefuted) result.verdict = Verdict::kUnknown;
  return result;
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
  }
  return std::nullopt;
}

}  // namespace affirm::driver
