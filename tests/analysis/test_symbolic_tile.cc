// Symbolic tiles: for offsets, sizes and strides that fulfill the conditions of a case, the tile is
// the set that the map leads to, found by enumeration.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/analysis/uses/symbolic_tile.h"
#include "core/simplify/simplify.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using testing::In;
using Point = std::vector<int64_t>;

int64_t ValueOf(SymbolicExpr e, const Point& parameters) {
  auto value = e.Evaluate(parameters, {});
  EXPECT_TRUE(value.value) << e.ToString();
  return value.value.value_or(-1);
}

// All tuples of first[k] + stride[k] * j, j < size[k].
std::set<Point> TupleSet(const Point& first, const Point& size, const Point& stride) {
  std::set<Point> out = {{}};
  for (size_t k = 0; k < first.size(); ++k) {
    std::set<Point> longer;
    for (const Point& p : out) {
      for (int64_t j = 0; j < size[k]; ++j) {
        Point next = p;
        next.push_back(first[k] + stride[k] * j);
        longer.insert(next);
      }
    }
    out = std::move(longer);
  }
  return out;
}

// The image of the tile's points under the map.
std::set<Point> ImageOf(const IndexingMap& map, const std::set<Point>& tile) {
  std::set<Point> out;
  for (const testing::Related& r : testing::Relation(map)) {
    if (tile.count(r.dims)) out.insert(r.results);
  }
  return out;
}

// A random tile of the map's dims; how many cases hold of it.
int CheckCases(const LabeledMap& labeled) {
  SymbolicTile tile = SymbolicTileOf(labeled);
  RC_LOG() << labeled.map.ToString() << ": " << tile.cases.size() << " cases, " << tile.reason
           << "\n";
  RC_ASSERT(tile.cases.empty() == !tile.reason.empty());
  if (tile.cases.empty()) return 0;
  Point offset, size, stride;
  for (const Variable& d : labeled.map.dims()) {
    int64_t count = *d.bounds.Count();
    // Sizes that cover what they can, or divide it, are drawn more often than chance would.
    stride.push_back(In(0, 2) ? 1 : In(1, count));
    int64_t most = (count - 1) / stride.back() + 1;
    size.push_back(In(0, 2) ? In(1, most) : most);
    int64_t room = count - 1 - (size.back() - 1) * stride.back();
    offset.push_back(d.bounds.lower + (In(0, 1) ? 0 : In(0, room)));
  }
  Point parameters = offset;
  parameters.insert(parameters.end(), size.begin(), size.end());
  parameters.insert(parameters.end(), stride.begin(), stride.end());
  RC_ASSERT(tile.parameters.InDomain(parameters, {}, {}));
  int holding = 0;
  for (const SymbolicTileCase& one : tile.cases) {
    bool holds = true;
    for (const Constraint& c : one.conditions) {
      holds = holds && c.bounds.Contains(ValueOf(c.expr, parameters));
    }
    if (!holds) continue;
    ++holding;
    Point first, many, step;
    for (size_t k = 0; k < one.offsets.size(); ++k) {
      first.push_back(ValueOf(one.offsets[k], parameters));
      many.push_back(ValueOf(one.sizes[k], parameters));
      step.push_back(ValueOf(one.strides[k], parameters));
    }
    RC_ASSERT(TupleSet(first, many, step) == ImageOf(labeled.map, TupleSet(offset, size, stride)));
  }
  return holding;
}

void CheckMaps(const GroupedIndexing& grouped) {
  for (const auto& [op, maps] : grouped) {
    for (const LabeledMap& m : maps) {
      if (!m.map.runtime().empty() || m.map.state() != IndexingMap::State::kNormal) continue;
      RC_TAG(CheckCases(m) > 0 ? std::string("a case holds") : std::string("none"));
    }
  }
}

RC_GTEST_PROP(SymbolicTiles, OfProducersAgreeWithEnumeration, ()) {
  const auto module = testing::RandomGraph(testing::ReadingOps(), /*fused=*/false);
  Context context;
  CheckMaps(ComputationIndexing(*module->entry->root, 0, context));
}

RC_GTEST_PROP(SymbolicTiles, OfConsumersAgreeWithEnumeration, ()) {
  const auto module = testing::RandomGraph(testing::MovingOps(), /*fused=*/true);
  const hlo::Instruction& fusion = *module->entry->root;
  Context context;
  for (size_t k = 0; k < fusion.operands.size(); ++k) {
    CheckMaps(ConsumerIndexing(fusion, static_cast<int64_t>(k), 0, context));
  }
}

// Sums of terms c * v, v floordiv c and v mod c, in several coordinates.
RC_GTEST_PROP(SymbolicTiles, OfAnyMap, ()) {
  Context context;
  SymbolicExpr variables[] = {context.Dim(0), context.Dim(1), context.Range(0)};
  std::vector<SymbolicExpr> results;
  for (int64_t n = In(1, 2); n > 0; --n) {
    SymbolicExpr e = context.Constant(In(-3, 3));
    for (int64_t terms = In(1, 2); terms > 0; --terms) {
      SymbolicExpr v = variables[In(0, 2)] * In(1, 2);
      int64_t c = In(2, 4);
      SymbolicExpr choices[] = {v * c, -v, v, v.FloorDiv(c), v.Mod(c), (v + In(0, 3)).Mod(c) * 4};
      e = e + choices[In(0, 5)];
    }
    results.push_back(e);
  }
  IndexingMap map = IndexingMap::FromShapes(context, results, {In(1, 8), In(1, 8)}, {In(1, 4)});
  LabeledMap labeled{map, Exactness::kExact, 0, std::nullopt};
  RC_TAG(CheckCases(labeled) > 0 ? std::string("a case holds") : std::string("none"));
}

// Constraints that cut sums of variables, choose residues of them, or do neither.
RC_GTEST_PROP(SymbolicTiles, OfMapsWithConstraints, ()) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1), s0 = context.Range(0);
  const SymbolicExpr indices[] = {d0, d0 * 2 + s0, d0 + s0 * In(1, 3), d1 - s0, d0 * 3 + d1};
  SymbolicExpr index = indices[In(0, 4)] * (In(0, 3) ? 1 : -In(1, 2)) + In(-3, 3);
  const SymbolicExpr readings[] = {index, index * 2 + 1, index.FloorDiv(In(2, 3)),
                                   index.Mod(In(2, 3)), d1};
  std::vector<SymbolicExpr> results = {readings[In(0, 4)]};
  if (In(0, 1)) results.push_back(In(0, 1) ? d1 : s0);
  std::vector<Constraint> constraints;
  const int64_t lower = In(-4, 12), modulus = In(2, 4);
  if (In(0, 2)) constraints.push_back({index, {lower, lower + In(0, 8)}});
  if (In(0, 1)) constraints.push_back({(index + In(0, 2)).Mod(modulus), Interval::Point(0)});
  if (!In(0, 3)) constraints.push_back({(d1 * 2 + s0).Mod(modulus), {0, In(0, 1)}});
  IndexingMap map = Simplify(
      IndexingMap::FromShapes(context, results, {In(1, 8), In(1, 8)}, {In(1, 4)}, constraints));
  LabeledMap labeled{map, Exactness::kExact, 0, std::nullopt};
  if (map.state() != IndexingMap::State::kNormal) return;
  RC_TAG(CheckCases(labeled) > 0 ? std::string("a case holds") : std::string("none"));
}

// The three parameters of a tile, along the ops of XLA's documentation.
struct Documented {
  const char* map;
  const char *offsets, *sizes, *strides, *condition;
  int case_number = -1;  // of the last
};
class DocumentedTiles : public ::testing::TestWithParam<Documented> {};
TEST_P(DocumentedTiles, AreAsExpected) {
  Context context;
  auto map = ParseIndexingMap(GetParam().map, context);
  ASSERT_TRUE(bool(map)) << llvm::toString(map.takeError());
  SymbolicTile tile = SymbolicTileOf({*map, Exactness::kExact, 0, std::nullopt});
  ASSERT_FALSE(tile.cases.empty()) << tile.reason;
  const IndexingMap& p = tile.parameters;
  auto text = [&](const std::vector<SymbolicExpr>& list) {
    std::string out;
    for (SymbolicExpr e : list) {
      std::string one = p.WithResults({e}).ToString();
      size_t at = one.find("-> (") + 4;
      out += (out.empty() ? "" : ", ") + one.substr(at, one.find("), domain") - at);
    }
    return out;
  };
  const int number = GetParam().case_number;
  ASSERT_LT(number, std::ssize(tile.cases));
  const SymbolicTileCase& one = number < 0 ? tile.cases.back() : tile.cases[number];
  EXPECT_EQ(text(one.offsets), GetParam().offsets);
  EXPECT_EQ(text(one.sizes), GetParam().sizes);
  EXPECT_EQ(text(one.strides), GetParam().strides);
  std::string conditions;
  for (const Constraint& c : one.conditions) {
    conditions += (conditions.empty() ? "" : ", ") + text({c.expr}) + " in " + c.bounds.ToString();
  }
  EXPECT_EQ(conditions, GetParam().condition);
}
INSTANTIATE_TEST_SUITE_P(
    Ops, DocumentedTiles,
    ::testing::Values(Documented{"(d0, d1) -> (d1, d0), domain: d0 in [0, 9], d1 in [0, 19]",
                                 "o1, o0", "n1, n0", "t1, t0", ""},
                      Documented{"(d0) -> (-d0 + 16), domain: d0 in [0, 16]",
                                 "-o0 + t0 - n0 * t0 + 16", "n0", "t0", ""},
                      Documented{"(d0) -> (d0 * 7 + 3), domain: d0 in [0, 2]", "o0 * 7 + 3", "n0",
                                 "t0 * 7", ""},
                      Documented{"(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 255]",
                                 "o0, 0", "n0, 256", "t0, 1", ""},
                      Documented{"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 2], s0 in [0, 511]",
                                 "o0", "n0 + 511", "t0", "t0 in [1, 1]"},
                      Documented{"(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]",
                                 "o0 floordiv 8, 0", "n0 floordiv 8, 8", "1, 1",
                                 "t0 in [1, 1], o0 mod 8 in [0, 0], n0 mod 8 in [0, 0]"},
                      Documented{"(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]",
                                 "o0 * 8 + o1", "n0 * n1", "t1", "t0 * 8 - n1 * t1 in [0, 0]"}));

// Tiles under the constraints of padded arrays, padded windows and updates.
INSTANTIATE_TEST_SUITE_P(
    Constraints, DocumentedTiles,
    ::testing::Values(
        Documented{"(d0) -> ((d0 - 1) floordiv 3), domain: d0 in [1, 13], (d0 - 1) mod 3 in [0, 0]",
                   "(o0 - 1) floordiv 3", "n0", "t0 floordiv 3",
                   "t0 mod 3 in [0, 0], (o0 - 1) mod 3 in [0, 0]", 2},
        Documented{"(d0) -> ((d0 - 1) floordiv 3), domain: d0 in [1, 13], (d0 - 1) mod 3 in [0, 0]",
                   "(o0 + 1) floordiv 3",
                   "max(-((o0 + 1) floordiv 3) + (o0 + n0 - 2) floordiv 3 + 1, 0)", "1",
                   "t0 in [1, 1]", 0},
        Documented{"(d0)[s0] -> (d0 * 2 + s0 - 1), domain: d0 in [0, 4], s0 in [0, 2], "
                   "d0 * 2 + s0 in [1, 9]",
                   "max(o0 * 2, 1) - 1",
                   "max(min(o0 * 2 - t0 * 2 + n0 * t0 * 2 + 2, 9) - max(o0 * 2, 1) + 1, 0)", "1",
                   "t0 in [1, 1]", 0},
        Documented{"(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 19], rt0 in [0, 15], "
                   "d0 - rt0 in [0, 4]",
                   "-rt0 + max(o0, rt0)", "max(min(o0 + n0 - 1, rt0 + 4) - max(o0, rt0) + 1, 0)",
                   "1", "t0 in [1, 1]", 0}));

TEST(SymbolicTiles, SayWhyThereIsNone) {
  Context context;
  auto map = ParseIndexingMap("(d0) -> (d0, d0), domain: d0 in [0, 9]", context);
  ASSERT_TRUE(bool(map));
  SymbolicTile tile = SymbolicTileOf({*map, Exactness::kExact, 0, std::nullopt});
  EXPECT_TRUE(tile.cases.empty());
  EXPECT_EQ(tile.reason, "two coordinates move together");
}

}  // namespace
}  // namespace affirm
