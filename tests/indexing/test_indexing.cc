// Tests of indexing maps: text, states, domains, and the transformations against enumeration.
#include "core/indexing/indexing_map.h"
#include "core/indexing/range.h"
#include "core/indexing/transform.h"
#include "fuzz/generators/map_generator.h"
#include "fuzz/properties/enumerated_map.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace affirm {
namespace {

std::string ErrorOf(llvm::StringRef text) {
  Context context;
  auto map = ParseIndexingMap(text, context, "m");
  return map ? "read: " + map->ToString() : llvm::toString(map.takeError());
}

std::string Reprint(llvm::StringRef text) {
  Context context;
  auto map = ParseIndexingMap(text, context, "m");
  return map ? map->ToString() : llvm::toString(map.takeError());
}

TEST(MapText, ReadsTheFormsThatXlaPrints) {
  EXPECT_EQ(Reprint("() -> ()"), "() -> ()");
  EXPECT_EQ(
      Reprint("(th_x, bl_x)[s0]{rt} -> (th_x + bl_x * 128, s0, rt),\n domain:\n th_x in [0, "
              "127],\n bl_x in [0, 3]\n s0 in [0, 1], rt in [0, 7],"),
      "(th_x, bl_x)[s0]{rt} -> (bl_x * 128 + th_x, s0, rt), domain: th_x in [0, 127], bl_x in "
      "[0, 3], s0 in [0, 1], rt in [0, 7]");
  EXPECT_EQ(Reprint("#xla.indexing_map<\"(d0) -> (d0 / 2), domain: d0 in [0, 9], is_simplified: "
                    "true\">"),
            "(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]");
  EXPECT_EQ(Reprint("KNOWN EMPTY"), "KNOWN EMPTY");
  EXPECT_EQ(Reprint("undefined"), "undefined");
  EXPECT_EQ(Reprint("(d0) -> (d0), domain: d0 in [0, -1]"), "KNOWN EMPTY");
  EXPECT_EQ(Reprint("(d0) -> (d0), domain: d0 in [-9223372036854775808, 9223372036854775807]"),
            "(d0) -> (d0), domain: d0 in [-9223372036854775808, 9223372036854775807]");
}

TEST(MapText, ErrorsNameTheirLocation) {
  EXPECT_EQ(ErrorOf(""), "m:1:1: error: expected '(' to open a list of variables");
  EXPECT_EQ(ErrorOf("(d0) -> (d0)"), "m:1:1: error: variable 'd0' has no bounds in the domain");
  EXPECT_EQ(ErrorOf("(d0) -> (d1), domain: d0 in [0, 1]"), "m:1:10: error: unknown variable 'd1'");
  EXPECT_EQ(ErrorOf("(d0, d0) -> ()"), "m:1:6: error: variable 'd0' is declared twice");
  EXPECT_EQ(ErrorOf("(d0) -> (d0),\ndomain: d0 in [0 1]"),
            "m:2:18: error: expected ',' between the bounds");
  EXPECT_EQ(ErrorOf("(d0) -> (4 floordiv d0), domain: d0 in [0, 3]"),
            "m:1:1: error: the divisor 'd0' may be zero in the domain: it lies in [0, 3]");
  EXPECT_EQ(ErrorOf("(d0) -> (4 mod d0), domain: d0 in [-3, -1]"),
            "m:1:1: error: the modulus 'd0' may be zero or negative in the domain: it lies in [-3, "
            "-1]");
  EXPECT_EQ(ErrorOf("(d0) -> (4 floordiv d0), domain: d0 in [-3, -1]"),
            "read: (d0) -> (4 floordiv d0), domain: d0 in [-3, -1]");
  EXPECT_EQ(ErrorOf("(d0) -> (d0), domain: d0 in [0, 1] junk"),
            "m:1:36: error: unknown variable 'junk'");
}

// A quotient that the constructors of expressions drop is judged all the same.
TEST(MapText, DivisorsOfDroppedTermsAreJudged) {
  for (const char* text :
       {"(d0) -> ((1 floordiv d0) * 0), domain: d0 in [0, 3]",
        "(d0) -> (0 * (1 ceildiv d0) + d0), domain: d0 in [0, 3]",
        "(d0) -> (1 floordiv d0 - 1 floordiv d0), domain: d0 in [0, 3]",
        "(d0) -> (5 mod d0 - 5 mod d0), domain: d0 in [0, 3]",
        "(d0) -> (0 * (0 mod d0)), domain: d0 in [0, 3]",
        "(d0) -> (min(1, 0 * (1 floordiv d0))), domain: d0 in [0, 3]",
        "(d0) -> (d0 floordiv (2 + 0 * (1 floordiv d0))), domain: d0 in [0, 3]",
        "(d0, d1) -> (0 * (1 floordiv (d0 - d1))), domain: d0 in [0, 3], d1 in [0, 3]",
        "(d0) -> (d0), domain: d0 in [0, 3], 0 * (1 floordiv d0) in [0, 0]",
        "(d0) -> (d0), domain: d0 + 0 * (1 floordiv d0) in [0, 3]",
        "(d0)[s0]{rt0} -> (0 * (1 mod rt0)), domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 2]"}) {
    EXPECT_THAT(ErrorOf(text), ::testing::StartsWith("m:1:1: error: the ")) << text;
  }
  EXPECT_EQ(ErrorOf("(d0) -> (0 * (1 floordiv d0)), domain: d0 in [1, 3]"),
            "read: (d0) -> (0), domain: d0 in [1, 3]");
  EXPECT_EQ(ErrorOf("(d0) -> (1 floordiv (d0 * 0 + 2)), domain: d0 in [0, 3]"),
            "read: (d0) -> (0), domain: d0 in [0, 3]");
}

TEST(MapState, EmptinessAndUndefinedSurviveComposition) {
  Context context;
  IndexingMap id = IndexingMap::Identity(context, {4});
  IndexingMap empty = IndexingMap::KnownEmpty(context);
  EXPECT_TRUE(Compose(id, empty).IsKnownEmpty());
  EXPECT_TRUE(Compose(empty, id).IsKnownEmpty());
  EXPECT_TRUE(Compose(id, IndexingMap::Undefined()).IsUndefined());
  EXPECT_TRUE(Compose(IndexingMap::Undefined(), empty).IsUndefined());
  EXPECT_EQ(IndexingMap::Identity(context, {0}), empty);
  EXPECT_FALSE(empty == IndexingMap::Undefined());
  EXPECT_EQ(IndexingMap::Identity(context, {}).ToString(), "() -> ()");
  EXPECT_EQ(*IndexingMap::Identity(context, {}).NumPoints(), 1);
}

TEST(MapState, CompositionRestrictsTheCodomain) {
  Context context;
  auto first = ParseIndexingMap("(d0) -> (d0 * 2), domain: d0 in [0, 9]", context);
  auto second =
      ParseIndexingMap("(d0)[s0] -> (d0 + s0), domain: d0 in [3, 8], s0 in [0, 1]", context);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(Compose(*first, *second).ToString(),
            "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 9], s0 in [0, 1], d0 * 2 in [3, 8]");
}

// first: (d0)[s0]{rt0} with rt0 at element (d0, s0) of instruction 7; second: the same with
// instruction 9.
TEST(RuntimeSources, KeepTheirProducerIndexThroughComposition) {
  Context context;
  auto make = [&](int64_t producer) {
    auto place = std::make_shared<IndexingMap>(
        IndexingMap::FromShapes(context, {context.Dim(0), context.Range(0)}, {10}, {4}));
    RuntimeSource source{producer, Interval{0, 5}, "p" + std::to_string(producer), place};
    SymbolicMap map(1, 1, 1, {context.Dim(0) + context.Range(0) + context.Runtime(0)});
    return IndexingMap(context, map, {{{0, 9}, "", {}}}, {{{0, 3}, "", {}}},
                       {{{0, 5}, "", source}});
  };
  IndexingMap composed = Compose(make(7), make(9));
  EXPECT_EQ(composed.results()[0].ToString(), "d0 + s0 + s1 + rt0 + rt1");
  ASSERT_EQ(composed.runtime().size(), 2u);
  const RuntimeSource& inner = *composed.runtime()[0].source;
  const RuntimeSource& outer = *composed.runtime()[1].source;
  EXPECT_EQ(inner.producer, 9);
  EXPECT_EQ(outer.producer, 7);
  // second's element is at first's result and second's own range variable, now s0; first's moved to
  // s1.
  EXPECT_EQ(inner.map->map().ToString(), "(d0)[s0, s1]{rt0, rt1} -> (d0 + s1 + rt1, s0)");
  EXPECT_EQ(outer.map->map().ToString(), "(d0)[s0, s1] -> (d0, s1)");
}

TEST(Ranges, UseConstraints) {
  Context context;
  auto map = ParseIndexingMap(
      "(d0, d1) -> (d0 + d1 - 2), domain: d0 in [0, 9], d1 in [0, 9], d0 + d1 in [3, 5]", context);
  ASSERT_TRUE(static_cast<bool>(map));
  EXPECT_EQ(map->RangeOf(map->results()[0]), (Interval{1, 3}));
  EXPECT_EQ(map->RangeOf(-(map->results()[0])), (Interval{-3, -1}));
  EXPECT_EQ(map->RangeOf(map->results()[0].FloorDiv(4)), (Interval{0, 0}));
}

TEST(Ranges, LeavingOutIsAReset) {
  Context context;
  auto map = ParseIndexingMap(
      "(d0, d1) -> (d0 floordiv 8 + d0 mod 8, 3 - d0 * d1, d0 floordiv 8),\ndomain: d0 in [0, 99], "
      "d1 in [-9, 9],\nd0 floordiv 8 in [3, 5], d0 mod 8 in [1, 2], d0 * d1 in [4, 7]",
      context);
  ASSERT_TRUE(static_cast<bool>(map));
  ASSERT_EQ(map->constraints().size(), 3u);
  RangeAnalysis kept(*map);
  for (const std::vector<size_t>& left_out :
       std::vector<std::vector<size_t>>{{0}, {1}, {0, 2}, {2}, {}, {1, 2}, {0, 1, 2}}) {
    kept.LeaveOut(*map, left_out);
    RangeAnalysis reset;
    reset.Reset(*map, left_out);
    for (SymbolicExpr e : map->results()) EXPECT_EQ(kept.Of(e), reset.Of(e)) << e.ToString();
    for (auto [i, constraint] : llvm::enumerate(map->constraints())) {
      EXPECT_EQ(kept.Of(constraint.expr), reset.Of(constraint.expr));
      EXPECT_EQ(kept.Of(constraint.expr).Within(constraint.bounds),
                !llvm::is_contained(left_out, i));
    }
  }
}

// Every value of every subexpression lies in its range.
RC_GTEST_PROP(RangeProperty, ContainsEveryValue, (std::vector<uint8_t> bytes)) {
  Context context;
  fuzz::Choices choices(bytes);
  IndexingMap map = fuzz::GenerateMap(choices, context);
  if (map.IsKnownEmpty()) return;
  RangeAnalysis ranges(map);
  bool ok = true;
  map.ForEachPoint([&](auto d, auto s, auto rt) {
    for (SymbolicExpr e : map.results()) {
      e.Walk([&](SymbolicExpr part) {
        auto v = part.Evaluate(d, s, rt);
        ok &= v.value && ranges.Of(part).Contains(*v.value);
      });
    }
    return ok;
  });
  RC_ASSERT(ok);
}

RC_GTEST_PROP(TransformProperty, RescalingKeepsTheSets, (std::vector<uint8_t> bytes)) {
  Context context;
  fuzz::Choices choices(bytes);
  IndexingMap map = fuzz::GenerateMap(choices, context);
  if (map.IsKnownEmpty() || map.ranges().empty()) return;
  int64_t m = choices.Between(2, 5);
  for (size_t i = 0; i < map.ranges().size(); ++i) {
    map.AddConstraint(context.Range(i).Mod(m), Interval::Point(choices.Between(0, m)));
  }
  IndexingMap rescaled = RescaleRangeVariables(map);
  auto a = fuzz::Enumerate(map), b = fuzz::Enumerate(rescaled);
  RC_ASSERT(a && b);
  RC_ASSERT(fuzz::Difference(*a, *b) == "");
  for (const Constraint& c : rescaled.constraints()) {
    bool own = c.expr.kind() == ExprKind::kMod && c.expr.op(0).IsVariable() &&
               c.expr.op(0).var_kind() == VarKind::kRange && c.bounds.IsPoint() &&
               c.bounds.lower < c.expr.op(1).value() && c.bounds.lower >= 0;
    RC_ASSERT(!own);
  }
}

RC_GTEST_PROP(TransformProperty, ConvertingRangesSplitsTheSets, (std::vector<uint8_t> bytes)) {
  Context context;
  fuzz::Choices choices(bytes);
  IndexingMap map = fuzz::GenerateMap(choices, context);
  if (map.IsKnownEmpty() || map.ranges().empty()) return;
  int64_t p = static_cast<int64_t>(choices.Below(map.ranges().size()));
  auto a = fuzz::Enumerate(map), b = fuzz::Enumerate(ConvertRangeVariablesToDims(map, {p}));
  RC_ASSERT(a && b);
  fuzz::EnumeratedMap joined;
  for (const auto& [at, set] : *b) {
    fuzz::Point dims = at.first;
    dims.pop_back();
    joined[{dims, at.second}].insert(set.begin(), set.end());
  }
  RC_ASSERT(fuzz::Difference(*a, joined) == "");
}

RC_GTEST_PROP(TransformProperty, SubMapProjectsTheSets, (std::vector<uint8_t> bytes)) {
  Context context;
  fuzz::Choices choices(bytes);
  IndexingMap map = fuzz::GenerateMap(choices, context);
  if (map.IsKnownEmpty()) return;
  int64_t p = static_cast<int64_t>(choices.Below(map.results().size()));
  auto a = fuzz::Enumerate(map), b = fuzz::Enumerate(SubMap(map, {p}));
  RC_ASSERT(a && b);
  fuzz::EnumeratedMap projected;
  for (const auto& [at, set] : *a) {
    for (const fuzz::Point& v : set) projected[at].insert({v[p]});
  }
  RC_ASSERT(fuzz::Difference(projected, *b) == "");
  RC_ASSERT(fuzz::Difference(*a, *fuzz::Enumerate(ReplacePointVariables(map))) == "");
}

TEST(Transform, RefusesBadPositions) {
  Context context;
  IndexingMap id = IndexingMap::Identity(context, {4});
  EXPECT_TRUE(ConvertRangeVariablesToDims(id, {0}).IsUndefined());
  EXPECT_TRUE(SubMap(id, {1}).IsUndefined());
  EXPECT_TRUE(SubMap(id, {-1}).IsUndefined());
}

}  // namespace
}  // namespace affirm
