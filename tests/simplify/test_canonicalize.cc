// Expressions and maps without a domain: the examples of XLA's page on symbolic expressions, under
// its titles, and what canonical forms keep.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/indexing/map_text.h"
#include "core/simplify/canonicalize.h"
#include "core/symbolic/text.h"
#include "tests/decide/random_terms.h"

namespace affirm {
namespace {

SymbolicExpr VariableNamed(Context& context, llvm::StringRef name) {
  int64_t index = 0;
  bool is_dim = name.consume_front("d");
  if ((!is_dim && !name.consume_front("s")) || name.getAsInteger(10, index)) return {};
  return context.Variable(is_dim ? VarKind::kDim : VarKind::kRange, index);
}

SymbolicExpr Read(Context& context, llvm::StringRef text) {
  TextCursor cursor(text, "test");
  auto e = ParseExpr(cursor, context,
                     [&](llvm::StringRef name) { return VariableNamed(context, name); });
  EXPECT_TRUE(static_cast<bool>(e)) << llvm::toString(e.takeError());
  return *e;
}

std::string Canonical(llvm::StringRef text) {
  Context context;
  return Canonicalize(Read(context, text)).ToString();
}

TEST(SymbolicExpr, ExampleUsage) {
  Context context;
  SymbolicExpr v0 = CreateSymbolicVariable(0, context);
  SymbolicExpr v1 = CreateSymbolicVariable(1, context);
  SymbolicExpr expr = (((v0 + 42) * v1.min(2).max(0)) / 2).ceilDiv(2);
  EXPECT_EQ(expr.Evaluate({5, 1}).value, 12);
}

TEST(SymbolicExpr, ExampleOfASymbolicExpr) {
  EXPECT_EQ(Canonical("d0 + s0 * 8"), "s0 * 8 + d0");
  EXPECT_EQ(Canonical("d0 + 8s0"), "s0 * 8 + d0");
}

TEST(SymbolicExpr, SupportedTypes) {
  Context context;
  SymbolicExpr v0 = CreateSymbolicVariable(0, context), v1 = CreateSymbolicVariable(1, context);
  EXPECT_EQ((v0 % 3).Evaluate({-1}).value, 2);
  EXPECT_EQ((v0 / 3).Evaluate({-1}).value, -1);
  EXPECT_EQ((v0 % v1).Evaluate({7, 4}).value, 3);
  EXPECT_EQ(v0.floorDiv(v1), v0 / v1);
  EXPECT_EQ(Read(context, "d0 floorDiv 2"), v0.floorDiv(2));
  EXPECT_EQ(Read(context, "d0 ceilDiv d1"), v0.ceilDiv(v1));
  EXPECT_EQ(Read(context, "100d0 mod 7"), (v0 * 100) % 7);
  EXPECT_FALSE(v0 / 0);
  EXPECT_FALSE(v0 % 0);
  EXPECT_FALSE((v0 % -3).min(1));
}

TEST(SymbolicExpr, Immutability) {
  Context context;
  EXPECT_EQ(CreateSymbolicVariable(0, context) + 1,
            CreateSymbolicConstant(1, context) + CreateSymbolicVariable(0, context));
}

TEST(SymbolicExpr, Canonicalization) {
  EXPECT_EQ(Canonical("(d0 + 1) - 1"), "d0");
  EXPECT_EQ(Canonical("d0 floordiv 1"), "d0");
  EXPECT_EQ(Canonical("d0 ceildiv 1"), "d0");
  EXPECT_EQ(Canonical("d0 mod 1"), "0");
  EXPECT_EQ(Canonical("(d0 * 4) floordiv 2"), "d0 * 2");
  EXPECT_EQ(Canonical("(d0 * 4) mod 2"), "0");
  EXPECT_EQ(Canonical("(d0 * 4 + 1) floordiv 2"), "d0 * 2");
  EXPECT_EQ(Canonical("(d0 floordiv 2) floordiv 3"), "d0 floordiv 6");
  EXPECT_EQ(Canonical("(d0 + d1) * 2 - d1 * 2"), "d0 * 2");
  EXPECT_EQ(Canonical("d0 mod 8 floordiv 8"), "0");
}

TEST(SymbolicExpr, CanonicalizationOfMinimumAndMaximum) {
  EXPECT_EQ(Canonical("max(min(d0, 5), 7)"), "7");
  EXPECT_EQ(Canonical("min(max(d0, 7), 5)"), "5");
  EXPECT_EQ(Canonical("max(min(d0, 5), 5)"), "5");
  EXPECT_EQ(Canonical("min(min(d0, 5), 3)"), "min(d0, 3)");
  EXPECT_EQ(Canonical("max(d0, 0)"), "max(d0, 0)");
  EXPECT_EQ(Canonical("min(d0, d0 + 1)"), "d0");
  EXPECT_EQ(Canonical("max(d0, d0 + 1, d1)"), "max(d1, d0 + 1)");
  EXPECT_EQ(Canonical("max(d0, min(d0, d1))"), "d0");
  EXPECT_EQ(Canonical("min(d0, max(d0, d1))"), "d0");
  EXPECT_EQ(Canonical("max(d0, d1, min(d0, d2))"), "max(d0, d1)");
  EXPECT_EQ(Canonical("min(d0, d1, max(d0, d2))"), "min(d0, d1)");
}

RC_GTEST_PROP(CanonicalizeTest, ValuesAreKeptAndTwiceChangesNothing, ()) {
  Context context;
  std::vector<SymbolicExpr> variables;
  for (int64_t k = 0; k < 4; ++k) variables.push_back(CreateSymbolicVariable(k, context));
  SymbolicExpr e = RandomTerm(context, variables, 4, {.products = true});
  SymbolicExpr canonical = Canonicalize(e);
  RC_LOG() << e.ToString() << " => " << canonical.ToString() << "\n";
  RC_ASSERT(Canonicalize(canonical) == canonical);
  for (int k = 0; k < 40; ++k) {
    std::vector<int64_t> at = {Pick(-30, 30), Pick(-30, 30), Pick(-30, 30), Pick(-30, 30)};
    auto value = e.Evaluate(at).value;
    if (value) RC_ASSERT(canonical.Evaluate(at).value == value);
  }
}

TEST(SymbolicMap, ExampleUsage) {
  Context context;
  SymbolicExpr v[4];
  for (int64_t k = 0; k < 4; ++k) v[k] = CreateSymbolicVariable(k, context);
  auto map = SymbolicMap::Get(context, 2, 2, {v[0] + v[2], v[1] * v[3]});
  ASSERT_TRUE(static_cast<bool>(map));
  EXPECT_EQ(map->ToString(), "(d0, d1)[s0, s1] -> (d0 + s0, d1 * s1)");
  EXPECT_EQ(map->GetNumDims(), 2);
  EXPECT_EQ(map->GetNumSymbols(), 2);
  EXPECT_EQ(map->GetNumResults(), 2);
  EXPECT_EQ(map->GetResults()[1].ToString(), "d1 * s1");
}

// The example as it stands has one symbol, and uses two: such a map is refused.
TEST(SymbolicMap, MalformedMapsAreRefused) {
  Context context, other;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1), s0 = context.Range(0),
               s1 = context.Range(1);
  auto refusal = [&](int64_t dims, int64_t symbols, llvm::ArrayRef<SymbolicExpr> results) {
    auto map = SymbolicMap::Get(context, dims, symbols, results);
    return map ? "" : llvm::toString(map.takeError());
  };
  EXPECT_EQ(refusal(2, 2, {d0 + s0, d1 * s1}), "");
  EXPECT_EQ(refusal(2, 1, {d0 + s0, d1 * s1}),
            "result 1, d1 * s1, uses s1, which a map of 2 dims and 1 symbols does not have");
  EXPECT_EQ(refusal(1, 0, {d1}),
            "result 0, d1, uses d1, which a map of 1 dims and 0 symbols does "
            "not have");
  EXPECT_EQ(refusal(1, 0, {d0, d0 / 0}), "result 1 is no expression");
  EXPECT_EQ(refusal(1, 0, {other.Dim(0)}), "result 0 is of another context");
  EXPECT_NE(refusal(1, 1, {context.Runtime(0)}), "");
  EXPECT_NE(refusal(1, 1, {context.Dim(-1)}), "");
  EXPECT_NE(refusal(-1, 1, {}), "");
}

TEST(SymbolicMap, VariableSubstitution) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  SymbolicExpr c2 = CreateSymbolicConstant(2, context), c3 = CreateSymbolicConstant(3, context);
  auto map = ParseSymbolicMap("(d0, d1)[s0, s1] -> (d0 + s0, d1 * s1)", context);
  ASSERT_TRUE(static_cast<bool>(map));
  SymbolicMap replaced = map->ReplaceDimsAndSymbols({d1, c2}, {c3, d0}, 2, 2);
  EXPECT_EQ(replaced.ToString(), "(d0, d1)[s0, s1] -> (d1 + 3, d0 * 2)");
}

TEST(SymbolicMap, Composition) {
  Context context;
  auto map1 = ParseSymbolicMap("(d0, d1)[s0] -> (d0 + s0, d1 * 2)", context);
  auto map2 = ParseSymbolicMap("(d0)[s0] -> (d0 - 10, d0 + s0)", context);
  ASSERT_TRUE(map1 && map2);
  EXPECT_EQ(map1->Compose(*map2).ToString(), "(d0)[s0, s1] -> (d0 + s0 - 10, d0 * 2 + s1 * 2)");
}

TEST(SymbolicMap, Optimization) {
  Context context;
  auto map1 = ParseSymbolicMap("(d0, d1, d2)[s0] -> (d0 + d2, s0 * 5)", context);
  auto map2 = ParseSymbolicMap("(d0)[s0, s1, s2] -> (d0 + s2, s0 * 5)", context);
  ASSERT_TRUE(map1 && map2);
  EXPECT_EQ(map1->CompressDims().ToString(), "(d0, d1)[s0] -> (d0 + d1, s0 * 5)");
  EXPECT_EQ(map2->CompressSymbols().ToString(), "(d0)[s0, s1] -> (d0 + s1, s0 * 5)");
}

TEST(SymbolicMap, CanonicalResults) {
  Context context;
  auto map = ParseSymbolicMap("(x, y)[z] -> (4x floorDiv 2, max(min(y, 5), 7), z mod 1)", context);
  ASSERT_TRUE(static_cast<bool>(map));
  EXPECT_EQ(Canonicalize(context, *map).ToString(), "(d0, d1)[s0] -> (d0 * 2, 7, 0)");
}

}  // namespace
}  // namespace affirm
