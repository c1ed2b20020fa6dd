// Tiles agree with enumeration: a tile has the elements that the maps give, point by point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/analysis/uses/tiling.h"
#include "core/symbolic/text.h"
#include "fuzz/properties/map_analyses.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using testing::Parse;
using testing::Parsed;
using testing::Sizes;

// Some tile sizes for a shape: those that divide it and those that don't, up to past its size.
Sizes RandomTile(const Sizes& shape) {
  Sizes tile;
  for (int64_t n : shape) tile.push_back(testing::In(1, n + 1));
  return tile;
}

void CheckRandomTiles(const hlo::Instruction& root) {
  Sizes tile = RandomTile(root.shape.dims);
  RC_LOG() << "tile " << testing::Join(tile) << "\n";
  fuzz::TileCheck check = fuzz::CheckTiles(root, 0, tile, testing::In(0, 100));
  RC_LOG() << check.problem << "\n";
  RC_ASSERT(check.problem.empty());
  RC_TAG(check.fit);
}

RC_GTEST_PROP(Tiles, OfFusionsAgreeWithEnumeration, ()) {
  CheckRandomTiles(*testing::RandomGraph(testing::ReadingOps(), /*fused=*/false)->entry->root);
}

class TilesOfOps : public ::testing::TestWithParam<hlo::Opcode> {};
TEST_P(TilesOfOps, AgreeWithEnumeration) {
  EXPECT_TRUE(
      rc::check([] { CheckRandomTiles(*testing::RandomInstance(GetParam())->entry->root); }));
}
INSTANTIATE_TEST_SUITE_P(Ops, TilesOfOps, ::testing::ValuesIn(testing::kOpsWithExactMaps),
                         [](const auto& info) { return testing::TestName(info.param); });

// Sums of terms `c * v`, `v floordiv c` and `v mod c`, of either sign, under bounds and a
// congruence.
IndexingMap RandomMap(Context& context) {
  const SymbolicExpr variables[] = {context.Dim(0), context.Dim(1), context.Range(0),
                                    context.Range(1)};
  auto variable = [&] { return variables[testing::In(0, 3)]; };
  auto term = [&]() -> SymbolicExpr {
    SymbolicExpr e = variable() * testing::In(-3, 3);
    int64_t c = testing::In(2, 4);
    switch (testing::In(0, 5)) {
      case 0:
        return (e + variable() + testing::In(-2, 2)).FloorDiv(testing::In(0, 1) ? c : -c);
      case 1:
        return (e + testing::In(-2, 2)).Mod(c);
      case 2:
        return e.Min(context.Constant(c)).Max(variable());
      default:
        return e;
    }
  };
  std::vector<SymbolicExpr> results;
  for (int64_t n = testing::In(0, 2); n >= 0; --n) {
    results.push_back(term() + term() + testing::In(-2, 2));
  }
  std::vector<Constraint> constraints;
  if (testing::In(0, 1)) constraints.push_back({term() + term(), {testing::In(-3, 0), 4}});
  if (testing::In(0, 1)) {
    int64_t m = testing::In(2, 4), r = testing::In(0, m - 1);
    constraints.push_back({(term() + variable()).Mod(m), Interval::Point(r)});
  }
  return IndexingMap::FromShapes(context, results, {4, testing::In(1, 3)},
                                 {testing::In(1, 6), testing::In(1, 4)}, constraints);
}

RC_GTEST_PROP(Tiles, OfAnyMap, ()) {
  Context context;
  IndexingMap map = RandomMap(context);
  Tile tile = TileOf(map);
  IndexingMap elements = tile.Elements();
  RC_LOG() << map.ToString() << "\n" << elements.ToString() << "\n" << tile.reason << "\n";
  RC_TAG(std::string(tile.reason.empty() ? "exact" : tile.IsKnown() ? "wider" : "none"));
  if (!tile.IsKnown()) return;
  auto want = testing::Relation(map), have = testing::Relation(elements);
  RC_ASSERT(std::includes(have.begin(), have.end(), want.begin(), want.end()));
  if (tile.reason.empty()) RC_ASSERT(have == want);
}

std::string TextOf(SymbolicExpr e, const IndexingMap& map) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Print(e, os, [&](VarKind kind, int64_t i) { return map.VariableName(kind, i); });
  return text;
}

// The text of the tiles of one instruction: offsets, sizes, strides, upper bounds.
std::string Text(const GroupedTiles& tiles, llvm::StringRef name) {
  std::string out;
  for (const auto& [op, of_op] : tiles) {
    for (const LeafTile& t : of_op) {
      if (op->name != name) continue;
      out += t.tile.offsets.ToString() + " sizes " + testing::Join(t.tile.sizes) + " strides " +
             testing::Join(t.tile.strides) + " below";
      for (SymbolicExpr bound : t.tile.upper_bounds) {
        out += bound ? " " + TextOf(bound, t.tile.offsets) : " -";
      }
      out += "; " + t.tile.reason + "\n";
    }
  }
  return out;
}

struct Example {
  const char* name;
  const char* hlo;
  Sizes tile;
  const char* parameter;  // the tiles of p0
};

class TileExamples : public ::testing::TestWithParam<Example> {};
TEST_P(TileExamples, HaveTheExpectedOffsetsAndSizes) {
  Parsed p = Parse(GetParam().hlo);
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  auto tiles = ComputationTiles(*p.root, 0, GetParam().tile, context);
  ASSERT_TRUE(bool(tiles)) << llvm::toString(tiles.takeError());
  EXPECT_EQ(Text(*tiles, "p0"), GetParam().parameter);
}

const Example kExamples[] = {
    {"PartialTilesHaveABound",
     "p0 = f32[10,7] parameter(0)\nROOT r = f32[10,7] negate(p0)",
     {4, 7},
     "(pid_0, pid_1) -> (pid_0 * 4, 0), domain: pid_0 in [0, 2], pid_1 in [0, 0] sizes 4,7 "
     "strides 1,1 below 10 -; \n"},
    {"ReverseRunsUpwards",
     "p0 = f32[10] parameter(0)\nROOT r = f32[10] reverse(p0), dimensions={0}",
     {4},
     "(pid_0) -> (max(pid_0 * -4 + 6, 0)), domain: pid_0 in [0, 2] sizes 4 strides 1 below "
     "pid_0 * -4 + 10; \n"},
    {"SliceSteps",
     "p0 = f32[20] parameter(0)\nROOT r = f32[6] slice(p0), slice={[2:20:3]}",
     {3},
     "(pid_0) -> (pid_0 * 9 + 2), domain: pid_0 in [0, 1] sizes 3 strides 3 below -; \n"},
    {"CollapseOfWholeRows",
     "p0 = f32[4,8] parameter(0)\nROOT r = f32[32] reshape(p0)",
     {16},
     "(pid_0) -> (pid_0 * 2, 0), domain: pid_0 in [0, 1] sizes 2,8 strides 1,1 below - -; \n"},
    {"CollapseOfAPartOfARow",
     "p0 = f32[4,8] parameter(0)\nROOT r = f32[32] reshape(p0)",
     {4},
     "(pid_0) -> (pid_0 floordiv 2, (pid_0 mod 2) * 4), domain: pid_0 in [0, 7] sizes 1,4 "
     "strides 1,1 below - -; \n"},
    {"CollapseAcrossRowsIsNoTile",
     "p0 = f32[4,8] parameter(0)\nROOT r = f32[32] reshape(p0)",
     {12},
     "(pid_0) -> ((pid_0 * 3) floordiv 2, 0), domain: pid_0 in [0, 2] sizes 3,8 strides 1,1 below "
     "min((pid_0 * 3) floordiv 2 + 2, 4) -; a part of a period of 8 may wrap around\n"},
    {"ExpandOfWholeRows",
     "p0 = f32[32] parameter(0)\nROOT r = f32[4,8] reshape(p0)",
     {3, 8},
     "(pid_0, pid_1) -> (pid_0 * 24), domain: pid_0 in [0, 1], pid_1 in [0, 0] sizes 24 strides 1 "
     "below 32; \n"},
    {"ExpandLeavesGaps",
     "p0 = f32[32] parameter(0)\nROOT r = f32[4,8] reshape(p0)",
     {2, 4},
     "(pid_0, pid_1) -> (pid_0 * 16 + pid_1 * 4), domain: pid_0 in [0, 1], pid_1 in [0, 1] sizes "
     "12 strides 1 below -; steps of 1 and of 8 together leave gaps\n"},
};
INSTANTIATE_TEST_SUITE_P(Examples, TileExamples, ::testing::ValuesIn(kExamples),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Tiles, TheDiagonalIsNoTile) {
  Context context;
  Tile tile =
      TileOf(IndexingMap::FromShapes(context, {context.Range(0), context.Range(0)}, {}, {4}));
  EXPECT_EQ(tile.exactness, Exactness::kOverApproximate);
  EXPECT_EQ(tile.reason, "one index of the tile moves several coordinates");
  EXPECT_EQ(tile.sizes, Sizes({4, 4}));
}

TEST(Tiles, SizesMustFit) {
  Parsed p = Parse("p0 = f32[4,8] parameter(0)\nROOT r = f32[4,8] negate(p0)");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  for (const Sizes& sizes : {Sizes{4}, Sizes{4, 0}, Sizes{4, -1}, Sizes{1, 2, 3}}) {
    auto tiles = ComputationTiles(*p.root, 0, sizes, context);
    EXPECT_FALSE(bool(tiles));
    llvm::consumeError(tiles.takeError());
  }
}

TEST(Tiles, OfNothingAreEmpty) {
  Parsed p = Parse("p0 = f32[0,8] parameter(0)\nROOT r = f32[0,8] negate(p0)");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  auto tiles = ComputationTiles(*p.root, 0, {4, 4}, context);
  ASSERT_TRUE(bool(tiles)) << llvm::toString(tiles.takeError());
  EXPECT_EQ(Text(*tiles, "p0"), "");
}

// A tile of an operand, and what it goes into: from any element of the tile, along the map to the
// consumer, one is in the consumer's tile, and an exact tile has no others.
RC_GTEST_PROP(Tiles, OfConsumersAgreeWithEnumeration, ()) {
  const auto module = testing::RandomGraph(testing::MovingOps(), /*fused=*/true);
  const hlo::Instruction& fusion = *module->entry->root;
  Context context;
  for (size_t k = 0; k < fusion.operands.size(); ++k) {
    const auto operand = static_cast<int64_t>(k);
    std::vector<int64_t> sizes;
    for (int64_t n : fusion.operands[k]->shape.dims) {
      sizes.push_back(testing::In(1, std::max<int64_t>(n, 1)));
    }
    auto tiles = ConsumerTiles(fusion, operand, sizes, context);
    RC_ASSERT(bool(tiles));
    auto whole = TilesOfShape(fusion.operands[k]->shape, sizes, context);
    RC_ASSERT(bool(whole));
    for (const auto& [op, maps] : ConsumerIndexing(fusion, operand, 0, context)) {
      std::set<testing::Related> covered, wanted;
      bool is_exact = true, is_known = true;
      for (const LeafTile& t : (*tiles)[op]) {
        is_exact &= t.tile.exactness == Exactness::kExact;
        is_known &= t.tile.IsKnown();
        if (t.tile.IsKnown()) covered.merge(testing::Relation(t.tile.Elements()));
      }
      for (const LabeledMap& m : maps) {
        wanted.merge(testing::Relation(Compose(whole->Elements(), m.map)));
      }
      if (!is_known) continue;
      RC_ASSERT(std::includes(covered.begin(), covered.end(), wanted.begin(), wanted.end()));
      if (is_exact) RC_ASSERT(covered == wanted);
      RC_TAG(std::string(is_exact ? "exact" : "wider"));
    }
  }
}

}  // namespace
}  // namespace affirm
