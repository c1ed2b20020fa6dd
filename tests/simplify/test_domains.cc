// Tests of constraint rules: residues merge, bounds move inward, empty domains are found, and
// ranges use constraints.
#include "core/simplify/simplify.h"
#include "fuzz/properties/map_operations.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace affirm {
namespace {

std::string Simplified(const std::string& text) {
  Context context;
  auto map = ParseIndexingMap(text, context);
  if (!map) return llvm::toString(map.takeError());
  return Simplify(*map).ToString();
}

// The domain of (d0) -> (d0) with these bounds and constraints, simplified.
std::string Domain(const std::string& d0, const std::string& constraints) {
  std::string text = Simplified("(d0) -> (d0), domain: d0 in " + d0 + ", " + constraints);
  constexpr const char* kHead = "(d0) -> (d0), domain: ";
  return text.starts_with(kHead) ? text.substr(std::string(kHead).size()) : text;
}

TEST(Domains, ResiduesSnapBoundsAndMerge) {
  EXPECT_EQ(Domain("[0, 100]", "d0 mod 4 in [2, 2], d0 mod 6 in [4, 4]"),
            "d0 in [10, 94], d0 mod 12 in [10, 10]");
  EXPECT_EQ(Domain("[-50, 1000]", "d0 mod 5 in [3, 3], d0 mod 7 in [4, 4]"),
            "d0 in [-17, 998], d0 mod 35 in [18, 18]");
  EXPECT_EQ(Domain("[-50, 1000]", "(d0 - 1) mod 5 in [3, 3], (d0 + 3) mod 7 in [4, 4]"),
            "d0 in [-41, 974], (d0 + 41) mod 35 in [0, 0]");
  EXPECT_EQ(Domain("[0, 99]", "d0 mod 3 in [1, 1], (d0 floordiv 3) mod 5 in [2, 2]"),
            "d0 in [7, 97], (d0 - 7) mod 15 in [0, 0]");
  EXPECT_EQ(Domain("[-9, 9]", "(d0 * 5) mod 15 in [0, 0], -d0 mod 2 in [0, 0]"),
            "d0 in [-6, 6], d0 mod 6 in [0, 0]");
}

TEST(Domains, InfiniteEndsSnapToo) {
  EXPECT_EQ(Domain("[1, 9223372036854775807]", "d0 mod 4 in [0, 0], d0 mod 6 in [2, 2]"),
            "d0 in [8, 9223372036854775807], d0 mod 12 in [8, 8]");
  EXPECT_EQ(Domain("[-9223372036854775808, 9]", "d0 mod 4 in [0, 0]"),
            "d0 in [-9223372036854775808, 8], d0 mod 4 in [0, 0]");
}

TEST(Domains, EmptinessIsFound) {
  for (const char* constraints :
       {"d0 mod 4 in [0, 0], d0 mod 6 in [1, 1]", "d0 mod 5 in [5, 5]", "d0 mod 5 in [-1, -1]",
        "d0 * 6 in [1, 5]", "d0 * 4 + 2 in [7, 9]", "(d0 * 6 + 1) mod 4 in [0, 0]",
        "d0 floordiv 8 in [200, 300]", "d0 mod 100 in [7, 7], (d0 - 7) mod 10 in [1, 1]"}) {
    EXPECT_EQ(Domain("[0, 1000]", constraints), "KNOWN EMPTY") << constraints;
  }
  EXPECT_EQ(Simplified("(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], "
                       "d0 * 6 + d1 * 9 in [1, 2]"),
            "KNOWN EMPTY");
  // Only together: d0 + d1 keeps d0 below 4.
  EXPECT_EQ(Simplified("(d0, d1) -> (d0), domain: d0 in [0, 99], d1 in [0, 99], d0 + d1 in [0, 3], "
                       "d0 * 2 in [8, 20]"),
            "KNOWN EMPTY");
}

TEST(Domains, RangesUseConstraintsOnSums) {
  EXPECT_EQ(Simplified("(d0, d1) -> (d0 floordiv 4, d1 mod 4), domain: d0 in [0, 99], d1 in "
                       "[0, 99], d0 + d1 in [0, 3]"),
            "(d0, d1) -> (0, d1), domain: d0 in [0, 99], d1 in [0, 99], d0 + d1 in [0, 3]");
  // 2 * d0 is at least 198, so d0 is 99 or more.
  EXPECT_EQ(Simplified("(d0, d1) -> (max(d0, 99)), domain: d0 in [0, 200], d1 in [0, 100], "
                       "d0 * 2 - d1 in [198, 200]"),
            "(d0, d1) -> (d0), domain: d0 in [0, 200], d1 in [0, 100], d0 * 2 - d1 in [198, 200]");
}

// Any number of residues of one variable come out as at most one, on bounds that have it; where no
// number has them all, the map is known to be empty.
RC_GTEST_PROP(DomainProperty, ResiduesOfAVariableMergeIntoOne, ()) {
  auto in = [](int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); };
  Context context;
  int64_t low = in(-40, 40);
  IndexingMap map(context, SymbolicMap(1, 0, 0, {context.Dim(0)}),
                  {{{low, low + in(0, 90)}, "", std::nullopt}}, {}, {});
  for (int64_t i = in(1, 3); i > 0; --i) {
    int64_t m = in(1, 12);
    map.AddConstraint((context.Dim(0) + in(-15, 15)).Mod(m), Interval::Point(in(-1, m)));
    if (map.IsKnownEmpty()) return;
  }
  RC_LOG() << map.ToString();
  RC_ASSERT(fuzz::CheckSimplify(map) == "");
  IndexingMap simplified = Simplify(map);
  RC_LOG() << simplified.ToString();
  RC_ASSERT(fuzz::Enumerate(map)->empty() == simplified.IsKnownEmpty());
  if (simplified.IsKnownEmpty()) return;
  RC_ASSERT(simplified.constraints().size() <= 1);
  Interval bounds = simplified.dims()[0].bounds;
  RC_ASSERT(simplified.InDomain({bounds.lower}, {}) && simplified.InDomain({bounds.upper}, {}));
}

}  // namespace
}  // namespace affirm
