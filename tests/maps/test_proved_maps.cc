// A claim about maps is known again where it is the same, and never where bounds, constraints,
// results or the shape are others.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/maps/random_maps.h"
#include "tests/maps/tabulate.h"
#include "verify/maps/proved_maps.h"

namespace affirm {
namespace {

IndexingMap Map(Context& context, const char* text) {
  auto map = ParseIndexingMap(text, context);
  EXPECT_TRUE(static_cast<bool>(map)) << text;
  return std::move(*map);
}

TEST(ProvedMaps, DifferInAllThatTheClaimDependsOn) {
  Context context;
  std::set<std::string> encodings;
  size_t count = 0;
  const char* maps[] = {
      "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]",
      "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 4], d1 in [0, 3]",
      "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [1, 3]",
      "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 3], s0 in [0, 3]",
      "(d0, d1) -> (d0 * 5 + d1), domain: d0 in [0, 3], d1 in [0, 3]",
      "(d0, d1) -> (d0 + d1 * 4), domain: d0 in [0, 3], d1 in [0, 3]",
      "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3], d0 + d1 in [0, 5]",
      "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3], d0 + d1 in [0, 4]",
      "(d0, d1) -> (d0 * 4 + d1, d1), domain: d0 in [0, 3], d1 in [0, 3]",
      "(d0, d1) -> (d1, d0 * 4 + d1), domain: d0 in [0, 3], d1 in [0, 3]"};
  auto add = [&](const std::optional<std::string>& encoding) {
    ASSERT_TRUE(encoding);
    encodings.insert(*encoding);
    EXPECT_EQ(encodings.size(), ++count);
  };
  const IndexingMap first = Map(context, maps[0]);
  for (const char* text : maps) {
    const IndexingMap map = Map(context, text);
    for (MapClaim claim : {MapClaim::kEqual, MapClaim::kSuperset, MapClaim::kUnionSuperset})
      add(EncodingOf(claim, map, first));
    add(EncodingOf(MapClaim::kUnionSuperset, {map, first}, first));
    add(EncodingOf(MapClaim::kUnionSuperset, map, {first, first}));
    add(EncodingOf(MapClaim::kBijection, map, {}, {16}));
    add(EncodingOf(MapClaim::kBijection, map, {}, {17}));
    add(EncodingOf(MapClaim::kBijection, map, {}, {4, 4}));
  }
  add(EncodingOf(MapClaim::kEqual, first, IndexingMap::KnownEmpty(context)));
  add(EncodingOf(MapClaim::kEqual, IndexingMap::KnownEmpty(context), first));
}

// A map with a runtime variable would need more facts, and an undefined map has none.
TEST(ProvedMaps, AreNotKeptWhereMoreWouldHaveToBeSaid) {
  Context context;
  const IndexingMap map =
      Map(context, "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 2]");
  const IndexingMap plain = Map(context, "(d0) -> (d0), domain: d0 in [0, 3]");
  EXPECT_EQ(EncodingOf(MapClaim::kEqual, map, map), std::nullopt);
  EXPECT_EQ(EncodingOf(MapClaim::kEqual, plain, map), std::nullopt);
  EXPECT_EQ(EncodingOf(MapClaim::kSuperset, IndexingMap::Undefined(), plain), std::nullopt);
  EXPECT_NE(EncodingOf(MapClaim::kSuperset, plain, plain), std::nullopt);
}

// Verdicts with what hundreds of claims before have proved are what the tables say.
RC_GTEST_PROP(ProvedMaps, AreTrueWhereTheyAreKnownAgain, ()) {
  static const auto known = std::make_shared<ProvedClaims>();
  const DecideOptions options{.proved = known};
  Context context;
  MapShape shape = RandomShape();
  shape.dims = 1;
  const IndexingMap a = RandomMap(context, shape), b = RandomMap(context, shape);
  const Function fa = Tabulate(a), fb = Tabulate(b);
  for (int times = 0; times < 2; ++times) {
    RC_ASSERT((ProveEqual(a, b, options).verdict == Verdict::kProved) == (fa == fb));
    RC_ASSERT((ProveSuperset(a, b, options).verdict == Verdict::kProved) == IsSuperset(fa, fb));
    RC_ASSERT(ProveUnionSuperset({a, b}, b, options).verdict == Verdict::kProved);
  }
}

}  // namespace
}  // namespace affirm
