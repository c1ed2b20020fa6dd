// Theorems of comparisons: the terms that they state, their facts and their oracles.
#include <gtest/gtest.h>

#include "verify/compare/same_value.h"
#include "verify/terms/query.h"

namespace affirm::compare {
namespace {

using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kF32 = PrimitiveType::kF32;

// A theorem says which terms are equal, and under which facts.
TEST(Settled, ByTheTheoremThatWasAskedFor) {
  Pool pool;
  Scope scope(pool);
  const Term i = pool.Variable("i", {0, 9}), j = pool.Variable("j", {0, 9});
  const Term x = pool.Load(0, i, kF32), y = pool.Load(0, j, kF32);
  const size_t saved = scope.Save();
  ASSERT_TRUE(scope.Assume(pool.Equal(i, j)));
  const SameValue::Proof same = SameValue(scope, {}).Prove(x, y);
  EXPECT_TRUE(Settles(same, scope, x, y));
  EXPECT_FALSE(Settles(same, scope, y, x));
  EXPECT_FALSE(Settles(same, scope, x, x));
  EXPECT_FALSE(Settles(std::nullopt, scope, x, y));
  scope.Restore(saved);
  EXPECT_FALSE(Settles(same, scope, x, y)) << "they are one where i = j";
  logic::Inference infer(scope);
  const auto elements = infer.Believe(logic::Oracles::One(logic::Oracle::kElements), {}, x, y,
                                      logic::Equality::kBits);
  EXPECT_FALSE(Settles(elements, scope, x, y)) << "equal but for signs of zeros";
}

// Both cases are proved, and the theorem has neither condition.
TEST(Settled, AfterACaseDistinction) {
  Pool pool;
  Scope scope(pool);
  const Term i = pool.Variable("i", {0, 9});
  const Term small = pool.AtLeast(pool.Number(4), i);
  auto at = [&](Term place) { return pool.Load(0, place, kF32); };
  const Term other = pool.Add(i, pool.Number(1));
  const Term chosen = pool.Select(small, at(i), at(other));
  const Term place = at(pool.PickAtom(small, i, other));
  const SameValue::Proof same = SameValue(scope, {}).Prove(chosen, place);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->facts().conditions().empty());
  EXPECT_TRUE(Settles(same, scope, chosen, place));
  const Term beyond = at(pool.PickAtom(small, i, pool.Add(i, pool.Number(2))));
  EXPECT_FALSE(SameValue(scope, {}).Prove(chosen, beyond));
}

// A sum names what its summands rest on.
TEST(Settled, WithTheOraclesOfAllParts) {
  Pool pool;
  Scope scope(pool);
  const Term d = pool.Variable("d", {0, 1});
  auto x = [&](Term at) { return pool.Load(0, at, kF32); };
  auto rsqrt = [&](Term value) { return pool.Apply(Op::kRsqrt, kF32, {value}); };
  const Term one = pool.Literal(kF32, 0x3F800000);
  auto by_division = [&](Term value) {
    return pool.Apply(Op::kDivide, kF32, {one, pool.Apply(Op::kSqrt, kF32, {value})});
  };
  const Term hlo = pool.Fold(Op::kAdd, pool.True(), rsqrt(x(d)), {d});
  const Term kernel =
      pool.Apply(Op::kAdd, kF32, {by_division(x(pool.Number(0))), by_division(x(pool.Number(1)))});
  logic::OracleTally tally;
  SameValueOptions options;
  options.tally = &tally;
  const SameValue::Proof same = SameValue(scope, options).Prove(kernel, hlo);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->oracles().Has(logic::Oracle::kFolds));
  EXPECT_EQ(tally.Text(), "definitions 1, folds 1");
  // By rules alone.
  const SameValue::Proof by_operands = SameValue(scope, options).Prove(rsqrt(x(d)), rsqrt(x(d)));
  ASSERT_TRUE(by_operands);
  EXPECT_TRUE(by_operands->oracles().empty());
  EXPECT_EQ(tally.Text(), "definitions 1, folds 1");
}

}  // namespace
}  // namespace affirm::compare
