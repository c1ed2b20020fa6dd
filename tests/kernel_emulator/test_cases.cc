// Kernels of XLA's compiler and their mutants: no kernel is refuted, and every mutant is that a run
// elsewhere showed to be wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/hlo/text.h"
#include "driver/validate/validate.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "../shared/cases/kernels";

std::string ReadFile(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string VerdictOf(const fs::path& folder, const std::string& file) {
  auto module = hlo::ParseModule(ReadFile(folder / "fusion.hlo"), "fusion.hlo");
  if (!module) return llvm::toString(module.takeError());
  auto launch = kernel::ParseLaunch(ReadFile(folder / "launch.json"), "launch.json");
  if (!launch) return llvm::toString(launch.takeError());
  auto ir = kernel::ReadKernelIr(ReadFile(folder / file), file, launch->kernel);
  if (!ir) return llvm::toString(ir.takeError());
  KernelSubject subject{(*module)->entry, &*ir, std::move(*launch)};
  if (llvm::Error error = CheckSubject(subject)) return llvm::toString(std::move(error));
  Validation validation = Validate(subject, {});
  for (const ClaimResult& claim : validation.claims) {
    EXPECT_EQ(claim.verdict == Verdict::kRefuted, claim.counterexample.has_value());
  }
  EXPECT_GT(validation.executed.runs, 0);
  return Name(validation.verdict);
}

TEST(KernelCases, WrongMutantsAreRefutedAndKernelsAreNot) {
  if (!fs::exists(kFolder)) GTEST_SKIP() << kFolder << " is not there";
  int kernels = 0, mutants = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (!entry.is_directory()) continue;
    EXPECT_NE(VerdictOf(entry.path(), "kernel.ll"), "refuted") << entry.path();
    ++kernels;
    std::ifstream lines(entry.path() / "mutants.jsonl");
    for (std::string line; std::getline(lines, line);) {
      auto mutant = llvm::json::parse(line);
      ASSERT_TRUE(!!mutant) << llvm::toString(mutant.takeError());
      const llvm::json::Object& fields = *mutant->getAsObject();
      if (*fields.getString("class") == "same") continue;
      const std::string file = fields.getString("file")->str();
      EXPECT_EQ(VerdictOf(entry.path(), file), "refuted") << entry.path() << " " << line;
      ++mutants;
    }
  }
  EXPECT_GT(kernels, 0);
  RecordProperty("kernels", kernels);
  RecordProperty("mutants", mutants);
}

}  // namespace
}  // namespace affirm::driver
