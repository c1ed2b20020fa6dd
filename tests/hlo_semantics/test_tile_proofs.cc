// Tiles of the operands of corpus instructions, at their real sizes, are proved to be what the maps
// lead to.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/analysis/uses/tiling.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "verify/maps/maps.h"

namespace affirm {
namespace {

std::vector<std::string> CorpusFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/hlo")) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class TileProofs : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::stringstream text;
    text << std::ifstream(GetParam()).rdbuf();
    auto module = hlo::ParseModule(text.str(), GetParam());
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    module_ = std::move(*module);
  }

  // Checks every tile that a tile of output 0 of `root` leads to.
  void Prove(const hlo::Instruction& root, llvm::ArrayRef<int64_t> sizes) {
    Context context;
    const hlo::Shape& shape = *LeafShape(root.shape, 0);
    auto whole = TilesOfShape(shape, sizes, context);
    ASSERT_TRUE(bool(whole)) << llvm::toString(whole.takeError());
    for (const auto& [op, maps] : ComputationIndexing(root, 0, context)) {
      for (const LabeledMap& map : maps) {
        if (map.map.IsUndefined()) continue;
        Tile tile = PropagateTile(*whole, map);
        ASSERT_TRUE(tile.IsKnown()) << op->name;
        IndexingMap access = Compose(whole->Elements(), map.map), elements = tile.Elements();
        // A runtime value that differs within the tile cannot be an argument of the tile.
        if (elements.state() == IndexingMap::State::kNormal &&
            elements.runtime().size() != access.runtime().size()) {
          EXPECT_EQ(tile.exactness, Exactness::kOverApproximate);
          continue;
        }
        MapProofResult answer =
            tile.reason.empty() ? ProveEqual(elements, access) : ProveSuperset(elements, access);
        EXPECT_EQ(answer.verdict, Verdict::kProved)
            << op->name << ": " << elements.ToString() << "\n"
            << access.ToString() << "\n"
            << answer.reason;
        if (tile.offsets.state() != IndexingMap::State::kNormal) continue;
        // A tile that is off by one is not, unless it is larger than what is read.
        if (tile.offsets.results().empty() || !tile.reason.empty()) continue;
        std::vector<SymbolicExpr> moved = elements.results().vec();
        moved[0] = moved[0] + 1;
        elements.SetResults(moved);
        EXPECT_EQ(ProveSuperset(elements, access).verdict, Verdict::kRefuted) << op->name;
      }
    }
  }

  std::unique_ptr<hlo::Module> module_;
};

TEST_P(TileProofs, AreProved) {
  for (const auto& computation : module_->computations) {
    const hlo::Instruction& root = *computation->root;
    const hlo::Shape& shape = *LeafShape(root.shape, 0);
    if (!shape.IsArray() || shape.rank() == 0 || shape.NumElements() == 0) continue;
    std::vector<int64_t> fours(shape.rank(), 4), rows(shape.rank(), 1);
    rows.back() = shape.dims.back();
    Prove(root, fours);
    Prove(root, rows);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, TileProofs, ::testing::ValuesIn(CorpusFiles()),
                         [](const auto& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

}  // namespace
}  // namespace affirm
