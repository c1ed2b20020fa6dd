// Maps with runtime variables whose producer index depends on range variables: maps that are proved
// equal read the same for all contents of the producers, maps that are refuted do not for some.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>

#include "llvm/ADT/SetOperations.h"
#include "tests/decide/random_terms.h"
#include "verify/hlo/proof/composition.h"
#include "verify/hlo/proof/runtime_equivalence.h"

namespace affirm {
namespace {

class RuntimeEquivalence : public ::testing::Test {
 protected:
  IndexingMap Map(const std::string& text) {
    auto map = ParseIndexingMap(text, context_);
    EXPECT_TRUE(!!map) << text;
    return *map;
  }
  // A map whose runtime variable k is read from producer 10 + k, or producers[k], at index
  // places[k].
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
    Verdict one = ProveEqualForAllRuntimeValues(a, b).verdict,
            other = ProveEqualForAllRuntimeValues(b, a).verdict;
    EXPECT_EQ(one, other);
    return one;
  }

  Context context_;
};

const char kDomain[] = ", domain: d0 in [0, 3], s0 in [0, 1]";
const char kOne[] = ", domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 1]";
const char kTwo[] = ", domain: d0 in [0, 3], rt0 in [0, 1], rt1 in [0, 1]";
const char kThree[] = ", domain: d0 in [0, 3], rt0 in [0, 1], rt1 in [0, 1], rt2 in [0, 1]";

TEST_F(RuntimeEquivalence, EachElementHasItsOwn) {
  const std::string place = "(d0)[s0] -> (s0)", mirrored = "(d0)[s0] -> (1 - s0)";
  IndexingMap map = Map(std::string("(d0)[s0]{rt0} -> (s0, rt0)") + kOne, {place + kDomain});
  EXPECT_EQ(Equal(map, map), Verdict::kProved);
  // The same with the range counted down.
  IndexingMap down =
      Map(std::string("(d0)[s0]{rt0} -> (1 - s0, rt0)") + kOne, {mirrored + kDomain});
  EXPECT_EQ(Equal(map, down), Verdict::kProved);
  // The same set of indices, but for other elements.
  IndexingMap crossed = Map(std::string("(d0)[s0]{rt0} -> (s0, rt0)") + kOne, {mirrored + kDomain});
  EXPECT_EQ(Equal(map, crossed), Verdict::kUnknown);
  EXPECT_EQ(ProveCoversForAllRuntimeValues({map}, {crossed}).verdict, Verdict::kUnknown);
  EXPECT_EQ(ProveCoversForAllRuntimeValues({map, crossed}, {crossed}).verdict, Verdict::kProved);
}

// A map to all values is a superset wherever the value comes from, and one to fewer is not.
TEST_F(RuntimeEquivalence, AnyValueCovers) {
  IndexingMap map = Map(std::string("(d0)[s0]{rt0} -> (s0, rt0)") + kOne,
                        {std::string("(d0)[s0] -> (s0)") + kDomain});
  IndexingMap all =
      Map("(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 1]");
  IndexingMap some =
      Map("(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 0]");
  EXPECT_EQ(ProveCoversForAllRuntimeValues({all}, {map}).verdict, Verdict::kProved);
  EXPECT_EQ(ProveCoversForAllRuntimeValues({map}, {all}).verdict, Verdict::kUnknown);
  EXPECT_NE(ProveCoversForAllRuntimeValues({some}, {map}).verdict, Verdict::kProved);
}

// A producer index that is itself a runtime variable of the same producer.
TEST_F(RuntimeEquivalence, Nested) {
  const std::string first = std::string("(d0){rt0, rt1} -> (rt1)") + kTwo;
  const std::string fixed = std::string("(d0) -> (d0)") + ", domain: d0 in [0, 3]";
  IndexingMap map = Map(std::string("(d0){rt0, rt1} -> (rt0)") + kTwo, {first, fixed});
  EXPECT_EQ(Equal(map, map), Verdict::kProved);
  // The same with the variables in another order.
  IndexingMap other = Map(std::string("(d0){rt0, rt1} -> (rt1)") + kTwo,
                          {fixed, std::string("(d0){rt0, rt1} -> (rt0)") + kTwo}, {11, 10});
  EXPECT_EQ(Equal(map, other), Verdict::kProved);
  // Two candidates for the index.
  const std::string at_second = std::string("(d0){rt0, rt1, rt2} -> (rt1)") + kThree;
  const std::string at_third = std::string("(d0){rt0, rt1, rt2} -> (rt2)") + kThree;
  IndexingMap a =
      Map(std::string("(d0){rt0, rt1, rt2} -> (rt0)") + kThree, {at_second, fixed, fixed});
  IndexingMap b =
      Map(std::string("(d0){rt0, rt1, rt2} -> (rt0)") + kThree, {at_third, fixed, fixed});
  EXPECT_EQ(Equal(a, a), Verdict::kProved);
  EXPECT_EQ(Equal(a, b), Verdict::kUnknown);
}

// For a producer with one value everywhere both lead to that value; but the first takes it from the
// index that equals it.
TEST_F(RuntimeEquivalence, AConditionThatTiesAValueToItsPlace) {
  const std::string place = std::string("(d0)[s0] -> (s0)") + kDomain;
  IndexingMap tied =
      Map(std::string("(d0)[s0]{rt0} -> (rt0)") + kOne + ", rt0 - s0 in [0, 0]", {place});
  IndexingMap free = Map(std::string("(d0)[s0]{rt0} -> (rt0)") + kOne, {place});
  EXPECT_EQ(Equal(tied, free), Verdict::kUnknown);
  EXPECT_EQ(ProveCoversForAllRuntimeValues({free}, {tied}).verdict, Verdict::kProved);
  IndexingMap idle =
      Map(std::string("(d0)[s0]{rt0} -> (rt0)") + kOne + ", rt0 + s0 in [0, 2]", {place});
  EXPECT_EQ(Equal(idle, free), Verdict::kProved);
}

// One map has two variables for one value, the other has one.
TEST_F(RuntimeEquivalence, NamedTwice) {
  const std::string fixed = "(d0) -> (d0), domain: d0 in [0, 3]";
  IndexingMap twice =
      Map(std::string("(d0){rt0, rt1} -> (rt0, rt1)") + kTwo, {fixed, fixed}, {10, 10});
  IndexingMap once = Map("(d0){rt0} -> (rt0, rt0), domain: d0 in [0, 3], rt0 in [0, 1]", {fixed});
  EXPECT_EQ(Equal(twice, once), Verdict::kProved);
  IndexingMap two = Map(std::string("(d0){rt0, rt1} -> (rt0, rt1)") + kTwo, {fixed, fixed});
  EXPECT_NE(Equal(two, once), Verdict::kProved);
}

// In an inverse, the producer index is rewritten when the result determines the range variable that
// it depends on; it is kept when only the value there determines it.
TEST_F(RuntimeEquivalence, Inverses) {
  IndexingMap column =
      Map("(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 1], s0 in [0, 3], rt0 in [0, 1], "
          "d0 - rt0 in [0, 0]",
          {"(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 3]"});
  IndexingMap row = Map("(d0){rt0} -> (rt0), domain: d0 in [0, 3], rt0 in [0, 1]",
                        {"(d0) -> (d0), domain: d0 in [0, 3]"});
  EXPECT_EQ(Equal(InverseByDefinition(column, {4}), row), Verdict::kProved);
  IndexingMap shifted = Map("(d0){rt0} -> (rt0), domain: d0 in [0, 3], rt0 in [0, 1]",
                            {"(d0) -> (3 - d0), domain: d0 in [0, 3]"});
  EXPECT_NE(Equal(InverseByDefinition(column, {4}), shifted), Verdict::kProved);

  // An element that holds its own index is not the same as an element that is read at its own
  // index.
  IndexingMap fixed_point =
      Map("(d0)[s0]{rt0} -> (d0), domain: d0 in [0, 1], s0 in [0, 1], rt0 in [0, 1], s0 - rt0 in "
          "[0, 0]",
          {"(d0)[s0] -> (s0), domain: d0 in [0, 1], s0 in [0, 1]"});
  IndexingMap inverse = InverseByDefinition(fixed_point, {2});
  ASSERT_EQ(inverse.runtime().size(), 1u);
  for (SymbolicExpr e : inverse.runtime()[0].source->map->results()) {
    EXPECT_FALSE(e.Uses(VarKind::kRuntime, 0)) << inverse.ToString();
  }
  EXPECT_NE(Equal(inverse, Map("(d0) -> (d0), domain: d0 in [0, 1]")), Verdict::kProved);
}

// Through a composition by definition and by the library.
TEST_F(RuntimeEquivalence, Compositions) {
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

// A runtime variable that does not matter: for each of its values there is an s1 that equals it.
TEST_F(RuntimeEquivalence, AnyValueWillDo) {
  const std::string domain = ", domain: d0 in [0, 3], s0 in [0, 1], s1 in [0, 1], s2 in [1, 1]";
  const std::string with_value = domain + ", rt0 in [0, 1], ";
  const IndexingMap all = Map(std::string("(d0)[s0] -> (s0)") + kDomain);
  auto reader = [&](const char* constraint, const char* place) {
    return Map("(d0)[s0, s1, s2]{rt0} -> (s0)" + with_value + constraint, {place + domain});
  };
  const char kAtResult[] = "(d0)[s0, s1, s2] -> (s0 + d0 * s2)";
  EXPECT_EQ(Equal(reader("rt0 - s1 in [0, 0]", kAtResult), all), Verdict::kProved);
  // When the value is 1 there is no such s1, or not for all s0.
  EXPECT_EQ(Equal(reader("rt0 + s1 in [0, 0]", kAtResult), all), Verdict::kRefuted);
  // Here s1 has to equal the value at s1.
  EXPECT_EQ(Equal(reader("rt0 - s1 in [0, 0]", "(d0)[s0, s1, s2] -> (s1)"), all),
            Verdict::kUnknown);
}

// In a union with a map that leads everywhere, the other map does not matter.
TEST_F(RuntimeEquivalence, AllOfItIsReadAsWell) {
  const std::string range = "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]";
  const IndexingMap all = Map(range);
  const IndexingMap some = Map("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 2]");
  auto reader = [&](const std::string& place) {
    return Map(std::string("(d0){rt0, rt1} -> (rt0)") + kTwo,
               {"(d0){rt0, rt1} -> (" + place + ")" + kTwo, "(d0) -> (d0), domain: d0 in [0, 3]"});
  };
  const IndexingMap here = reader("rt1"), there = reader("rt1 + 1");
  EXPECT_EQ(ProveCoversForAllRuntimeValues({here, all}, {here, all}).verdict, Verdict::kProved);
  EXPECT_EQ(ProveCoversForAllRuntimeValues({here, all}, {there, all}).verdict, Verdict::kProved);
  EXPECT_NE(ProveCoversForAllRuntimeValues({here, some}, {here, all}).verdict, Verdict::kProved);
  EXPECT_EQ(ProveCoversForAllRuntimeValues({here}, {there}).verdict, Verdict::kUnknown);
}

// Two variables of one producer that may name the same element.
TEST_F(RuntimeEquivalence, ValuesThatContradictEachOther) {
  const std::string shapes = "(d0){rt0, rt1} -> ";
  auto at = [](int64_t d) { return ", domain: d0 in [" + std::to_string(d) + ", 1]"; };
  auto maps = [&](int64_t d, const char* results) {
    return Map(shapes + results + at(d) + ", rt0 in [0, 1], rt1 in [0, 1]",
               {"(d0) -> (d0)" + at(d), "(d0) -> (2 - d0)" + at(d)}, {10, 10});
  };
  // At d0 = 1 both name the same element; at d0 = 0 they do not.
  EXPECT_EQ(Equal(maps(1, "(rt0, rt1)"), maps(1, "(rt0, rt0)")), Verdict::kUnknown);
  EXPECT_EQ(Equal(maps(0, "(rt0, rt1)"), maps(0, "(rt0, rt0)")), Verdict::kRefuted);
  EXPECT_EQ(Equal(maps(1, "(rt0, rt1)"), maps(1, "(rt0, 1 - rt0)")), Verdict::kRefuted);
}

// Maps over d0 and s0 of up to two values, each read from one of two arrays of four bits.
constexpr int64_t kElements = 4;
using Contents = std::array<int64_t, 2 * kElements>;

// A map that is described by choices from lists, so that it can be changed a little.
struct Reader {
  std::array<int64_t, 6> picks = {};
  Interval d0;

  static Reader Random() {
    Reader reader;
    for (int64_t& pick : reader.picks) pick = Pick(0, 99);
    const int64_t lower = Pick(0, 2);
    reader.d0 = {lower, Pick(lower, 2)};
    return reader;
  }
  Reader Changed() const {
    Reader reader = *this;
    reader.picks[Pick(0, std::ssize(picks) - 1)] = Pick(0, 99);
    return reader;
  }

  IndexingMap Map(Context& context) const {
    const SymbolicExpr d = context.Dim(0), s = context.Range(0);
    const SymbolicExpr x = context.Runtime(0), y = context.Runtime(1);
    auto pick = [&](int64_t k, std::vector<SymbolicExpr> list) {
      return list[picks[k] % std::ssize(list)];
    };
    const Interval bit = {0, 1};
    const SymbolicExpr one = context.Constant(1);
    const SymbolicExpr place_of_y = pick(0, {d, -d + 2, s, s + 1, -s + 1, one});
    const SymbolicExpr place_of_x = pick(1, {y, y + s, y + 1, d, -d + 2, s, s + 1, -s + 1, one});
    const SymbolicExpr first = pick(2, {x, y, x + y, x * 2 + s, y * 2 + s, s, d});
    const SymbolicExpr second = pick(3, {x, y, -x + 1, s, s + y, one});
    std::vector<Constraint> constraints;
    if (picks[4] % 2 == 0) {
      constraints.push_back({pick(4, {x - s, d, y - s, d, x - y, d, s + x - d}), Interval{0, 0}});
    }
    const std::vector<Variable> dims = {{d0, "", {}}}, ranges = {{bit, "", {}}},
                                runtime(2, {bit, "", {}});
    IndexingMap map(context, SymbolicMap(1, 1, 2, {first, second}), dims, ranges, runtime,
                    constraints);
    if (map.state() != IndexingMap::State::kNormal) return map;
    for (int64_t k : {0, 1}) {
      SymbolicMap place(1, 1, 2, {k == 0 ? place_of_x : place_of_y});
      map.SetSource(k, {10 + (picks[5] >> k) % 2, bit, "v",
                        std::make_shared<IndexingMap>(context, place, dims, ranges, runtime)});
    }
    return map;
  }
};

std::set<std::vector<int64_t>> Read(const IndexingMap& map, int64_t d, const Contents& contents) {
  std::set<std::vector<int64_t>> results;
  for (int64_t s = 0; map.state() == IndexingMap::State::kNormal && s < 2; ++s) {
    std::array<int64_t, 2> values = {};
    for (int64_t k : {1, 0}) {  // the second may be the producer index of the first
      const RuntimeSource& source = *map.runtime()[k].source;
      const int64_t place = llvm::cantFail(source.map->Evaluate({d}, {s}, values))[0];
      values[k] = contents[(source.producer - 10) * kElements + place];
    }
    if (!map.InDomain({d}, {s}, values)) continue;
    results.insert(llvm::cantFail(map.Evaluate({d}, {s}, values)));
  }
  return results;
}

RC_GTEST_PROP(RuntimeEquivalenceProperty, VerdictsHoldForAllContents, ()) {
  Context context;
  const Reader reader = Reader::Random();
  const IndexingMap a = reader.Map(context), b = reader.Changed().Map(context);
  Reader third = Reader::Random();
  third.d0 = reader.d0;
  const IndexingMap c = third.Map(context);
  bool same = true, covered = true, union_covered = true;
  for (int64_t bits = 0; bits < 1 << (2 * kElements); ++bits) {
    Contents contents;
    for (size_t i = 0; i < contents.size(); ++i) contents[i] = bits >> i & 1;
    for (int64_t d = reader.d0.lower; d <= reader.d0.upper; ++d) {
      auto of_a = Read(a, d, contents);
      const auto of_b = Read(b, d, contents);
      same &= of_a == of_b;
      covered &= llvm::set_is_subset(of_b, of_a);
      of_a.merge(Read(c, d, contents));
      union_covered &= llvm::set_is_subset(of_b, of_a);
    }
  }
  auto check = [&](const char* question, Verdict verdict, bool holds) {
    RC_TAG(std::string(question) + (holds ? " holds, " : " does not hold, ") + Name(verdict));
    if (verdict == (holds ? Verdict::kRefuted : Verdict::kProved)) {
      std::string places;
      for (const IndexingMap* map : {&a, &b}) {
        places += "\n" + map->ToString();
        for (const Variable& v : map->runtime()) {
          places += "\n  of " + std::to_string(v.source->producer) + " at " +
                    v.source->map->results()[0].ToString();
        }
      }
      RC_FAIL(std::string(question) + " is said to be " + Name(verdict) + places);
    }
  };
  check("equal", ProveEqualForAllRuntimeValues(a, b).verdict, same);
  check("covers", ProveCoversForAllRuntimeValues({a}, {b}).verdict, covered);
  check("the union covers", ProveCoversForAllRuntimeValues({a, c}, {b}).verdict, union_covered);
  check("the union covers the other", ProveCoversForAllRuntimeValues({a, c}, {b, c}).verdict,
        union_covered);
}

}  // namespace
}  // namespace affirm
