#include "driver/validate/subject_files.h"

#include "core/symbolic/error.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "driver/shell_command.h"
#include "driver/validate/written_layouts.h"
#include "llvm/ADT/StringExtras.h"
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
    const std::string message = MessageOf(std::move(error));
    // Some have their line and column.
    const bool placed = llvm::StringRef(message).split(": error: ").first.count(':') == 1 &&
                        llvm::isDigit(message.front());
    return MakeError(files.hlo + (placed ? ":" : ":1:1: error: ") + message);
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
  const hlo::Instruction* fusion =
      files.fusion.empty() ? nullptr : loaded.module->FindInstruction(files.fusion);
  if (llvm::Error error = CheckWrittenLayouts(**computation, loaded.subject.launch, fusion))
    return in_hlo(std::move(error));
  if (llvm::Error error = kernel::CheckFits(*loaded.ir, loaded.subject.launch)) return error;
  return loaded;
}

}  // namespace affirm::driver
