// Listed tilings are those for which the tiles of the computation are exact: by asking for each,
// and by enumeration of what the maps read.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/analysis/uses/contracted_tiles.h"
#include "core/analysis/uses/exact_tilings.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using testing::Related;
using Sizes = std::vector<int64_t>;

std::vector<Sizes> AllSizes(const Sizes& extents) {
  std::vector<Sizes> all = {{}};
  for (int64_t extent : extents) {
    std::vector<Sizes> longer;
    for (const Sizes& one : all) {
      for (int64_t size = 1; size <= std::max<int64_t>(extent, 1); ++size) {
        longer.push_back(one);
        longer.back().push_back(size);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The reads of each tile of these sizes through a map, by division alone.
std::set<Related> ReadsOf(const IndexingMap& map, const Sizes& sizes) {
  std::set<Related> out;
  map.ForEachPoint([&](auto dims, auto ranges, auto) {
    Sizes id;
    for (size_t k = 0; k < sizes.size(); ++k) id.push_back(dims[k] / sizes[k]);
    out.insert({id, {}, llvm::cantFail(map.Evaluate(dims, ranges))});
    return true;
  });
  return out;
}

RC_GTEST_PROP(ExactTilings, AreThoseWithExactTiles, ()) {
  const auto module = testing::RandomGraph(testing::ReadingOps(), /*fused=*/false);
  const hlo::Instruction& root = *module->entry->root;
  RC_PRE(root.shape.IsArray());
  Context context;
  const GroupedIndexing maps = ComputationIndexing(root, 0, context);
  const TilingList list = ExactTilings(root.shape.dims, 200, [&](llvm::ArrayRef<int64_t> sizes) {
    return AreExact(TilesAlong(maps, llvm::cantFail(TilesOfShape(root.shape, sizes, context))));
  });
  RC_PRE(list.which == TileSizes::kAll);
  const std::vector<Sizes> all = AllSizes(root.shape.dims);
  RC_ASSERT(list.tried == std::ssize(all));
  RC_ASSERT(list.candidates == list.tried);
  RC_ASSERT(llvm::is_sorted(list.exact));
  for (const Sizes& sizes : all) {
    Context own;
    const GroupedTiles tiles = llvm::cantFail(ComputationTiles(root, 0, sizes, own));
    const bool is_listed = llvm::is_contained(list.exact, sizes);
    RC_ASSERT(is_listed == AreExact(tiles));
    if (!is_listed) continue;
    // One tile for each map, which has what is read through it, and nothing else.
    for (const auto& [op, of_op] : ComputationIndexing(root, 0, own)) {
      const bool can_be_enumerated = llvm::all_of(of_op, [](const LabeledMap& m) {
        return m.map.state() == IndexingMap::State::kNormal && m.map.runtime().empty();
      });
      if (!can_be_enumerated) continue;
      std::set<Related> wanted, found;
      for (const LabeledMap& map : of_op) wanted.merge(ReadsOf(map.map, sizes));
      for (const LeafTile& tile : tiles.find(op)->second)
        found.merge(testing::Relation(tile.tile.Elements()));
      RC_ASSERT(wanted == found);
    }
  }
  RC_TAG(list.exact.size() == all.size() ? std::string("all") : std::string("some"));
}

TEST(ExactTilings, OfAReshape) {
  testing::Parsed p =
      testing::Parse("ENTRY e {\na = f32[4,6] parameter(0)\nROOT r = f32[24] reshape(a)\n}\n");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  auto list = [&](int64_t most) {
    return ExactTilings({24}, most, [&](llvm::ArrayRef<int64_t> sizes) {
      return AreExact(llvm::cantFail(ComputationTiles(*p.root, 0, sizes, context)));
    });
  };
  const TilingList all = list(24);
  EXPECT_EQ(all.exact, (std::vector<Sizes>{{1}, {2}, {3}, {6}, {12}, {18}, {24}}));
  EXPECT_EQ(all.tried, 24);
  const TilingList divisors = list(23);
  EXPECT_EQ(divisors.which, TileSizes::kDivisorsAndPowersOfTwo);
  EXPECT_EQ(divisors.exact, (std::vector<Sizes>{{1}, {2}, {3}, {6}, {12}, {24}}));
  EXPECT_EQ(divisors.tried, 9);
  const TilingList powers = list(7);
  EXPECT_EQ(powers.which, TileSizes::kPowersOfTwo);
  EXPECT_EQ(powers.exact, (std::vector<Sizes>{{1}, {2}, {24}}));
  const TilingList first = list(2);
  EXPECT_EQ(first.exact, (std::vector<Sizes>{{1}, {2}}));
  EXPECT_EQ(first.tried, 2);
  EXPECT_EQ(first.candidates, 6);
}

TEST(ExactTilings, SizesAreInOrderAndEndAtTheExtent) {
  EXPECT_EQ(SizesToTry(5, TileSizes::kAll), (Sizes{1, 2, 3, 4, 5}));
  EXPECT_EQ(SizesToTry(5, TileSizes::kPowersOfTwo), (Sizes{1, 2, 4, 5}));
  EXPECT_EQ(SizesToTry(8, TileSizes::kPowersOfTwo), (Sizes{1, 2, 4, 8}));
  EXPECT_EQ(SizesToTry(12, TileSizes::kDivisorsAndPowersOfTwo), (Sizes{1, 2, 3, 4, 6, 8, 12}));
  for (TileSizes which :
       {TileSizes::kAll, TileSizes::kDivisorsAndPowersOfTwo, TileSizes::kPowersOfTwo}) {
    EXPECT_EQ(SizesToTry(0, which), (Sizes{1}));
    EXPECT_EQ(SizesToTry(1, which), (Sizes{1}));
  }
  const Sizes large = SizesToTry(INT64_MAX, TileSizes::kDivisorsAndPowersOfTwo);
  EXPECT_EQ(large.size(), 64u);
  EXPECT_EQ(large.back(), INT64_MAX);
}

TEST(ExactTilings, LargeExtentsAreNotListed) {
  int64_t asked = 0;
  auto never = [&](llvm::ArrayRef<int64_t>) { return ++asked < 0; };
  const TilingList list = ExactTilings({INT64_MAX, INT64_MAX, int64_t{1} << 30}, 100, never);
  EXPECT_EQ(list.tried, 100);
  EXPECT_EQ(list.candidates, 64 * 64 * 31);
  EXPECT_EQ(asked, 100);
  EXPECT_EQ(ExactTilings(Sizes(64, INT64_MAX), 3, never).candidates, INT64_MAX);
  const TilingList scalar = ExactTilings({}, 1, [](auto) { return true; });
  EXPECT_EQ(scalar.exact, std::vector<Sizes>{{}});
}

}  // namespace
}  // namespace affirm
