// Tests of symbolic expressions and maps: worked examples, the normal form, text, and the limits of
// int64.
#include "core/symbolic/context.h"
#include "core/symbolic/image_path.h"
#include "core/symbolic/interval.h"
#include "core/symbolic/map.h"
#include "core/symbolic/text.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace affirm {
namespace {

class ExprTest : public testing::Test {
 protected:
  SymbolicExpr Parse(const std::string& text) {
    TextCursor cursor(text, "<test>");
    auto e = ParseExpr(cursor, context_, [&](llvm::StringRef name) -> SymbolicExpr {
      int64_t i;
      for (auto [prefix, kind] : {std::pair<const char*, VarKind>{"rt", VarKind::kRuntime},
                                  {"d", VarKind::kDim},
                                  {"s", VarKind::kRange}}) {
        llvm::StringRef rest = name;
        if (rest.consume_front(prefix) && !rest.getAsInteger(10, i)) {
          return context_.Variable(kind, i);
        }
      }
      return {};
    });
    if (!e) {
      error_ = llvm::toString(e.takeError());
      return {};
    }
    return *e;
  }

  Context context_;
  std::string error_;
};

TEST_F(ExprTest, WorkedExampleEvaluates) {
  SymbolicExpr v0 = context_.Dim(0), v1 = context_.Dim(1), c2 = context_.Constant(2);
  SymbolicExpr e = ((v0 + 42) * v1.Min(c2).Max(context_.Constant(0))).FloorDiv(2).CeilDiv(2);
  EXPECT_EQ(e.Evaluate({5, 1}).value, 12);
}

TEST_F(ExprTest, WorkedExampleCancels) {
  SymbolicExpr d0 = context_.Dim(0);
  EXPECT_EQ((d0 + 1) - 1, d0);
}

TEST_F(ExprTest, SumsHaveOneForm) {
  EXPECT_EQ(Parse("d1 + d0 + d1").ToString(), "d1 * 2 + d0");
  EXPECT_EQ(Parse("(d0 + 1) * 8 - 8").ToString(), "d0 * 8");
  EXPECT_EQ(Parse("d0 - d0"), context_.Constant(0));
  EXPECT_EQ(Parse("(d0 + s0) * (d0 - s0)"), Parse("d0 * d0 - s0 * s0"));
  EXPECT_EQ(Parse("max(d0, max(3, d1), 5)").ToString(), "max(d0, max(d1, 5))");
}

TEST_F(ExprTest, PrintsLikeXla) {
  for (const char* text :
       {"d0 * 2 + d1 floordiv 2", "d2 + (d1 mod 2) * 4", "d1 floordiv 4 + (d0 mod 2) * 2",
        "-d1 + 16", "d0 - rt0", "(d0 - 1) floordiv 2", "-d0 mod 2", "-(d0 mod 2)",
        "(d0 * 4) floordiv -3", "min(d0, s0 * -3 - 1)", "d0 * s0 * 3",
        "d0 * -9223372036854775808 - 9223372036854775807", "d0 ceildiv 3"}) {
    SymbolicExpr e = Parse(text);
    ASSERT_TRUE(e) << error_;
    EXPECT_EQ(e.ToString(), text);
  }
}

TEST_F(ExprTest, ReadsWhatXlaPrints) {
  EXPECT_EQ(Parse("s0 / 4 / 2").ToString(), "(s0 floordiv 4) floordiv 2");
  EXPECT_EQ(Parse("s0 * 128 % 715").ToString(), "(s0 * 128) mod 715");
  EXPECT_EQ(Parse("-(d0 / 3) * 2").ToString(), "(d0 floordiv 3) * -2");
}

TEST_F(ExprTest, ErrorsNameTheirLocation) {
  EXPECT_FALSE(Parse("d0 + d0 / 0"));
  EXPECT_EQ(error_, "<test>:1:11: error: division by zero; the divisor must be nonzero");
  EXPECT_FALSE(Parse("d0 mod -2"));
  EXPECT_FALSE(Parse("(d0"));
  EXPECT_EQ(error_, "<test>:1:4: error: expected ')' to close the parenthesis");
  EXPECT_FALSE(Parse("q"));
  EXPECT_FALSE(Parse("99999999999999999999"));
  EXPECT_FALSE(Parse(std::string(100'000, '(')));
  // Chains are nested although no brackets say so.
  for (const char* link : {" floordiv d1", " mod 7 * d0", " ceildiv (3 - d1)"}) {
    std::string chain = "d0";
    for (int i = 0; i < 100'000; ++i) chain += link;
    EXPECT_FALSE(Parse(chain)) << link;
    EXPECT_NE(error_.find("nested too deeply"), std::string::npos) << error_;
  }
}

// The largest constant factor may change when like terms join: then they may be like others.
TEST_F(ExprTest, LikeTermsPastTheLimitsJoin) {
  const std::string product = " * 12345432233332 * 22222222200064 * 111111111100012";
  const SymbolicExpr sum = Parse("11111111110011" + product + " + d0 + 11111111110012" + product);
  ASSERT_TRUE(sum);
  EXPECT_EQ(Parse(sum.ToString()), sum) << sum.ToString();
  EXPECT_EQ(Parse("22222222220023" + product + " + d0"), sum) << sum.ToString();
  const SymbolicExpr more = Parse(sum.ToString() + " - 11111111110012" + product);
  EXPECT_EQ(Parse(more.ToString()), more) << more.ToString();
}

TEST_F(ExprTest, NothingWrapsAtTheLimits) {
  SymbolicExpr max = context_.Constant(kInt64Max), d0 = context_.Dim(0);
  EXPECT_EQ((max + 1) - 1, max);
  EXPECT_EQ((max + max) - max, max);
  EXPECT_EQ((d0 * kInt64Max + d0 * kInt64Max) - d0 * kInt64Max, d0 * kInt64Max);
  EXPECT_EQ((max + 1).Evaluate({}).error, std::string("the value leaves int64"));
  EXPECT_EQ(((max + max) - max).Evaluate({}).value, kInt64Max);
  EXPECT_EQ((max * max).FloorDiv(max).Evaluate({}).value, kInt64Max);
  SymbolicExpr scaled = ((d0 + kInt64Max) * 3).FloorDiv(3);
  EXPECT_EQ(scaled.Evaluate({0}).value, kInt64Max);
  EXPECT_EQ(context_.Constant(kInt64Min).FloorDiv(-1).Evaluate({}).value, std::nullopt);
}

TEST_F(ExprTest, NullPropagates) {
  EXPECT_FALSE(context_.Dim(0).FloorDiv(0) + 1);
  EXPECT_FALSE(context_.Dim(0).Mod(0));
  EXPECT_FALSE(context_.Dim(0).Mod(-3));
  EXPECT_EQ((context_.Dim(0).FloorDiv(0) + 1).ToString(), "<null>");
}

TEST_F(ExprTest, SharedSubexpressionsDoNotExplode) {
  SymbolicExpr e = context_.Dim(0);
  for (int i = 0; i < 60; ++i) e = (e + 1).FloorDiv(2) + (e + 2).FloorDiv(3);
  EXPECT_TRUE(e.Evaluate({100}).value.has_value());
  EXPECT_TRUE(e.Uses(VarKind::kDim, 0));
  SymbolicExpr moved = e.Substitute([&](VarKind, int64_t) { return context_.Dim(1); });
  EXPECT_EQ(moved.Evaluate({0, 100}).value, e.Evaluate({100}).value);
}

TEST_F(ExprTest, MapReplacesDimsAndSymbols) {
  SymbolicExpr d0 = context_.Dim(0), d1 = context_.Dim(1), s0 = context_.Range(0),
               s1 = context_.Range(1), c2 = context_.Constant(2), c3 = context_.Constant(3);
  SymbolicMap map(2, 2, 0, {d0 + s0, d1 * s1});
  EXPECT_EQ(map.ToString(), "(d0, d1)[s0, s1] -> (d0 + s0, d1 * s1)");
  SymbolicMap replaced = map.ReplaceDimsAndSymbols({d1, c2}, {c3, d0}, 2, 2);
  EXPECT_EQ(replaced.result(0), d1 + 3);
  EXPECT_EQ(replaced.result(1), d0 * 2);
}

TEST_F(ExprTest, MapComposes) {
  SymbolicMap map1(2, 1, 0, {context_.Dim(0) + context_.Range(0), context_.Dim(1) * 2});
  SymbolicMap map2(1, 1, 0, {context_.Dim(0) - 10, context_.Dim(0) + context_.Range(0)});
  SymbolicMap composed = map1.Compose(map2);
  EXPECT_EQ(composed.num_dims(), 1);
  EXPECT_EQ(composed.num_symbols(), 2);
  EXPECT_EQ(composed.result(0), context_.Dim(0) - 10 + context_.Range(0));
  EXPECT_EQ(composed.result(1), (context_.Dim(0) + context_.Range(1)) * 2);
}

TEST_F(ExprTest, MapCompresses) {
  SymbolicMap map1(3, 1, 0, {context_.Dim(0) + context_.Dim(2), context_.Range(0) * 5});
  EXPECT_EQ(map1.CompressDims().ToString(), "(d0, d1)[s0] -> (d0 + d1, s0 * 5)");
  SymbolicMap map2(1, 3, 0, {context_.Dim(0) + context_.Range(2), context_.Range(0) * 5});
  EXPECT_EQ(map2.CompressSymbols().ToString(), "(d0)[s0, s1] -> (d0 + s1, s0 * 5)");
}

// Interval arithmetic holds every value of the operator, and is tight at the corners.
RC_GTEST_PROP(IntervalProperty, ContainsEveryValue, ()) {
  auto interval = [] {
    int64_t low = *rc::gen::inRange<int64_t>(-15, 15);
    return Interval{low, low + *rc::gen::inRange<int64_t>(0, 9)};
  };
  Interval a = interval(), b = interval();
  for (int64_t x = a.lower; x <= a.upper; ++x) {
    for (int64_t y = b.lower; y <= b.upper; ++y) {
      RC_ASSERT((a + b).Contains(x + y));
      RC_ASSERT((a - b).Contains(x - y));
      RC_ASSERT((a * b).Contains(x * y));
      RC_ASSERT(Min(a, b).Contains(std::min(x, y)));
      RC_ASSERT(Max(a, b).Contains(std::max(x, y)));
      if (y != 0) RC_ASSERT(FloorDiv(a, b).Contains(*CheckedFloorDiv(x, y)));
      if (y != 0) RC_ASSERT(CeilDiv(a, b).Contains(*CheckedCeilDiv(x, y)));
      if (y > 0) RC_ASSERT(Mod(a, b).Contains(*CheckedMod(x, y)));
    }
  }
}

TEST(IntervalTest, InfiniteEndsAreNotFiniteBounds) {
  Interval huge = Interval{kInt64Max - 1, kInt64Max - 1} * Interval{2, 2};
  EXPECT_FALSE(huge.HasUpper());
  EXPECT_FALSE(huge.IsPoint());
  EXPECT_FALSE(huge.Within({0, kInt64Max - 1}));
  EXPECT_TRUE(huge.Within({0, kInt64Max}));
  EXPECT_EQ(FloorDiv(Interval::All(), Interval{0, 3}), Interval::All());
  EXPECT_TRUE((Interval::Empty() + Interval{0, 3}).IsEmpty());
}

// tests/python/wheel.py tests a shared object.
TEST(ImagePathTest, ProgramIsItsOwnImage) { EXPECT_EQ(ImagePath(), "/proc/self/exe"); }

}  // namespace
}  // namespace affirm
