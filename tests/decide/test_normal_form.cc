// The normal form means what the term means: at every point, with every atom computed from its
// definition.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "core/symbolic/context.h"
#include "tests/decide/random_terms.h"
#include "verify/decide/evaluate.h"
#include "verify/decide/linear_normal_form.h"

namespace affirm {
namespace {

BigInt ValueOf(const LinearForm& form, const std::vector<BigInt>& atoms) {
  BigInt sum = form.constant;
  for (const LinearForm::Term& t : form.terms) sum += t.coefficient * atoms[t.atom];
  return sum;
}

// A value for quotients and residues that have none: any function of the operands will do.
BigInt Anything(const BigInt& a, const BigInt& b) {
  return (a * 7919 + b * 104729 + 13) * (a - b * 3 + 5);
}

BigInt Quotient(const BigInt& a, const BigInt& b) {
  if (b == 0) return Anything(a, b);
  return b < 0 ? floorDiv(-a, -b) : floorDiv(a, b);
}

BigInt Residue(const BigInt& a, const BigInt& b) {
  return b > 0 ? a - floorDiv(a, b) * b : Anything(a + 1, b);
}

// The value of a term, where Anything gives values to parts that have none.
BigInt ValueOf(SymbolicExpr e, llvm::ArrayRef<int64_t> point) {
  std::vector<BigInt> ops;
  for (SymbolicExpr op : e.ops()) ops.push_back(ValueOf(op, point));
  switch (e.kind()) {
    case ExprKind::kFloorDiv:
      return Quotient(ops[0], ops[1]);
    case ExprKind::kCeilDiv:
      return -Quotient(-ops[0], ops[1]);
    case ExprKind::kMod:
      return Residue(ops[0], ops[1]);
    case ExprKind::kMin:
      return *std::min_element(ops.begin(), ops.end());
    case ExprKind::kMax:
      return *std::max_element(ops.begin(), ops.end());
    case ExprKind::kAdd:
      return std::accumulate(ops.begin(), ops.end(), BigInt(e.value()));
    case ExprKind::kMul: {
      BigInt product(e.value());
      for (const BigInt& v : ops) product *= v;
      return product;
    }
    case ExprKind::kConstant:
      return BigInt(e.value());
    case ExprKind::kVariable:
      break;
  }
  return BigInt(point[e.value()]);
}

BigInt ValueOf(const LinearNormalForm::Atom& atom, const std::vector<BigInt>& atoms,
               llvm::ArrayRef<int64_t> point) {
  using Kind = LinearNormalForm::AtomKind;
  std::vector<BigInt> operands;
  for (const LinearForm& f : atom.operands) operands.push_back(ValueOf(f, atoms));
  switch (atom.kind) {
    case Kind::kVariable:
      return BigInt(point[atom.variable]);
    case Kind::kQuotient:
      return floorDiv(operands[0], atom.divisor);
    case Kind::kFormQuotient:
      return Quotient(operands[0], operands[1]);
    case Kind::kFormResidue:
      RC_ASSERT((operands[1] <= 0 || operands[2] == Quotient(operands[0], operands[1])));
      return Residue(operands[0], operands[1]);
    case Kind::kProduct: {
      BigInt product(1);
      for (uint32_t f : atom.factors) product *= atoms[f];
      return product;
    }
    case Kind::kMin:
      return *std::min_element(operands.begin(), operands.end());
    case Kind::kMax:
      return *std::max_element(operands.begin(), operands.end());
  }
  return BigInt(0);
}

bool Contains(const BigInterval& i, const BigInt& v) {
  return (!i.lower || *i.lower <= v) && (!i.upper || v <= *i.upper);
}

void CheckValues(const TermStyle& style, int64_t spread) {
  Context context;
  int64_t count = Pick(style.last_divides ? 2 : 1, 3);
  std::vector<Interval> bounds = RandomBounds(count);
  for (Interval& b : bounds) b.upper = std::max(b.lower, b.upper) * spread + 1;
  for (Interval& b : bounds) b.lower = b.lower < 0 ? b.lower * spread : b.lower;
  if (style.last_divides) bounds.back() = {1, Pick(1, 9)};
  SymbolicExpr e = RandomTerm(context, Variables(context, count), 5, style);
  LinearNormalForm normal(bounds);
  const LinearForm* form = normal.Lower(e);
  RC_ASSERT(form != nullptr);
  for (int sample = 0; sample < 40; ++sample) {
    std::vector<int64_t> point;
    for (Interval b : bounds) point.push_back(Pick(b.lower, b.upper));
    std::vector<BigInt> atoms;
    for (const LinearNormalForm::Atom& atom : normal.atoms()) {
      atoms.push_back(ValueOf(atom, atoms, point));
      RC_ASSERT(Contains(atom.bounds, atoms.back()));
    }
    std::optional<BigInt> exact = EvaluateTerm(e, point);
    RC_ASSERT(exact.has_value() || style.any_divisors);
    BigInt want = ValueOf(e, point);
    RC_ASSERT((!exact || *exact == want));
    RC_ASSERT((want == ValueOf(*form, atoms)));
    RC_ASSERT(Contains(normal.Bounds(*form), want));
  }
}

RC_GTEST_PROP(LinearNormalForm, KeepsTheValue, ()) { CheckValues({}, 1); }
RC_GTEST_PROP(LinearNormalForm, KeepsTheValueOfProducts, ()) {
  CheckValues({.products = true, .form_divisors = true}, 3);
}
RC_GTEST_PROP(LinearNormalForm, KeepsTheValueOfQuotientsByVariables, ()) {
  CheckValues({.products = true, .form_divisors = true, .last_divides = true}, 3);
}
RC_GTEST_PROP(LinearNormalForm, KeepsTheValueOfLargeTerms, ()) {
  CheckValues({.max_constant = 60}, 1000);
}

// Nothing is assumed about a quotient by 0: the form has the value of the term whatever it is.
RC_GTEST_PROP(LinearNormalForm, AssumesNothingAboutQuotientsByZero, ()) {
  CheckValues({.products = true, .any_divisors = true, .max_constant = 4}, 1);
}

TEST(LinearNormalForm, ProductsOfADivisorThatMayBeZeroStay) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1);
  for (Interval divisor : {Interval{0, 3}, Interval{-2, 2}, Interval{-3, 0}, Interval{0, 0}}) {
    std::vector<Interval> bounds = {{0, 3}, divisor};
    LinearNormalForm normal(bounds);
    for (SymbolicExpr e : {(d0 * d1).FloorDiv(d1), (d0 * d1 * 6).FloorDiv(d1 * 2),
                           (d0 * d1 * d1).CeilDiv(d1), (d1 * 0).FloorDiv(d1)}) {
      LinearForm form = *normal.Lower(e);
      EXPECT_FALSE(form == *normal.Lower(d0)) << e.ToString();
      EXPECT_FALSE(form.IsConstant()) << e.ToString();
    }
    for (SymbolicExpr e : {(d0 * d1).Mod(d1), (d0 * d1 * 2).Mod(d1 * 2), d0.Mod(d1)}) {
      LinearForm form = *normal.Lower(e);
      EXPECT_FALSE(form.IsConstant()) << e.ToString();
      EXPECT_FALSE(normal.Bounds(form).lower.has_value()) << e.ToString();
    }
  }
  for (Interval divisor : {Interval{1, 3}, Interval{-3, -1}}) {
    std::vector<Interval> bounds = {{0, 3}, divisor};
    LinearNormalForm normal(bounds);
    LinearForm form = *normal.Lower((d0 * d1).FloorDiv(d1));
    EXPECT_TRUE(form == *normal.Lower(d0));
  }
}

// Rules of core/simplify/rules whose constants are variables: parameters of a map.
TEST(LinearNormalForm, QuotientsByVariablesHaveOneForm) {
  Context context;
  SymbolicExpr x = context.Dim(0), y = context.Dim(1), a = context.Dim(2), b = context.Dim(3);
  const Interval positive{1, kInt64Max};
  std::vector<Interval> bounds = {Interval::All(), {0, 0x7fff}, positive, positive};
  const std::pair<SymbolicExpr, SymbolicExpr> kEqual[] = {
      {(a * x + y).FloorDiv(a), x + y.FloorDiv(a)},                    // floordiv.split
      {x.FloorDiv(a).FloorDiv(b), x.FloorDiv(a * b)},                  // floordiv.floordiv
      {x.FloorDiv(a).FloorDiv(4), x.FloorDiv(4).FloorDiv(a)},          //
      {(x + y.FloorDiv(a)).FloorDiv(b), (a * x + y).FloorDiv(a * b)},  // inner_floordiv
      {(a * x).FloorDiv(a * b), x.FloorDiv(b)},                        // common_factor
      {x.Mod(a * b).FloorDiv(a), x.FloorDiv(a).Mod(b)},                // floordiv.of_mod
      {x.CeilDiv(a), (x + a - 1).FloorDiv(a)},                         // ceildiv.positive
      {(-x).FloorDiv(a), -x.CeilDiv(a)},                               //
      {(a * x + y).Mod(a), y.Mod(a)},                                  // mod.split
      {x.Mod(a * b).Mod(a), x.Mod(a)},                                 // mod.inner_mod
      {a * x.FloorDiv(a) + x.Mod(a), x},                               // sum.recombine
      {x.Mod(a) + a * x.FloorDiv(a).Mod(b), x.Mod(a * b)},             // sum.join_digits
      {(y - y.Mod(a)).FloorDiv(a), y.FloorDiv(a)},
  };
  for (const auto& [lhs, rhs] : kEqual) {
    LinearNormalForm normal(bounds);
    LinearForm l = *normal.Lower(lhs), r = *normal.Lower(rhs);
    EXPECT_TRUE(l == r) << lhs.ToString() << " and " << rhs.ToString();
  }
  // A divisor may be negative: with x = 1 and a = b = -1, the first two pairs differ, although they
  // are equal for positive divisors.
  bounds[3] = {-1, kInt64Max};
  const std::pair<SymbolicExpr, SymbolicExpr> kOpen[] = {
      {x.FloorDiv(a).FloorDiv(b), x.FloorDiv(a * b)},
      {x.CeilDiv(b), (x + b - 1).FloorDiv(b)},
      {(b * x).FloorDiv(a * b), x.FloorDiv(a)},
  };
  for (const auto& [lhs, rhs] : kOpen) {
    LinearNormalForm normal(bounds);
    LinearForm l = *normal.Lower(lhs), r = *normal.Lower(rhs);
    EXPECT_FALSE(l == r) << lhs.ToString() << " and " << rhs.ToString();
  }
}

// The value of a term by EvaluateTerm agrees with the expression's own evaluation wherever that has
// one.
RC_GTEST_PROP(Evaluate, AgreesWithTheExpression, ()) {
  Context context;
  int64_t count = Pick(1, 3);
  SymbolicExpr e =
      RandomTerm(context, Variables(context, count), 4, {.products = true, .form_divisors = true});
  std::vector<int64_t> point;
  for (int64_t i = 0; i < count; ++i) point.push_back(Pick(-40, 40));
  SymbolicExpr::Value value = e.Evaluate(point);
  RC_PRE(value.value.has_value());
  RC_ASSERT((*EvaluateTerm(e, point) == BigInt(*value.value)));
}

TEST(LinearNormalForm, ReshapeChainsCancel) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1), d2 = context.Dim(2);
  std::vector<Interval> bounds = {{0, 47}, {0, 63}, {0, 71}};
  SymbolicExpr y = d0 * 4608 + d1 * 72 + d2;
  SymbolicExpr z = y.FloorDiv(4608) * 4608 + y.FloorDiv(12).Mod(384) * 12 + y.Mod(12);
  LinearNormalForm normal(bounds);
  LinearForm a = *normal.Lower(y);
  EXPECT_TRUE(a == *normal.Lower(z));
  LinearForm b = *normal.Lower(y.FloorDiv(9216));
  EXPECT_TRUE(b == *normal.Lower(z.FloorDiv(9216)));
}

}  // namespace
}  // namespace affirm
