// The normal form means what the term means: at every point, with every atom computed from its
// definition.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/symbolic/context.h"
#include "tests/decide/random_terms.h"
#include "verify/decide/evaluate.h"
#include "verify/decide/normal_form.h"

namespace affirm {
namespace {

BigInt ValueOf(const LinearForm& form, const std::vector<BigInt>& atoms) {
  BigInt sum = form.constant;
  for (const LinearForm::Term& t : form.terms) sum += t.coefficient * atoms[t.atom];
  return sum;
}

BigInt ValueOf(const NormalForm::Atom& atom, const std::vector<BigInt>& atoms,
               llvm::ArrayRef<int64_t> point) {
  using Kind = NormalForm::AtomKind;
  std::vector<BigInt> operands;
  for (const LinearForm& f : atom.operands) operands.push_back(ValueOf(f, atoms));
  switch (atom.kind) {
    case Kind::kVariable:
      return BigInt(point[atom.variable]);
    case Kind::kQuotient:
      return floorDiv(operands[0], atom.divisor);
    case Kind::kFormQuotient:
    case Kind::kModQuotient:
      return operands[1] < 0 ? floorDiv(-operands[0], -operands[1])
                             : floorDiv(operands[0], operands[1]);
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

void CheckMeaning(const TermStyle& style, int64_t spread) {
  Context context;
  int64_t count = Pick(1, 3);
  std::vector<Interval> bounds = RandomBounds(count);
  for (Interval& b : bounds) b.upper = std::max(b.lower, b.upper) * spread + 1;
  for (Interval& b : bounds) b.lower = b.lower < 0 ? b.lower * spread : b.lower;
  SymbolicExpr e = RandomTerm(context, Variables(context, count), 5, style);
  NormalForm normal(bounds);
  const LinearForm* form = normal.Lower(e);
  RC_ASSERT(form != nullptr);
  for (int sample = 0; sample < 40; ++sample) {
    std::vector<int64_t> point;
    for (Interval b : bounds) point.push_back(Pick(b.lower, b.upper));
    std::vector<BigInt> atoms;
    for (const NormalForm::Atom& atom : normal.atoms()) {
      atoms.push_back(ValueOf(atom, atoms, point));
      RC_ASSERT(Contains(atom.bounds, atoms.back()));
    }
    std::optional<BigInt> want = EvaluateTerm(e, point);
    RC_ASSERT(want.has_value());
    RC_ASSERT(*want == ValueOf(*form, atoms));
    RC_ASSERT(Contains(normal.Bounds(*form), *want));
  }
}

RC_GTEST_PROP(NormalForm, KeepsTheValue, ()) { CheckMeaning({}, 1); }
RC_GTEST_PROP(NormalForm, KeepsTheValueOfProducts, ()) {
  CheckMeaning({.products = true, .form_divisors = true}, 3);
}
RC_GTEST_PROP(NormalForm, KeepsTheValueOfLargeTerms, ()) {
  CheckMeaning({.max_constant = 60}, 1000);
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
  RC_ASSERT(*EvaluateTerm(e, point) == BigInt(*value.value));
}

TEST(NormalForm, ReshapeChainsCancel) {
  Context context;
  SymbolicExpr d0 = context.Dim(0), d1 = context.Dim(1), d2 = context.Dim(2);
  std::vector<Interval> bounds = {{0, 47}, {0, 63}, {0, 71}};
  SymbolicExpr y = d0 * 4608 + d1 * 72 + d2;
  SymbolicExpr z = y.FloorDiv(4608) * 4608 + y.FloorDiv(12).Mod(384) * 12 + y.Mod(12);
  NormalForm normal(bounds);
  LinearForm a = *normal.Lower(y);
  EXPECT_TRUE(a == *normal.Lower(z));
  LinearForm b = *normal.Lower(y.FloorDiv(9216));
  EXPECT_TRUE(b == *normal.Lower(z.FloorDiv(9216)));
}

}  // namespace
}  // namespace affirm
