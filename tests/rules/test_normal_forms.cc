// Polynomials, exact evaluation and normal forms.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/symbolic/context.h"
#include "tests/rules/rule_files.h"
#include "verify/rules/evaluate.h"
#include "verify/rules/polynomial.h"
#include "verify/rules/polynomial_normal_forms.h"

namespace affirm::rules {
namespace {

Poly RandomPoly() {
  Poly p;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    Monomial m;
    for (int j = *rc::gen::inRange(0, 3); j > 0; --j) m.push_back(*rc::gen::inRange(0, 3));
    std::sort(m.begin(), m.end());
    p.Add(m, BigInt(*rc::gen::inRange(-5, 6)));
  }
  return p;
}

BigInt ValueOf(Poly p, llvm::ArrayRef<int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i) p = p.Substitute(static_cast<int>(i), Poly(values[i]));
  return p.AsConstant().value();
}

RC_GTEST_PROP(Polynomial, OperationsAreThoseOfValues, ()) {
  Poly a = RandomPoly(), b = RandomPoly();
  auto values = *rc::gen::container<std::vector<int64_t>>(3, rc::gen::inRange<int64_t>(-9, 10));
  RC_ASSERT(ValueOf(a + b, values) == ValueOf(a, values) + ValueOf(b, values));
  RC_ASSERT(ValueOf(a - b, values) == ValueOf(a, values) - ValueOf(b, values));
  RC_ASSERT(ValueOf(a * b, values) == ValueOf(a, values) * ValueOf(b, values));
  RC_ASSERT((a - a).IsZero());
}

RC_GTEST_PROP(Polynomial, TighteningKeepsTheSolutions, ()) {
  Poly p = RandomPoly() * Poly(*rc::gen::inRange(1, 5)) + Poly(*rc::gen::inRange(-7, 8));
  bool equality = *rc::gen::arbitrary<bool>();
  auto values = *rc::gen::container<std::vector<int64_t>>(3, rc::gen::inRange<int64_t>(-9, 10));
  // Mostly at the edge, where one too much or too little shows.
  if (*rc::gen::inRange(0, 4) > 0)
    p = p - Poly(ValueOf(p, values)) + Poly(*rc::gen::inRange(-2, 3));
  Poly tight = p;
  bool possible = tight.Tighten(equality);
  BigInt before = ValueOf(p, values), after = ValueOf(tight, values);
  bool held = equality ? before == 0 : before >= 0;
  RC_ASSERT(held == (possible && (equality ? after == 0 : after >= 0)));
}

// Powers past every machine integer are exact, and so are differences of them.
TEST(Polynomial, IsExactAtAnySize) {
  Poly big(int128{1} << 100), power(1);
  for (int i = 0; i < 20; ++i) power = power * (big + Poly::Variable(0));
  EXPECT_EQ(power.degree(), 20u);
  EXPECT_TRUE((power - power).IsZero());
  EXPECT_EQ((power.Substitute(0, Poly(1) - big)).AsConstant(), BigInt(1));
  EXPECT_EQ(ToDecimal(ToInt(int128{kInt64Min} * 10)), "-92233720368547758080");
  EXPECT_EQ(*(big * big - Poly(1)).AsConstant() + 1, *big.AsConstant() * *big.AsConstant());
}

TEST(Polynomial, LargeResultsAreRefusedNotCut) {
  Poly x = Poly::Variable(0), power(1);
  for (int i = 0; i < 12; ++i) power = power * x;
  EXPECT_EQ(power.SmallProduct(Poly(7)), power * Poly(7));
  EXPECT_EQ(power.SmallProduct(x), std::nullopt);
  EXPECT_EQ(power.SmallSubstitute(0, x * x), std::nullopt);
  EXPECT_EQ(power.SmallSubstitute(0, Poly(2))->AsConstant(), BigInt(4096));
}

TEST(Polynomial, Divisors) {
  EXPECT_EQ(Divisors({1, 2, 2}), (std::vector<Monomial>{Monomial{1}, Monomial{2}, Monomial{1, 2},
                                                        Monomial{2, 2}, Monomial{1, 2, 2}}));
  EXPECT_EQ(Quotient({1, 2, 2}, {2}), (Monomial{1, 2}));
  EXPECT_EQ(Quotient({1, 2}, {2, 2}), std::nullopt);
}

Term TermOf(const std::string& text, std::vector<Metavariable>* metavariables = nullptr) {
  Rule rule = Parse("rule r: x => " + text + " why w")[0];
  if (metavariables) *metavariables = rule.metavariables;
  return rule.rhs;
}

TEST(Evaluate, Constants) {
  auto value = [](const std::string& text) { return Evaluate(TermOf(text), {0}); };
  EXPECT_EQ(value("(-7) floordiv 2").value, -4);
  EXPECT_EQ(value("(-7) ceildiv 2").value, -3);
  EXPECT_EQ(value("7 floordiv (-2)").value, -4);
  EXPECT_EQ(value("(-7) mod 4").value, 1);
  EXPECT_EQ(value("gcd(0, 0)").value, 0);
  EXPECT_EQ(value("gcd(-12, 18)").value, 6);
  EXPECT_EQ(value("lcm(-4, 6)").value, 12);
  EXPECT_EQ(value("abs(-3) + max(1, 5, 2) * min(4, 2)").value, 13);
  EXPECT_EQ(value("1 floordiv 0").state, TermValue::kUndefined);
  EXPECT_EQ(value("1 mod (-3)").state, TermValue::kUndefined);
}

TEST(Evaluate, TooLargeIsNoticed) {
  Term power = TermOf("y * y * y");
  EXPECT_EQ(Evaluate(power, {0, kInt64Max}).state, TermValue::kTooLarge);
  EXPECT_EQ(ToDecimal(int128{kInt64Min} * 10), "-92233720368547758080");
}

// Random expressions over d0, d1 and s0.
SymbolicExpr RandomExpr(Context& context, int depth) {
  int kind = *rc::gen::inRange(0, depth == 0 ? 4 : 9);
  auto operand = [&] { return RandomExpr(context, depth - 1); };
  switch (kind) {
    case 0:
      return context.Constant(*rc::gen::inRange(-9, 10));
    case 1:
    case 2:
      return context.Dim(kind - 1);
    case 3:
      return context.Range(0);
    case 4:
      return operand() + operand();
    case 5:
      return operand() * *rc::gen::inRange<int64_t>(-4, 5);
    case 6:
      return operand().FloorDiv(*rc::gen::inRange<int64_t>(1, 5));
    case 7:
      return operand().Mod(*rc::gen::inRange<int64_t>(1, 5));
    default:
      return *rc::gen::arbitrary<bool>() ? operand().Min(operand()) : operand().Max(operand());
  }
}

// The normal form of a rule's term under bindings is that of the expression built from the same
// parts.
RC_GTEST_PROP(PolynomialNormalForms, OfTermsAndOfExpressionsAgree, ()) {
  Context context;
  SymbolicExpr x = RandomExpr(context, 3), y = RandomExpr(context, 2);
  std::vector<Metavariable> metavariables;
  Term term = TermOf("(c * x + y) floordiv 3 - min(x, y + c) * 2 + (y - x) mod 5", &metavariables);
  int64_t c = *rc::gen::inRange(-4, 5);
  SymbolicExpr built = (x * c + y).FloorDiv(3) - x.Min(y + c) * 2 + (y - x).Mod(5);
  std::vector<Binding> bindings;
  for (const Metavariable& metavariable : metavariables) {
    Binding b;
    b.bound = true;
    if (metavariable.is_expr)
      b.expr = metavariable.name == "x" ? x : y;
    else
      b.constant = c;
    bindings.push_back(b);
  }
  PolynomialNormalForms forms;
  auto of_term = forms.Of(term, bindings), of_built = forms.Of(built);
  RC_ASSERT(of_term.has_value());
  RC_ASSERT(of_term == of_built);
}

// Equal forms mean equal values.
RC_GTEST_PROP(PolynomialNormalForms, AreSound, ()) {
  Context context;
  SymbolicExpr a = RandomExpr(context, 3), b = RandomExpr(context, 3);
  PolynomialNormalForms forms;
  auto of_a = forms.Of(a), of_b = forms.Of(b);
  RC_ASSERT(of_a && of_b);
  auto difference = (*of_a - *of_b).AsConstant();
  RC_PRE(difference.has_value());
  int64_t d0 = *rc::gen::inRange(-20, 21), d1 = *rc::gen::inRange(-20, 21),
          s0 = *rc::gen::inRange(-20, 21);
  auto va = a.Evaluate({d0, d1}, {s0}), vb = b.Evaluate({d0, d1}, {s0});
  RC_PRE(va.value && vb.value);
  RC_ASSERT(*va.value - *vb.value == *difference);
}

}  // namespace
}  // namespace affirm::rules
