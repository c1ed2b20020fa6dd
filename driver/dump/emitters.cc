// The logs of a module's emitters, each beside the fusion that it was made from.
#include "driver/dump/dump.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/parallel.h"

namespace affirm::driver {

std::vector<EmitterLog> CheckEmitters(const ModuleFiles& files, const DumpOptions& options,
                                      llvm::function_ref<void(const std::string&)> progress) {
  std::vector<EmitterLog> logs;
  if (files.emitter_logs.empty()) return logs;
  // Without the HLO, which CheckKernels reports, passes are compared all the same.
  std::unique_ptr<hlo::Module> module;
  if (!files.optimized.empty()) {
    auto optimized = ReadOneModule(files.optimized, UnknownOpcodes::kAllow);
    if (optimized) {
      module = std::move(*optimized);
    } else {
      llvm::consumeError(optimized.takeError());
    }
  }
  std::vector<std::pair<std::string, std::string>> chosen;
  for (const auto& log : files.emitter_logs) {
    if (options.only_kernel.empty() || options.only_kernel == log.second) chosen.push_back(log);
  }
  OrderedParallelFor<EmitterLog>(
      options.jobs, static_cast<int64_t>(chosen.size()),
      [&](int64_t k) {
        const auto& [path, kernel] = chosen[k];
        const hlo::Instruction* fusion = module ? module->FindInstruction(kernel) : nullptr;
        if (fusion != nullptr && fusion->opcode != hlo::Opcode::kFusion) fusion = nullptr;
        return CheckEmitterLog(path, kernel, fusion);
      },
      [&](EmitterLog& log) {
        progress(files.name + ": emitter of " + log.kernel);
        logs.push_back(std::move(log));
      });
  return logs;
}

}  // namespace affirm::driver
