// Queries about random small maps: the answers of every engine against the sets, computed point
// by point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/maps/random_maps.h"
#include "tests/maps/tabulate.h"
#include "verify/maps/maps.h"
#include "verify/maps/partition.h"

namespace affirm {
namespace {

// An engine may leave a query open, but not be wrong; by default nothing small stays open.
void Check(const MapProofResult& a, bool truth, bool may_be_open) {
  RC_LOG() << Name(a.verdict) << " by " << Name(a.engine) << " " << a.reason << "\n";
  if (a.verdict == Verdict::kUnknown) {
    RC_ASSERT(may_be_open);
    RC_ASSERT(!a.reason.empty());
    return;
  }
  RC_ASSERT((a.verdict == Verdict::kProved) == truth);
  RC_ASSERT(truth || a.counterexample.has_value());
}

const std::optional<Engine> kEngines[] = {std::nullopt, Engine::kIntervalAnalysis, Engine::kZ3,
                                          Engine::kIsl};

void CheckPair(const IndexingMap& a, const IndexingMap& b) {
  RC_LOG() << a.ToString() << "\n" << b.ToString() << "\n";
  Function fa = Tabulate(a), fb = Tabulate(b);
  for (std::optional<Engine> only : kEngines) {
    DecideOptions options{.only = only};
    MapProofResult equal = ProveEqual(a, b, options), superset = ProveSuperset(a, b, options);
    Check(equal, fa == fb, only.has_value());
    Check(superset, IsSuperset(fa, fb), only.has_value());
    if (equal.counterexample) {
      RC_ASSERT(At(fa, *equal.counterexample) != At(fb, *equal.counterexample));
    }
    Check(ProveUnionSuperset({a, b}, b, options), true, only.has_value());
    Check(ProveUnionSuperset(a, {b, a}, options), IsSuperset(fa, fb), only.has_value());
  }
}

RC_GTEST_PROP(Maps, VerdictsOnVariantsAreRight, ()) {
  Context context;
  IndexingMap a = RandomMap(context, RandomShape());
  CheckPair(a, Variant(a));
}

RC_GTEST_PROP(Maps, VerdictsOnUnrelatedMapsAreRight, ()) {
  Context context;
  MapShape shape = RandomShape();
  CheckPair(RandomMap(context, shape), RandomMap(context, shape));
}

RC_GTEST_PROP(Maps, VerdictsOnProductsAndVariableDivisorsAreRight, ()) {
  Context context;
  IndexingMap a = RandomMap(context, RandomShape(), {.products = true, .form_divisors = true});
  CheckPair(a, Variant(a));
}

RC_GTEST_PROP(Maps, EmptinessIsDecided, ()) {
  Context context;
  IndexingMap a = RandomMap(context, RandomShape());
  for (std::optional<Engine> only : kEngines) {
    Check(ProveEmpty(a, {.only = only}), Tabulate(a).empty(), only.has_value());
  }
}

RC_GTEST_PROP(Maps, InjectiveAndSurjectiveAreDecided, ()) {
  Context context;
  MapShape shape = RandomShape();
  shape.results = Pick(1, 2);
  IndexingMap a = RandomMap(context, shape);
  if (Pick(0, 1) && a.state() == IndexingMap::State::kNormal && shape.dims + shape.ranges > 0) {
    // A permutation of the variables, perhaps joined into one index.
    std::vector<SymbolicExpr> results;
    for (int64_t i = 0; i < shape.results; ++i) {
      SymbolicExpr e = context.Constant(0);
      for (int64_t d = 0; d < shape.dims; ++d) e = e * 5 + context.Dim(d);
      for (int64_t s = 0; s < shape.ranges; ++s) e = e * 5 + context.Range(s);
      results.push_back(e);
    }
    a.SetResults(results);
  }
  RC_LOG() << a.ToString() << "\n";
  std::map<std::pair<Tuple, Tuple>, int> hits;  // (runtime, result)
  std::set<Tuple> runtimes;
  bool inside = true;
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < shape.results; ++i) sizes.push_back(Pick(1, 3));
  if (a.state() == IndexingMap::State::kNormal) {
    a.ForEachPoint(
        [&](llvm::ArrayRef<int64_t> d, llvm::ArrayRef<int64_t> s, llvm::ArrayRef<int64_t> rt) {
          Tuple r = llvm::cantFail(a.Evaluate(d, s, rt));
          ++hits[{rt.vec(), r}];
          for (size_t i = 0; i < r.size(); ++i) inside = inside && r[i] >= 0 && r[i] < sizes[i];
          return true;
        });
  }
  bool injective = true;
  for (const auto& [key, n] : hits) injective = injective && n == 1;
  bool surjective = a.state() == IndexingMap::State::kNormal;
  if (surjective) {
    Interval rt = shape.runtime ? a.runtime()[0].bounds : Interval{0, 0};
    int64_t second = sizes.size() > 1 ? sizes[1] : 1;
    for (int64_t v = rt.lower; v <= rt.upper; ++v) {
      for (int64_t i = 0; i < sizes[0] * second; ++i) {
        Tuple index = {i / second};
        if (sizes.size() > 1) index.push_back(i % second);
        surjective = surjective && hits.count({shape.runtime ? Tuple{v} : Tuple{}, index});
      }
    }
  }
  RC_PRE(a.state() == IndexingMap::State::kNormal);
  for (std::optional<Engine> only : kEngines) {
    DecideOptions options{.only = only};
    Check(ProveInjective(a, options), injective, only.has_value());
    Check(ProveSurjective(a, sizes, options), surjective, only.has_value());
    Check(ProveBijection(a, sizes, options), injective && surjective && inside, only.has_value());
  }
}

IndexingMap Parse(llvm::StringRef text, Context& context) {
  return llvm::cantFail(ParseIndexingMap(text, context));
}

// Injectivity compares points at the same value of the runtime variables only.
TEST(Maps, InjectiveForEachValueOfRuntimeVariables) {
  Context context;
  const char* kDomain = ", domain: d0 in [0, 99999], rt0 in [0, 9]";
  IndexingMap map =
      Parse(std::string("(d0){rt0} -> (d0 + d0 floordiv 3 + rt0 * 4)") + kDomain, context);
  EXPECT_EQ(ProveInjective(map, {.only = Engine::kIsl}).verdict, Verdict::kProved);
  map = Parse(std::string("(d0){rt0} -> (d0 - d0 floordiv 3 + rt0 * 4)") + kDomain, context);
  EXPECT_EQ(ProveInjective(map, {.only = Engine::kIsl}).verdict, Verdict::kRefuted);
}

// s0 = 1023 of the larger map has no witness in the smaller one, whose s0 ends at 1022.
TEST(Maps, WitnessesLieWithinTheirRange) {
  Context context;
  const std::string of = "(d0)[s0] -> (d0 * 1024 + s0), domain: d0 in [0, 99999], s0 in ";
  IndexingMap large = Parse(of + "[0, 1023]", context), small = Parse(of + "[0, 1022]", context);
  for (std::optional<Engine> only : kEngines) {
    EXPECT_NE(ProveSuperset(small, large, {.only = only}).verdict, Verdict::kProved);
    EXPECT_NE(ProveEqual(large, small, {.only = only}).verdict, Verdict::kProved);
  }
  EXPECT_EQ(ProveSuperset(large, small, {.only = Engine::kZ3}).verdict, Verdict::kProved);
}

// Results past int64 are compared like all others.
TEST(Maps, ResultsPastInt64) {
  Context context;
  const std::string near = "domain: d0 in [9223372036854775760, 9223372036854775806]";
  auto map = [&](const std::string& text) { return Parse(text + near, context); };
  IndexingMap four = map("(d0) -> (d0 * 4), ");
  EXPECT_EQ(ProveEqual(four, map("(d0) -> (d0 * 8 - d0 * 4), ")).verdict, Verdict::kProved);
  MapProofResult answer =
      ProveEqual(four, map("(d0) -> (d0 * 4 + d0 floordiv 9223372036854775806), "));
  ASSERT_EQ(answer.verdict, Verdict::kRefuted);
  EXPECT_EQ(answer.counterexample->ToString(four),
            "d0 = 9223372036854775806: lhs {(36893488147419103224)}, rhs {(36893488147419103225)}");
  EXPECT_EQ(ProveInjective(four).verdict, Verdict::kProved);
  EXPECT_EQ(ProveInjective(map("(d0) -> ((d0 floordiv 2) * 4), ")).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveSurjective(four, {4}).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveBijection(four, {47}).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveEmpty(four).verdict, Verdict::kRefuted);
  // Only some of the tuples have a number past int64.
  const std::string some =
      "(d0)[s0] -> (d0, d0 * s0), domain: d0 in [4611686018427387900, "
      "4611686018427387904], s0 in ";
  IndexingMap three = Parse(some + "[0, 3]", context), two = Parse(some + "[0, 2]", context);
  EXPECT_EQ(ProveEqual(three, two).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveSuperset(three, two).verdict, Verdict::kProved);
  EXPECT_EQ(ProveSuperset(two, three).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveUnionSuperset({two}, {three, two}).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveUnionSuperset({two, three}, {two}).verdict, Verdict::kProved);
}

TEST(Maps, LargeRangesArePermutedMergedAndSplit) {
  Context context;
  IndexingMap a = Parse(
      "(d0)[s0, s1] -> (d0 * 1024 + s0 * 128 + s1), domain: d0 in [0, 99999], "
      "s0 in [0, 7], s1 in [0, 127]",
      context);
  for (const char* same :
       {"(d0)[s0, s1] -> (d0 * 1024 + s1 * 128 + s0), domain: d0 in [0, 99999], s0 in [0, 127], "
        "s1 in [0, 7]",
        "(d0)[s0] -> (d0 * 1024 + s0), domain: d0 in [0, 99999], s0 in [0, 1023]",
        "(d0)[s0, s1] -> (d0 * 1024 - s0 * 128 + s1 + 896), domain: d0 in [0, 99999], "
        "s0 in [0, 7], s1 in [0, 127]",
        "(d0)[s0, s1, s2] -> (d0 * 1024 + s0 * 256 + s1 * 32 + s2), domain: d0 in [0, 99999], "
        "s0 in [0, 3], s1 in [0, 7], s2 in [0, 31]"}) {
    MapProofResult answer = ProveEqual(a, Parse(same, context));
    EXPECT_EQ(answer.verdict, Verdict::kProved) << same << answer.reason;
  }
  for (const char* other :
       {"(d0)[s0] -> (d0 * 1024 + s0), domain: d0 in [0, 99999], s0 in [0, 1022]",
        "(d0)[s0, s1] -> (d0 * 1024 + s0 * 127 + s1), domain: d0 in [0, 99999], s0 in [0, 7], "
        "s1 in [0, 127]"}) {
    MapProofResult answer = ProveEqual(a, Parse(other, context));
    EXPECT_EQ(answer.verdict, Verdict::kRefuted) << other << answer.reason;
    EXPECT_TRUE(answer.counterexample.has_value());
  }
}

TEST(Maps, ThreadTilesWithATailMask) {
  Context context;
  IndexingMap tile = Parse(
      "(d0, d1)[s0, s1] -> ((d1 * 512 + d0 * 4 + s1 + s0 * 65536) floordiv 1000, "
      "(d1 * 512 + d0 * 4 + s1 + s0 * 65536) mod 1000), domain: d0 in [0, 127], d1 in [0, 127], "
      "s0 in [0, 1], s1 in [0, 3], d1 * 512 + d0 * 4 + s1 + s0 * 65536 in [0, 99999]",
      context);
  MapProofResult answer = ProveBijection(tile, {100, 1000});
  EXPECT_EQ(answer.verdict, Verdict::kProved) << answer.reason;
  IndexingMap gap = tile;
  gap.AddConstraint(context.Dim(0) + context.Dim(1), {1, 1000});
  answer = ProveBijection(gap, {100, 1000});
  EXPECT_EQ(answer.verdict, Verdict::kRefuted) << answer.reason;
  IndexingMap twice = tile;
  twice.SetBounds(VarKind::kRange, 1, {0, 4});
  answer = ProveBijection(twice, {100, 1000});
  EXPECT_EQ(answer.verdict, Verdict::kRefuted) << answer.reason;
}

// Constraints without effect are seen by the bounds, without a point being visited.
TEST(Maps, IdleRangesAndConstraintsAreSeenByBounds) {
  Context context;
  const IndexingMap plain = Parse(
      "(d0)[s0]{rt0} -> (s0), domain: d0 in [0, 40], s0 in [0, 7], rt0 in [0, 40], "
      "d0 - rt0 in [0, 0]",
      context);
  auto with = [&](const std::string& bounds, const std::string& constraint) {
    return Parse("(d0)[s0, s1]{rt0} -> (s1), domain: d0 in [0, 40], s0 in " + bounds +
                     ", s1 in [0, 7], rt0 in [0, 40], d0 - rt0 in [0, 0], " + constraint,
                 context);
  };
  const DecideOptions bounds_alone{.only = Engine::kIntervalAnalysis};
  const IndexingMap idle = with("[0, 99999999]", "s0 + 128 in [0, 100000128]");
  EXPECT_EQ(ProveEqual(plain, idle, bounds_alone).verdict, Verdict::kProved);
  EXPECT_EQ(ProveEqual(plain, idle).engine, Engine::kIntervalAnalysis);
  // A quotient that bounds its dividend, which is then its own residue.
  auto digit = [&](const std::string& result, const std::string& range,
                   const std::string& constraint) {
    return Parse("(d0)[s0]{rt0} -> (" + result + "), domain: d0 in [0, 9], s0 in " + range +
                     ", rt0 in [0, 9], d0 - rt0 in [0, 0]" + constraint,
                 context);
  };
  const IndexingMap shifted = digit("s0 - 128", "[128, 255]", "");
  EXPECT_EQ(ProveEqual(shifted, digit("s0 mod 128", "[0, 255]", ", s0 floordiv 128 in [1, 1]"),
                       bounds_alone)
                .verdict,
            Verdict::kProved);
  for (const IndexingMap& other :
       {digit("s0 mod 64", "[0, 255]", ", s0 floordiv 128 in [1, 1]"),
        digit("s0 mod 128", "[0, 255]", ", s0 floordiv 128 in [1, 1], s0 + 1 in [0, 200]"),
        digit("s0 mod 128", "[0, 255]", ", s0 floordiv 127 in [1, 1]"),
        digit("s0 mod 128", "[0, 99]", ", s0 floordiv 128 in [1, 1]")}) {
    EXPECT_NE(ProveEqual(shifted, other, bounds_alone).verdict, Verdict::kProved)
        << other.ToString();
  }
  // A limit of int64 is no bound.
  const std::string shift = ", s0 + 9223372036854775800 in [9223372036854775800, ";
  for (const char* kept : {"[0, 7]", "[0, 6]"}) {
    EXPECT_EQ(
        ProveEqual(digit("s0", "[0, 9]", shift + "9223372036854775807]"), digit("s0", kept, ""))
            .verdict,
        Verdict::kRefuted)
        << kept;
  }
  EXPECT_EQ(ProveEqual(digit("s0", "[0, 9]", shift + "9223372036854775806]"),
                       digit("s0", "[0, 6]", ""), bounds_alone)
                .verdict,
            Verdict::kProved);
  // One value more than the quotient has room for.
  EXPECT_NE(ProveEqual(digit("s0", "[127, 254]", ""),
                       digit("s0", "[0, 255]", ", s0 floordiv 127 in [1, 1]"), bounds_alone)
                .verdict,
            Verdict::kProved);
  // The same constraint, of which fewer values of a range variable that no result uses are left.
  EXPECT_NE(ProveEqual(with("[0, 9]", "s0 + s1 in [0, 8]"), with("[6, 9]", "s0 + s1 in [0, 8]"),
                       bounds_alone)
                .verdict,
            Verdict::kProved);
  // It has fewer values, and still some.
  EXPECT_EQ(ProveEqual(plain, with("[0, 9]", "s0 + 128 in [0, 136]"), bounds_alone).verdict,
            Verdict::kProved);
  // Nothing of these is idle.
  for (const IndexingMap& other :
       {with("[0, 3]", "s0 + s1 in [5, 15]"), with("[0, 9]", "s0 + s1 in [8, 15]"),
        with("[0, 9]", "s0 + 128 in [0, 127]"), with("[0, -1]", "s0 in [0, 9]")}) {
    EXPECT_NE(ProveEqual(plain, other, bounds_alone).verdict, Verdict::kProved) << other.ToString();
  }
  EXPECT_EQ(ProveEqual(plain, with("[0, 9]", "s0 + 128 in [0, 127]")).verdict, Verdict::kRefuted);
}

// Range variables that equalities determine, and those that the results of the other map name.
TEST(Maps, DeterminedRangesAreSeenByBounds) {
  Context context;
  const DecideOptions bounds_alone{.only = Engine::kIntervalAnalysis};
  auto map = [&](const std::string& signature, const std::string& domain) {
    return Parse(signature + ", domain: d0 in [0, 40], rt0 in [0, 40], " + domain, context);
  };
  const IndexingMap row = map("(d0)[s0]{rt0} -> (s0, d0)", "s0 in [0, 7]");
  struct Other {
    bool is_equal;
    const char *signature, *domain;
  };
  for (const Other& other : std::vector<Other>{
           // A layer's read at a place that is known at run time, and that nothing uses.
           {true, "(d0)[s0, s1]{rt0} -> (s0, d0)",
            "s0 in [0, 7], s1 in [0, 40], s1 - rt0 in [0, 0]"},
           {true, "(d0)[s0, s1]{rt0} -> (s1, s0)",
            "s0 in [0, 40], s1 in [0, 7], d0 - s0 in [0, 0]"},
           {true, "(d0)[s0]{rt0} -> (s0 - 5, d0)", "s0 in [5, 12]"},
           {true, "(d0)[s0, s1]{rt0} -> (s1, d0)",
            "s0 in [-3, 4], s1 in [0, 7], s1 - s0 in [3, 3]"},
           // Values that the determined variable does not have, and the other way round.
           {false, "(d0)[s0, s1]{rt0} -> (s0, d0)",
            "s0 in [0, 7], s1 in [0, 39], s1 - rt0 in [0, 0]"},
           {false, "(d0)[s0, s1]{rt0} -> (s1, s0)",
            "s0 in [1, 40], s1 in [0, 7], d0 - s0 in [0, 0]"},
           {false, "(d0)[s0]{rt0} -> (s0 - 5, d0)", "s0 in [5, 11]"},
           {false, "(d0)[s0, s1]{rt0} -> (s1, d0)",
            "s0 in [-3, 4], s1 in [0, 7], s1 - s0 * 2 in [0, 0]"}}) {
    const Verdict answer =
        ProveEqual(row, map(other.signature, other.domain), bounds_alone).verdict;
    EXPECT_EQ(answer == Verdict::kProved, other.is_equal) << other.signature << other.domain;
  }
  // An operand of a maximum that is never the largest.
  auto apart = [&](const std::string& least) {
    return map("(d0)[s0]{rt0} -> (s0, d0)",
               "s0 in [0, 7], max(s0 - rt0, rt0 - s0, " + least + ") in [1, 50]");
  };
  EXPECT_EQ(ProveEqual(apart("0"), apart("max(s0 - 7, 0)"), bounds_alone).verdict,
            Verdict::kProved);
  EXPECT_NE(ProveEqual(apart("0"), apart("max(s0 - 6, 0)"), bounds_alone).verdict,
            Verdict::kProved);
  // One way alone.
  const IndexingMap part = map("(d0)[s0, s1]{rt0} -> (s1, d0)",
                               "s0 in [0, 9], s1 in [2, 5], s0 + s1 in [4, 9], rt0 - s0 in [1, 9]");
  EXPECT_EQ(ProveSuperset(row, part, bounds_alone).verdict, Verdict::kProved);
  EXPECT_NE(ProveSuperset(part, row, bounds_alone).verdict, Verdict::kProved);
  // The bounds of a variable are numbers at the limits of int64, too.
  EXPECT_NE(ProveEqual(map("(d0)[s0]{rt0} -> (0, d0)", "s0 in [0, 1]"),
                       map("(d0)[s0]{rt0} -> (0, d0)",
                           "s0 in [0, 9223372036854775807], "
                           "s0 - d0 * 1000000000000000000 in [0, 0]"),
                       bounds_alone)
                .verdict,
            Verdict::kProved);
}

// A third map may cover the rest that one map leaves of another.
TEST(Maps, UnionsAreSeenByBounds) {
  Context context;
  const DecideOptions bounds_alone{.only = Engine::kIntervalAnalysis};
  auto map = [&](const std::string& text) { return Parse("(d0)[s0] -> " + text, context); };
  auto seen = [&](const std::vector<IndexingMap>& all, const IndexingMap& part) {
    return ProveUnionSuperset(all, {part}, bounds_alone).verdict == Verdict::kProved;
  };
  // A trip reads from earlier trips what was read before, and its own reads.
  const std::string trips = "(s0), domain: d0 in [0, 15], s0 in [0, 7], ";
  const IndexingMap earlier = map(trips + "d0 - s0 in [2, 9]"),
                    last =
                        Parse("(d0)[s0] -> (d0 - 1), domain: d0 in [1, 8], s0 in [0, 0]", context);
  EXPECT_TRUE(seen({earlier, last}, map(trips + "d0 - s0 + 1 in [2, 9]")));
  EXPECT_FALSE(seen({earlier}, map(trips + "d0 - s0 in [1, 8]")));
  EXPECT_FALSE(seen({earlier, last}, map(trips + "d0 - s0 in [0, 8]")));
  EXPECT_FALSE(seen({earlier, last}, map(trips + "d0 - s0 in [1, 10]")));
  // One difference, written both ways.
  const std::string small = "(s0), domain: d0 in [0, 9], s0 in [0, 9], ";
  const IndexingMap both = map(small + "d0 - s0 in [1, 3], s0 - d0 in [-2, 5]");
  EXPECT_TRUE(seen({map(small + "d0 - s0 in [1, 2]")}, both));
  EXPECT_TRUE(seen({both}, map(small + "d0 - s0 in [1, 2]")));
  EXPECT_FALSE(seen({both}, map(small + "d0 - s0 in [1, 3]")));
  // One read backward.
  EXPECT_TRUE(seen({map("(-s0 + 7), domain: d0 in [0, 9], s0 in [0, 7], d0 - s0 in [1, 9]")},
                   Parse("(d0) -> (-d0 + 8), domain: d0 in [1, 8]", context)));
  EXPECT_FALSE(seen({map("(-s0 + 7), domain: d0 in [0, 9], s0 in [0, 7], d0 - s0 in [2, 9]")},
                    Parse("(d0) -> (-d0 + 8), domain: d0 in [1, 8]", context)));
  // A sum narrows the bounds of a variable.
  auto up_to = [&](const std::string& most) {
    return map("(s0), domain: d0 in [0, " + most + "], s0 in [2, 4]");
  };
  const IndexingMap sum = map("(s0), domain: d0 in [0, 9], s0 in [2, 4], d0 + s0 in [0, 5]");
  EXPECT_TRUE(seen({up_to("3")}, sum));
  EXPECT_FALSE(seen({up_to("2")}, sum));
  EXPECT_FALSE(seen({up_to("1")}, sum));
  // A maximum is at least what one of its operands is, and not at most.
  const IndexingMap wide = map("(s0), domain: d0 in [0, 9], s0 in [3, 5]");
  EXPECT_TRUE(seen({map(small + "max(s0, d0) in [3, 9223372036854775807]")}, wide));
  EXPECT_FALSE(seen({map(small + "max(s0, d0) in [3, 5]")}, wide));
  // An operand that never reaches a maximum's lower bound does not matter.
  const IndexingMap apart =
      map(small + "max(-d0, d0 - s0) in [1, 9], max(s0 - d0, d0 - s0) in [1, 99]");
  EXPECT_TRUE(seen({map(small + "d0 - s0 in [1, 9]")}, apart));
  EXPECT_TRUE(seen({apart}, map(small + "d0 - s0 in [1, 9]")));
  EXPECT_FALSE(seen({map(small + "d0 - s0 in [2, 9]")}, apart));
  EXPECT_FALSE(
      seen({map(small + "d0 - s0 in [1, 9]")}, map(small + "max(1 - d0, d0 - s0) in [1, 9]")));
  EXPECT_TRUE(seen({}, map(small + "max(-d0, d0 - 9) in [1, 9]")));
  EXPECT_FALSE(seen({}, wide));
  EXPECT_TRUE(seen({}, map(small + "s0 + d0 in [20, 30]")));
}

TEST(Maps, EdgesOfTheDefinition) {
  Context context;
  IndexingMap empty = IndexingMap::KnownEmpty(context);
  IndexingMap a = Parse("(d0) -> (d0), domain: d0 in [0, 9]", context);
  IndexingMap none = Parse(
      "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], "
      "d0 - d1 in [20, 30]",
      context);
  IndexingMap scalar = Parse("() -> ()", context);
  EXPECT_EQ(ProveEqual(IndexingMap::Undefined(), a).verdict, Verdict::kUnknown);
  EXPECT_EQ(ProveEqual(empty, empty).verdict, Verdict::kProved);
  EXPECT_EQ(ProveEqual(empty, none).verdict, Verdict::kProved);
  EXPECT_EQ(ProveEqual(a, none).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveSuperset(a, none).verdict, Verdict::kProved);
  EXPECT_EQ(ProveSuperset(empty, a).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveEqual(scalar, scalar).verdict, Verdict::kProved);
  EXPECT_EQ(ProveEqual(scalar, a).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveBijection(scalar, {}).verdict, Verdict::kProved);
  EXPECT_EQ(ProveBijection(empty, {0, 4}).verdict, Verdict::kProved);
  EXPECT_EQ(ProveBijection(empty, {4}).verdict, Verdict::kRefuted);
  EXPECT_EQ(ProveSurjective(a, {2, 5}).verdict, Verdict::kUnknown);
  // No array has a negative size, not even where the map has no points.
  for (int64_t size : {int64_t{-5}, INT64_MIN}) {
    for (const IndexingMap& map : {a, none, empty}) {
      EXPECT_EQ(ProveBijection(map, {size}).verdict, Verdict::kUnknown) << size;
      EXPECT_EQ(ProveSurjective(map, {size}).verdict, Verdict::kUnknown) << size;
      EXPECT_EQ(ProvePartition({map, none}, {size}).verdict, Verdict::kUnknown) << size;
    }
  }
  IndexingMap all = Parse(
      "(d0) -> (d0 * 4), domain: d0 in [-9223372036854775808, "
      "9223372036854775807]",
      context);
  IndexingMap other = all;
  other.SetResults({context.Dim(0) * 3 + context.Dim(0)});
  EXPECT_EQ(ProveEqual(all, other).verdict, Verdict::kProved);
  Context elsewhere;
  EXPECT_EQ(ProveEqual(a, Parse("(x) -> (x), domain: x in [0, 9]", elsewhere)).verdict,
            Verdict::kProved);
}

}  // namespace
}  // namespace affirm
