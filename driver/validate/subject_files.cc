#include "driver/validate/subject_files.h"

#include "core/symbolic/error.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/shell_command.h"
#include "verify/kernel/emulator/emulator.h"

namespace affirm::driver {
namespace {

llvm::Expected<kernel::Launch> LaunchOf(const std::string& file,
                                        const hlo::Computation& computation) {
  if (file.empty()) return kernel::DefaultLaunch(computation);
  auto text = ReadInput(file, "a launch as JSON");
  if (!text) return text.takeError();
  return kernel::ParseLaunch(text->text, text->name);
}

}  // namespace

std::string ReplayOf(const SubjectFiles& files, uint64_t seed) {
  std::string replay = "affirm validate --hlo " + ShellQuoted(files.hlo);
  if (!files.fusion.empty()) replay += " --fusion " + ShellQuoted(files.fusion);
  replay += " --kernel " + ShellQuoted(files.kernel);
  if (!files.launch.empty()) replay += " --launch " + ShellQuoted(files.launch);
  return replay + " --seed " + std::to_string(seed);
}

llvm::Expected<LoadedSubject> LoadSubject(const SubjectFiles& files) {
  auto module = ReadOneModule(files.hlo);
  if (!module) return module.takeError();
  auto in_hlo = [&](llvm::Error error) {
    return MakeError(files.hlo + ":1:1: error: " + MessageOf(std::move(error)));
  };
  LoadedSubject loaded;
  loaded.module = std::move(*module);
  auto computation = FindComputation(*loaded.module, files.fusion);
  if (!computation) return in_hlo(computation.takeError());
  auto launch = LaunchOf(files.launch, **computation);
  if (!launch) return launch.takeError();
  auto text = ReadInput(files.kernel, "a kernel as LLVM IR");
  if (!text) return text.takeError();
  auto ir = kernel::ReadKernelIr(text->text, text->name, launch->kernel);
  if (!ir) return ir.takeError();
  loaded.ir = std::make_unique<kernel::KernelIr>(std::move(*ir));
  if (launch->threads[0] == 0) {
    if (auto threads = kernel::RequiredThreads(*loaded.ir)) launch->threads = *threads;
  }
  loaded.subject = {*computation, loaded.ir.get(), std::move(*launch)};
  if (llvm::Error error = CheckSubject(loaded.subject)) return in_hlo(std::move(error));
  if (llvm::Error error = kernel::CheckFits(*loaded.ir, loaded.subject.launch)) return error;
  return loaded;
}

}  // namespace affirm::driver
