// Every map in corpus/maps keeps its sets when simplified, and reads back as it was printed.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/indexing/indexing_map.h"
#include "fuzz/properties/map_operations.h"
#include "gtest/gtest.h"

namespace affirm {
namespace {

TEST(MapCorpus, KeepsSetsAndForm) {
  int64_t maps = 0;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/maps")) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    Context context;
    std::string all = text.str();
    llvm::StringRef rest = all;
    while (!rest.empty()) {
      auto [head, tail] = rest.split("\n\n");
      rest = tail;
      if (head.trim().starts_with("//") && head.find("->") == llvm::StringRef::npos) continue;
      auto map = ParseIndexingMap(head, context, entry.path().string());
      ASSERT_TRUE(static_cast<bool>(map)) << llvm::toString(map.takeError());
      EXPECT_EQ(fuzz::CheckText(*map, context), "") << head.str();
      EXPECT_EQ(fuzz::CheckSimplify(*map), "") << head.str();
      ++maps;
    }
  }
  EXPECT_GE(maps, 6);
}

}  // namespace
}  // namespace affirm
