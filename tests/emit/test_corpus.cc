// Every small computation of the shared modules that has an emission: the kernel against the
// interpreter.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/hlo/text.h"
#include "tests/emit/kernel_testing.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

constexpr const char* kModules = "../shared/cases/modules";
constexpr int64_t kMaxElements = 4096;
constexpr size_t kMaxInstructions = 120;

// Work per element is not bounded by the sizes alone, but nearly so: every array must be small.
bool IsSmall(const hlo::Computation& computation, int depth = 0) {
  if (computation.instructions.size() > kMaxInstructions || depth > 3) return false;
  for (const auto& instruction : computation.instructions) {
    std::vector<const hlo::Shape*> pending = {&instruction->shape};
    while (!pending.empty()) {
      const hlo::Shape& shape = *pending.back();
      pending.pop_back();
      for (const hlo::Shape& element : shape.tuple) pending.push_back(&element);
      if (shape.IsArray() && shape.NumElements() > kMaxElements) return false;
    }
    for (const hlo::Computation* called : instruction->called) {
      if (!IsSmall(*called, depth + 1)) return false;
    }
  }
  return true;
}

// Two adds in another order would differ; nothing here reorders, so no tolerance is needed.
TEST(Corpus, KernelsComputeWhatTheInterpreterSays) {
  if (!std::filesystem::exists(kModules)) GTEST_SKIP() << "there is no " << kModules;
  int compared = 0, unsupported = 0;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kModules)) {
    if (entry.file_size() < 200'000) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    auto modules = hlo::ParseModules(text.str(), path.filename().string());
    if (!modules) {
      llvm::consumeError(modules.takeError());  // some are malformed on purpose
      continue;
    }
    for (const auto& module : *modules) {
      for (const auto& computation : module->computations) {
        if (!IsSmall(*computation)) continue;
        std::vector<hlo::Literal> arguments = hlo::MakeArguments(*computation, 1);
        Context context;
        auto kernel = emit::EmitKernel(*computation, context);
        if (!kernel) {
          ++unsupported;
          std::string why = llvm::toString(kernel.takeError());
          EXPECT_NE(why.find("cannot emit"), std::string::npos) << why;
          continue;
        }
        auto expected = hlo::Interpret(*computation, arguments, &kernel->evaluation_orders());
        if (!expected) {
          llvm::consumeError(expected.takeError());
          continue;
        }
        auto actual = emit::RunOnEmulator(*kernel, arguments);
        std::string where = path.filename().string() + " " + computation->name;
        if (!actual) {
          ADD_FAILURE() << where << ": " << llvm::toString(actual.takeError());
          continue;
        }
        EXPECT_TRUE(SameValue(*expected, *actual)) << where;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100) << unsupported << " without emission";
  RecordProperty("compared", compared);
  RecordProperty("unsupported", unsupported);
}

}  // namespace
}  // namespace affirm::testing
