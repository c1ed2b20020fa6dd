// Kernels of another compiler are lifted to terms, and their mutants are not proved.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "tests/kernel/lift_text.h"

namespace affirm::kernel {
namespace {

constexpr const char* kKernels = "../shared/cases/kernels";

std::string Read(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> KernelFolders() {
  std::vector<std::string> folders;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(kKernels, error), end; at != end && !error;
       at.increment(error)) {
    folders.push_back(at->path());
  }
  llvm::sort(folders);
  return folders;
}

// Fusions of which the code is inline assembly are not lifted.
bool IsTriton(const std::string& folder) { return folder.find("triton") != std::string::npos; }

TEST(LiftedKernels, AreLiftedAndProved) {
  auto folders = KernelFolders();
  if (folders.empty()) GTEST_SKIP() << kKernels << " is not here";
  for (const std::string& folder : folders) {
    if (IsTriton(folder)) continue;
    SCOPED_TRACE(folder);
    auto lifted = LiftText(Read(folder + "/kernel.ll"), Read(folder + "/launch.json"));
    EXPECT_EQ(lifted->error, "");
    EXPECT_EQ(lifted->unproved(), "");
  }
}

// A mutant that touches what it must not, as runs showed, has an obligation that is not proved:
// but for races on the buffers of results, which are not decided here.
TEST(LiftedKernels, MutantsAreNotProved) {
  auto folders = KernelFolders();
  if (folders.empty()) GTEST_SKIP() << kKernels << " is not here";
  int64_t mutants = 0;
  for (const std::string& folder : folders) {
    llvm::SmallVector<llvm::StringRef> lines;
    std::string list = Read(folder + "/mutants.jsonl");
    llvm::StringRef(list).split(lines, '\n', -1, false);
    for (llvm::StringRef line : lines) {
      auto json = llvm::json::parse(line);
      ASSERT_TRUE(static_cast<bool>(json));
      const llvm::json::Object& mutant = *json->getAsObject();
      if (mutant.getString("class") != "race/oob") continue;
      llvm::StringRef detail = mutant.getString("detail").value_or("");
      if (detail.starts_with("race-") && detail.contains("argument")) continue;
      std::string file = folder + "/" + mutant.getString("file")->str();
      auto lifted = LiftText(Read(file), Read(folder + "/launch.json"));
      EXPECT_FALSE(lifted->error.empty() && lifted->kernel.AllProved())
          << file << ": " << detail.str();
      ++mutants;
    }
  }
  EXPECT_GT(mutants, 20);
}

}  // namespace
}  // namespace affirm::kernel
