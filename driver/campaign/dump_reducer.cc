#include "driver/campaign/dump_reducer.h"

#include "core/hlo/text.h"
#include "core/symbolic/error.h"
#include "driver/errors.h"
#include "driver/input.h"
#include "fuzz/reducer/hlo_reducer.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {

namespace {

constexpr int64_t kMostCompiled = 200;  // a second or two each

// The fault that must show again: a pass by its name; for a kernel, whose name may change, the
// claim.
std::string PlaceOf(const WrongPart& wrong) {
  if (wrong.pass) return "pass " + wrong.pass->pass;
  if (wrong.buffer) return "buffers";
  if (wrong.copy) return "copy";
  if (wrong.constant) return "constant";
  if (wrong.run) return "run";
  if (wrong.emitter) return "emitter: " + wrong.emitter->WrongClaims().front().name;
  for (const ClaimResult& claim : wrong.kernel->validation->claims) {
    if (claim.verdict == Verdict::kRefuted)
      return std::string("kernel: ") + kernel::Name(claim.claim);
  }
  return "kernel";
}

// Reads a module, and drops the metadata that says where instructions come from.
llvm::Expected<std::unique_ptr<hlo::Module>> ReadOneToReduce(const std::string& path) {
  auto module = ReadOneModule(path);
  if (!module) return module;
  (*module)->tables.clear();
  for (const auto& computation : (*module)->computations) {
    for (const auto& op : computation->instructions) {
      llvm::erase_if(op->attributes.extra,
                     [](const auto& attribute) { return attribute.first == "metadata"; });
    }
  }
  return module;
}

class Reduction {
 public:
  Reduction(const WrongPart& wrong, const XlaCompiler& compiler, const DumpOptions& options)
      : place_(PlaceOf(wrong)), compiler_(compiler), options_(options) {
    options_.passes = wrong.pass != nullptr;
    options_.kernels = !options_.passes;
    options_.only_kernel.clear();
  }

  bool IsWrongAgain(const hlo::Module& module) {
    ++compilations_;
    const std::string text = hlo::ToString(module);
    const bool wrong = IsWrong(text);
    compiler_.Forget(text);
    return wrong;
  }

  const std::string& place() const { return place_; }
  int64_t compilations() const { return compilations_; }

 private:
  bool IsWrong(const std::string& text) const {
    auto compiled = compiler_.Compile(text, options_.passes);
    if (!compiled || compiled->kind != XlaCompiler::Result::Kind::kDump) {
      if (!compiled) llvm::consumeError(compiled.takeError());
      return false;
    }
    auto modules = FindModules(compiled->folder);
    if (!modules) {
      llvm::consumeError(modules.takeError());
      return false;
    }
    if (llvm::StringRef(place_).contains(kImport)) {
      if (llvm::Error error = AddSourceText(*modules, compiled->folder, text, options_)) {
        llvm::consumeError(std::move(error));
        return false;
      }
    }
    const DumpResult result = CheckDump(*modules, options_, [](const std::string&) {});
    auto wrong = FirstWrong(result);
    return wrong && PlaceOf(*wrong) == place_;
  }

  std::string place_;
  const XlaCompiler& compiler_;
  DumpOptions options_;
  int64_t compilations_ = 0;
};

}  // namespace

llvm::Expected<ReducedDump> ReduceDump(const DumpResult& result,
                                       const std::vector<ModuleFiles>& modules,
                                       const XlaCompiler& compiler, const DumpOptions& options,
                                       llvm::function_ref<void(const std::string&)> progress) {
  auto wrong = FirstWrong(result);
  if (!wrong) return MakeError("nothing is wrong that a module could be reduced for");
  const auto files =
      llvm::find_if(modules, [&](const ModuleFiles& of) { return of.name == wrong->module->name; });
  std::vector<std::string> starts;
  if (wrong->pass) starts.push_back(wrong->pass->before);
  if (!files->hlo.empty()) starts.push_back(files->hlo.front().path);
  Reduction reduction(*wrong, compiler, options);
  for (const std::string& start : starts) {
    auto module = ReadOneToReduce(start);
    if (!module) return module.takeError();
    if (!reduction.IsWrongAgain(**module)) continue;
    fuzz::ReduceOptions how;
    how.max_tests = kMostCompiled;
    how.progress = [&](const hlo::Module& best) {
      progress("reducing: " + std::to_string(best.NumInstructions()) + " instructions, " +
               std::to_string(reduction.compilations()) + " compilations");
    };
    auto reduced = fuzz::ReduceModule(
        **module, [&](const hlo::Module& candidate) { return reduction.IsWrongAgain(candidate); },
        how);
    const hlo::Module& small = reduced ? *reduced : **module;
    return ReducedDump{hlo::ToString(small), (*module)->NumInstructions(), small.NumInstructions(),
                       reduction.compilations()};
  }
  return MakeError("'" + compiler.command() + "' does not go wrong in the same place (" +
                   reduction.place() + ") again, so that nothing can be reduced");
}

std::string PlatformOf(const ModuleFiles& files) { return files.on_cpu ? "cpu" : "gpu"; }

}  // namespace affirm::driver
