// Maps with values of run time that are read at places that move: what is proved equal reads the
// same for all contents.
#include <gtest/gtest.h>

#include "verify/hlo/composition.h"
#include "verify/hlo/runtime_places.h"

namespace affirm {
namespace {

class RuntimePlaces : public ::testing::Test {
 protected:
  IndexingMap Map(const std::string& text) {
    auto map = ParseIndexingMap(text, context_);
    EXPECT_TRUE(!!map) << text;
    return *map;
  }
  // A map whose runtime variable k is read from producer 10 + k, or producers[k], at places[k].
  IndexingMap Map(const std::string& text, const std::vector<std::string>& places,
                  const std::vector<int64_t>& producers = {10, 11, 12}) {
    IndexingMap map = Map(text);
    for (size_t k = 0; k < places.size(); ++k) {
      auto place = std::make_shared<IndexingMap>(Map(places[k]));
      map.SetSource(static_cast<int64_t>(k), {producers[k], {0, 1}, "v", std::move(place)});
    }
    return map;
  }
  Verdict Equal(const IndexingMap& a, const IndexingMap& b) {
    Verdict one = ProveEqualAtRun(a, b).verdict, other = ProveEqualAtRun(b, a).verdict;
    EXPECT_EQ(one, other);
    return one;
  }

  Context context_;
};

const char kDomain[] = ", domain: d0 in [0, 3], s0 in [0, 1]";
const char kOne[] = ", domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 1]";
const char kTwo[] = ", domain: d0 in [0, 3], rt0 in [0, 1], rt1 in [0, 1]";
const char kThree[] = ", domain: d0 in [0, 3], rt0 in [0, 1], rt1 in [0, 1], rt2 in [0, 1]";

TEST_F(RuntimePlaces, EachElementHasItsOwn) {
  const std::string place = "(d0)[s0] -> (s0)", mirrored = "(d0)[s0] -> (1 - s0)";
  IndexingMap map = Map(std::string("(d0)[s0]{rt0} -> (s0, rt0)") + kOne, {place + kDomain});
  EXPECT_EQ(Equal(map, map), Verdict::kProved);
  // The same with the range counted down.
  IndexingMap down =
      Map(std::string("(d0)[s0]{rt0} -> (1 - s0, rt0)") + kOne, {mirrored + kDomain});
  EXPECT_EQ(Equal(map, down), Verdict::kProved);
  // The same set of places, but at other elements.
  IndexingMap crossed = Map(std::string("(d0)[s0]{rt0} -> (s0, rt0)") + kOne, {mirrored + kDomain});
  EXPECT_EQ(Equal(map, crossed), Verdict::kUnknown);
  EXPECT_EQ(ProveCoversAtRun({map}, {crossed}).verdict, Verdict::kUnknown);
  EXPECT_EQ(ProveCoversAtRun({map, crossed}, {crossed}).verdict, Verdict::kProved);
}

// Wherever the value is from, all values together cover it; and nothing less does.
TEST_F(RuntimePlaces, AnyValueCovers) {
  IndexingMap map = Map(std::string("(d0)[s0]{rt0} -> (s0, rt0)") + kOne,
                        {std::string("(d0)[s0] -> (s0)") + kDomain});
  IndexingMap all =
      Map("(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 1]");
  IndexingMap some =
      Map("(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 0]");
  EXPECT_EQ(ProveCoversAtRun({all}, {map}).verdict, Verdict::kProved);
  EXPECT_EQ(ProveCoversAtRun({map}, {all}).verdict, Verdict::kUnknown);
  EXPECT_NE(ProveCoversAtRun({some}, {map}).verdict, Verdict::kProved);
}

// A place that is itself a value of run time: of the same producer.
TEST_F(RuntimePlaces, Nested) {
  const std::string first = std::string("(d0){rt0, rt1} -> (rt1)") + kTwo;
  const std::string fixed = std::string("(d0) -> (d0)") + ", domain: d0 in [0, 3]";
  IndexingMap map = Map(std::string("(d0){rt0, rt1} -> (rt0)") + kTwo, {first, fixed});
  EXPECT_EQ(Equal(map, map), Verdict::kProved);
  // The same with the variables in another order.
  IndexingMap other = Map(std::string("(d0){rt0, rt1} -> (rt1)") + kTwo,
                          {fixed, std::string("(d0){rt0, rt1} -> (rt0)") + kTwo}, {11, 10});
  EXPECT_EQ(Equal(map, other), Verdict::kProved);
  // Two candidates for the place.
  const std::string at_second = std::string("(d0){rt0, rt1, rt2} -> (rt1)") + kThree;
  const std::string at_third = std::string("(d0){rt0, rt1, rt2} -> (rt2)") + kThree;
  IndexingMap a =
      Map(std::string("(d0){rt0, rt1, rt2} -> (rt0)") + kThree, {at_second, fixed, fixed});
  IndexingMap b =
      Map(std::string("(d0){rt0, rt1, rt2} -> (rt0)") + kThree, {at_third, fixed, fixed});
  EXPECT_EQ(Equal(a, a), Verdict::kProved);
  EXPECT_EQ(Equal(a, b), Verdict::kUnknown);
}

// For any one value both are that value alone; but the first one's is from its own place.
TEST_F(RuntimePlaces, AConditionThatTiesAValueToItsPlace) {
  const std::string place = std::string("(d0)[s0] -> (s0)") + kDomain;
  IndexingMap tied =
      Map(std::string("(d0)[s0]{rt0} -> (rt0)") + kOne + ", rt0 - s0 in [0, 0]", {place});
  IndexingMap free = Map(std::string("(d0)[s0]{rt0} -> (rt0)") + kOne, {place});
  EXPECT_EQ(Equal(tied, free), Verdict::kUnknown);
  EXPECT_EQ(ProveCoversAtRun({free}, {tied}).verdict, Verdict::kProved);
  IndexingMap idle =
      Map(std::string("(d0)[s0]{rt0} -> (rt0)") + kOne + ", rt0 + s0 in [0, 2]", {place});
  EXPECT_EQ(Equal(idle, free), Verdict::kProved);
}

// One value under two names, of which the other map has one.
TEST_F(RuntimePlaces, NamedTwice) {
  const std::string fixed = "(d0) -> (d0), domain: d0 in [0, 3]";
  IndexingMap twice =
      Map(std::string("(d0){rt0, rt1} -> (rt0, rt1)") + kTwo, {fixed, fixed}, {10, 10});
  IndexingMap once = Map("(d0){rt0} -> (rt0, rt0), domain: d0 in [0, 3], rt0 in [0, 1]", {fixed});
  EXPECT_EQ(Equal(twice, once), Verdict::kProved);
  IndexingMap two = Map(std::string("(d0){rt0, rt1} -> (rt0, rt1)") + kTwo, {fixed, fixed});
  EXPECT_NE(Equal(two, once), Verdict::kProved);
}

// The place of a value moves along when what a map leads to is known, and its name stays its own
// when a place is found by what stands there.
TEST_F(RuntimePlaces, Converses) {
  IndexingMap column =
      Map("(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 1], s0 in [0, 3], rt0 in [0, 1], "
          "d0 - rt0 in [0, 0]",
          {"(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 3]"});
  IndexingMap row = Map("(d0){rt0} -> (rt0), domain: d0 in [0, 3], rt0 in [0, 1]",
                        {"(d0) -> (d0), domain: d0 in [0, 3]"});
  EXPECT_EQ(Equal(Converse(column, {4}), row), Verdict::kProved);
  IndexingMap shifted = Map("(d0){rt0} -> (rt0), domain: d0 in [0, 3], rt0 in [0, 1]",
                            {"(d0) -> (3 - d0), domain: d0 in [0, 3]"});
  EXPECT_NE(Equal(Converse(column, {4}), shifted), Verdict::kProved);

  // Some element that holds its own number: not the same as an element that is read at itself.
  IndexingMap fixed_point =
      Map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 1], s0 in [0, 1], rt0 in [0, 1], s0 - rt0 in "
          "[0, 0]",
          {"(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]"});
  IndexingMap converse = Converse(fixed_point, {2});
  ASSERT_EQ(converse.runtime().size(), 1u);
  for (SymbolicExpr e : converse.runtime()[0].source->map->results()) {
    EXPECT_FALSE(e.Uses(VarKind::kRuntime, 0)) << converse.ToString();
  }
  EXPECT_NE(Equal(converse, Map("(d0) -> (d0), domain: d0 in [0, 1]")), Verdict::kProved);
}

// Through a composition by definition and by the library.
TEST_F(RuntimePlaces, Compositions) {
  IndexingMap outer = Map("(d0)[s0] -> (s0, d0), domain: d0 in [0, 3], s0 in [0, 1]");
  IndexingMap inner =
      Map("(d0, d1){rt0} -> (d1 + rt0), domain: d0 in [0, 1], d1 in [0, 3], rt0 in [0, 1]",
          {"(d0, d1) -> (d0), domain: d0 in [0, 1], d1 in [0, 3]"});
  IndexingMap composed = Compose(outer, inner);
  EXPECT_EQ(ProveComposition(outer, inner, composed).verdict, Verdict::kProved);
  IndexingMap wrong =
      Map("(d0)[s0]{rt0} -> (d0 + rt0), domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 1]",
          {"(d0)[s0] -> (0), domain: d0 in [0, 3], s0 in [0, 1]"});
  EXPECT_NE(ProveComposition(outer, inner, wrong).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace affirm
