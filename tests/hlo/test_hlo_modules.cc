// The HLO modules of an XLA checkout, where one lies next to the repository, are read and read
// back.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/hlo/text.h"
#include "llvm/Support/MemoryBuffer.h"

namespace affirm::hlo {
namespace {

constexpr const char* kFolder = "../shared/cases/modules";

std::vector<std::string> Files() {
  std::vector<std::string> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder, missing)) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Texts that are no HLO, or whose shapes contradict each other.
bool IsMalformed(const std::string& file) {
  for (const char* part : {"dynamic_param", "module_attributes", "list_passes", "onednn"}) {
    if (file.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(Modules, ReadAndReadBack) {
  const std::vector<std::string> files = Files();
  if (files.empty()) GTEST_SKIP() << kFolder << " is absent";
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto buffer = llvm::MemoryBuffer::getFile(file);
    ASSERT_TRUE(static_cast<bool>(buffer));
    auto modules = ParseModules((*buffer)->getBuffer(), file);
    if (!modules) {
      const std::string error = llvm::toString(modules.takeError());
      EXPECT_TRUE(IsMalformed(file)) << error;
      EXPECT_EQ(error.rfind(file + ":", 0), 0u) << error;
      continue;
    }
    EXPECT_FALSE(IsMalformed(file));
    for (const auto& module : *modules) {
      const std::string printed = ToString(*module);
      auto again = ParseModule(printed, "printed");
      if (!again) {
        ADD_FAILURE() << llvm::toString(again.takeError());
        continue;
      }
      EXPECT_TRUE(SameModule(*module, **again));
      EXPECT_EQ(ToString(**again), printed);
    }
  }
}

}  // namespace
}  // namespace affirm::hlo
