// Index widths: every verdict against executing the code at every point.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fuzz/properties/machine_int_oracle.h"
#include "tests/maps/random_maps.h"
#include "verify/width/width.h"

namespace affirm {
namespace {

IndexingMap Map(Context& context, llvm::StringRef text) {
  auto map = ParseIndexingMap(text, context);
  EXPECT_TRUE(static_cast<bool>(map)) << text.str();
  return *map;
}

// Calls fn(point, inside) for every point of the bounds of the variables.
template <typename Fn>
void ForEachPointOfBox(const IndexingMap& map, Fn fn) {
  IndexingMap box = map;
  box.SetConstraints({});
  ASSERT_TRUE(box.ForEachPoint([&](auto dims, auto ranges, auto runtime) {
    fn(IndexPoint{dims.vec(), ranges.vec(), runtime.vec()}, map.InDomain(dims, ranges, runtime));
    return true;
  }));
}

Signedness RandomSignedness() { return Pick(0, 1) ? Signedness::kSigned : Signedness::kUnsigned; }

RC_GTEST_PROP(WidthTest, VerdictsAreThoseOfExecution, ()) {
  Context context;
  IndexingMap map = RandomMap(context, RandomShape(), {.products = true, .form_divisors = true});
  if (map.state() != IndexingMap::State::kNormal) return;
  auto width = static_cast<unsigned>(Pick(1, 12));
  Signedness s = RandomSignedness();
  RC_TAG(Name(s));
  WidthResult answer = ProveWidth(map, width, s);
  const bool overflows = *fuzz::OverflowsSomewhere(map, width, s);
  RC_LOG() << map.ToString() << " in i" << width << ": " << Name(answer.verdict) << " "
           << answer.reason << "\n";
  RC_ASSERT(answer.verdict == (overflows ? Verdict::kRefuted : Verdict::kProved));
  RC_ASSERT(answer.overflow.has_value() == overflows);
}

// A map with a divisor of which only the constraints say that it is not 0, so that code that runs
// before them divides by it as it comes. nullopt where no map can be read from it.
std::optional<IndexingMap> GuardedMap(Context& context) {
  IndexingMap map =
      RandomMap(context, {.dims = 2, .ranges = Pick(0, 1), .runtime = 0, .results = 1},
                {.products = true, .max_constant = 4});
  if (map.state() != IndexingMap::State::kNormal) return std::nullopt;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  SymbolicExpr divisors[] = {d1 * 2, d1 * 3, d0 * d1, d0 + d1, d1 * d1, d0 - d1};
  SymbolicExpr divisor = divisors[Pick(0, 5)];
  SymbolicExpr dividends[] = {d0 * divisor, divisor * 2,      divisor * divisor,
                              d0 + d1,      map.results()[0], divisor * d0 + 1};
  SymbolicExpr dividend = dividends[Pick(0, 5)];
  SymbolicExpr quotient = Pick(0, 2) == 0   ? dividend.Mod(divisor)
                          : Pick(0, 1) == 0 ? dividend.CeilDiv(divisor)
                                            : dividend.FloorDiv(divisor);
  map.AddConstraint(divisor, {1, Pick(1, 20)});
  if (Pick(0, 1)) {
    map.SetResults({quotient});
  } else {
    map.AddConstraint(quotient, {Pick(-9, 0), Pick(1, 9)});
  }
  auto read = ParseIndexingMap(map.ToString(), context);
  if (!read) llvm::consumeError(read.takeError());
  bool usable = read && read->state() == IndexingMap::State::kNormal;
  return usable ? std::optional(*read) : std::nullopt;
}

RC_GTEST_PROP(WidthTest, DivisionsBeforeAConstraintHoldAreExecuted, ()) {
  Context context;
  std::optional<IndexingMap> map = GuardedMap(context);
  if (!map) return;
  auto width = static_cast<unsigned>(Pick(1, 12));
  Signedness s = RandomSignedness();
  WidthResult answer = ProveWidth(*map, width, s);
  const bool overflows = *fuzz::OverflowsSomewhere(*map, width, s);
  RC_LOG() << map->ToString() << " in i" << width << " " << Name(s) << ": " << Name(answer.verdict)
           << " " << answer.reason << "\n";
  RC_TAG(std::string(Name(s)) + " " + Name(answer.verdict));
  // The only unknowns are quotients whose divisor may be negative.
  RC_ASSERT(answer.verdict != Verdict::kUnknown || s == Signedness::kSigned);
  RC_ASSERT(answer.verdict == Verdict::kUnknown ||
            answer.verdict == (overflows ? Verdict::kRefuted : Verdict::kProved));
  RC_ASSERT(answer.overflow.has_value() == (answer.verdict == Verdict::kRefuted));
}

TEST(WidthTest, ADivisionByZeroBeforeTheConstraintIsNoProof) {
  Context context;
  const char* kMaps[] = {
      "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3], (d0 * d1 * 2) floordiv (d1 * 2) in "
      "[0, 2], d1 * 2 in [1, 6]",
      "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3], (d0 * d1 * 2) mod (d1 * 2) in [0, 2], "
      "d1 * 2 in [1, 6]",
      "(d0, d1) -> (d0), domain: d0 in [0, 3000], d1 in [0, 3000], d0 floordiv (d1 * 2) in [0, 2], "
      "d1 * 2 in [1, 6000]",
      "(d0, d1) -> (d0), domain: d0 in [0, 3000], d1 in [0, 3000], d0 mod (d0 * d1) in [0, 2], "
      "d0 * d1 in [1, 6000]"};
  for (const char* text : kMaps) {
    IndexingMap map = Map(context, text);
    for (Signedness s : {Signedness::kSigned, Signedness::kUnsigned}) {
      NarrowestWidth narrowest = FindNarrowestWidth(map, s);
      EXPECT_FALSE(narrowest.width) << text;
      ASSERT_EQ(narrowest.at_width.verdict, Verdict::kRefuted) << text;
      EXPECT_EQ(narrowest.at_width.overflow->machine, "undefined") << text;
    }
  }
  // Behind the constraint there is none.
  IndexingMap behind = Map(context,
                           "(d0, d1) -> ((d0 * d1 * 2) floordiv (d1 * 2)), domain: d0 in [0, 3], "
                           "d1 in [0, 3], d1 * 2 in [1, 6]");
  EXPECT_EQ(FindNarrowestWidth(behind, Signedness::kUnsigned).width, 5u);
}

// A constraint may compute numbers that 128 bits do not hold.
TEST(WidthTest, PointsOfHugeConstraintsAreInside) {
  Context context;
  IndexingMap map = Map(context,
                        "()[s0] -> (s0 + 1), domain: s0 in [-9223372036854775806, "
                        "-9223372036854775803], s0 * 9223372036854775807 * -10 in [4, "
                        "9223372036854775807]");
  WidthResult answer = ProveWidth(map, 64, Signedness::kUnsigned);
  ASSERT_EQ(answer.verdict, Verdict::kRefuted) << answer.reason;
  EXPECT_EQ(answer.overflow->value.front(), '-');
}

// Where a width is proved, the executed code gives the map's results.
RC_GTEST_PROP(WidthTest, ProvedWidthsKeepTheResults, ()) {
  Context context;
  IndexingMap map = RandomMap(context, RandomShape());
  if (map.state() != IndexingMap::State::kNormal) return;
  Signedness s = RandomSignedness();
  NarrowestWidth narrowest = FindNarrowestWidth(map, s);
  if (!narrowest.width) {
    RC_ASSERT(s == Signedness::kUnsigned && *fuzz::OverflowsSomewhere(map, 64, s));
    return;
  }
  unsigned width = *narrowest.width;
  RC_ASSERT(width == 1 || *fuzz::OverflowsSomewhere(map, width - 1, s));
  IndexCode code = MakeIndexCode(map, s);
  ForEachPointOfBox(map, [&](const IndexPoint& point, bool inside) {
    if (!inside) return;
    auto machine = Execute(code, width, point);
    auto results = map.Evaluate(point.dims, point.ranges, point.runtime);
    RC_ASSERT(static_cast<bool>(results));
    for (size_t k = 0; k < results->size(); ++k) {
      RC_ASSERT(fuzz::AsInteger(*machine[code.results[k]], s) == BigInt((*results)[k]));
    }
  });
}

TEST(WidthTest, AKernelOfMoreThanTwoToThe31Elements) {
  Context context;
  // 2^31 + 2 elements, 128 threads a block.
  IndexingMap map = Map(context,
                        "(th, bl) -> (bl * 128 + th), domain: th in [0, 127], bl in [0, 16777216], "
                        "bl * 128 + th in [0, 2147483649]");
  WidthResult i32 = ProveWidth(map, 32, Signedness::kSigned);
  ASSERT_EQ(i32.verdict, Verdict::kRefuted);
  EXPECT_EQ(i32.overflow->point.dims[1], 16777216);
  EXPECT_EQ(i32.overflow->value, "2147483648");
  EXPECT_EQ(i32.overflow->machine, "-2147483648");
  EXPECT_EQ(ProveWidth(map, 64, Signedness::kSigned).verdict, Verdict::kProved);
  EXPECT_EQ(ProveWidth(map, 32, Signedness::kUnsigned).verdict, Verdict::kProved);
  EXPECT_EQ(FindNarrowestWidth(map, Signedness::kSigned).width, 33u);
  EXPECT_EQ(FindNarrowestWidth(map, Signedness::kUnsigned).width, 32u);
}

TEST(WidthTest, AnOverflowThatCancelsIsReportedAsSuch) {
  Context context;
  IndexingMap map =
      Map(context, "(d0, d1) -> (d0 + d1 + 100), domain: d0 in [27, 27], d1 in [-127, -127]");
  // -127 + 27 + 100 stays small; d0 * 4 - d0 * 4 + ... does not occur in a normal form.
  EXPECT_EQ(ProveWidth(map, 8, Signedness::kSigned).verdict, Verdict::kProved);
  IndexingMap through =
      Map(context, "(d0, d1) -> (d0 + d1 - 100), domain: d0 in [100, 100], d1 in [50, 50]");
  WidthResult answer = ProveWidth(through, 8, Signedness::kSigned);
  ASSERT_EQ(answer.verdict, Verdict::kRefuted);
  EXPECT_EQ(answer.overflow->value, "150");
  EXPECT_FALSE(answer.overflow->changes_results);
}

// The deciders know what intervals don't: d0 - d0 mod 8 never exceeds d0.
TEST(WidthTest, DecidersSettleWhatRangesDoNot) {
  Context context;
  IndexingMap map = Map(context, "(d0) -> (d0 - d0 mod 8), domain: d0 in [0, 255]");
  EXPECT_EQ(map.RangeOf(map.results()[0]), (Interval{-7, 255}));
  EXPECT_EQ(ProveWidth(map, 9, Signedness::kSigned).verdict, Verdict::kProved);
  WidthResult answer = ProveWidth(map, 8, Signedness::kSigned);
  EXPECT_EQ(answer.verdict, Verdict::kRefuted);
}

TEST(WidthTest, TheLimitsOfInt64) {
  Context context;
  IndexingMap edge = Map(context, "(d0) -> (d0 + 1), domain: d0 in [0, 9223372036854775806]");
  EXPECT_EQ(FindNarrowestWidth(edge, Signedness::kSigned).width, 64u);
  EXPECT_EQ(FindNarrowestWidth(edge, Signedness::kUnsigned).width, 63u);
  IndexingMap past = Map(context, "(d0) -> (d0 + 2), domain: d0 in [0, 9223372036854775806]");
  EXPECT_FALSE(FindNarrowestWidth(past, Signedness::kSigned).width);
  WidthResult answer = ProveWidth(past, 64, Signedness::kSigned);
  ASSERT_EQ(answer.verdict, Verdict::kRefuted);
  EXPECT_EQ(answer.overflow->value, "9223372036854775808");
  EXPECT_EQ(answer.overflow->machine, "-9223372036854775808");
  EXPECT_TRUE(answer.overflow->changes_results);
  EXPECT_EQ(FindNarrowestWidth(past, Signedness::kUnsigned).width, 64u);
}

TEST(WidthTest, EmptyAndUndefinedMaps) {
  Context context;
  EXPECT_EQ(ProveWidth(IndexingMap::KnownEmpty(context), 1, Signedness::kSigned).verdict,
            Verdict::kProved);
  EXPECT_EQ(ProveWidth(IndexingMap::Undefined(), 64, Signedness::kSigned).verdict,
            Verdict::kUnknown);
  IndexingMap constant = Map(context, "() -> (), domain:");
  EXPECT_EQ(FindNarrowestWidth(constant, Signedness::kSigned).width, 1u);
  // Bounds of a constraint must be representable too.
  IndexingMap bounds = Map(context, "(d0) -> (), domain: d0 in [0, 6], d0 * 2 in [0, 8]");
  EXPECT_EQ(FindNarrowestWidth(bounds, Signedness::kSigned).width, 5u);
}

}  // namespace
}  // namespace affirm
