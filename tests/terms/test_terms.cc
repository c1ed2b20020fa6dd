// Terms mean what was asked for, whatever form they take: against direct evaluation.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/terms/range.h"
#include "verify/terms/scope.h"

namespace affirm::terms {
namespace {

using hlo::PrimitiveType;

constexpr int kVariables = 3;

// An integer built in a scope, and the same computed directly.
struct Built {
  Term term;
  std::function<Int128(const std::vector<int64_t>&)> value;
};

struct World {
  Pool pool;
  Scope scope{pool};
  std::vector<Range> ranges;
  std::vector<Term> variables;

  World() {
    for (int i = 0; i < kVariables; ++i) {
      int64_t lo = *rc::gen::inRange(-6, 3), size = *rc::gen::inRange(0, 9);
      ranges.push_back({lo, lo + size});
      variables.push_back(pool.Variable("v" + std::to_string(i), ranges.back()));
    }
  }

  Built Draw(int depth) {
    int kind = depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 9);
    if (kind == 0) {
      int64_t n = *rc::gen::inRange(-20, 21);
      return {pool.Number(n), [n](const auto&) { return Int128{n}; }};
    }
    if (kind == 1) {
      int v = *rc::gen::inRange(0, kVariables);
      return {variables[v], [v](const auto& p) { return Int128{p[v]}; }};
    }
    Built a = Draw(depth - 1);
    int64_t n = *rc::gen::element<int64_t>(1, 2, 3, 4, 5, 6, 8, 12, 16);
    switch (kind) {
      case 2:
      case 3: {
        Built b = Draw(depth - 1);
        int64_t m = *rc::gen::element<int64_t>(-6, -4, -1, 1, 2, 3, 4, 12);
        return {pool.Add(pool.Scale(a.term, m), b.term),
                [a, b, m](const auto& p) { return a.value(p) * m + b.value(p); }};
      }
      case 4:
        return {scope.Quotient(a.term, n),
                [a, n](const auto& p) { return FloorDiv(a.value(p), n); }};
      case 5:
        return {scope.Residue(a.term, n),
                [a, n](const auto& p) { return a.value(p) - FloorDiv(a.value(p), n) * n; }};
      case 6: {
        Built b = Draw(depth - 1);
        return {scope.Max(a.term, b.term),
                [a, b](const auto& p) { return std::max(a.value(p), b.value(p)); }};
      }
      case 7: {
        Built b = Draw(depth - 1);
        return {pool.Multiply(a.term, b.term),
                [a, b](const auto& p) { return a.value(p) * b.value(p); }};
      }
      default: {
        Built b = Draw(depth - 1), c = Draw(depth - 1);
        bool equation = *rc::gen::arbitrary<bool>();
        Term condition = equation ? pool.IsZero(c.term) : pool.AtLeastZero(c.term);
        return {scope.Pick(condition, a.term, b.term), [a, b, c, equation](const auto& p) {
                  Int128 v = c.value(p);
                  return (equation ? v == 0 : v >= 0) ? a.value(p) : b.value(p);
                }};
      }
    }
  }

  // All points at which the facts hold.
  void ForEachPoint(const std::vector<Built>& facts,
                    const std::function<void(const std::vector<int64_t>&)>& visit) {
    std::vector<int64_t> p(kVariables);
    std::function<void(int)> walk = [&](int i) {
      if (i == kVariables) {
        for (const Built& fact : facts) {
          if (fact.value(p) < 0) return;
        }
        visit(p);
        return;
      }
      for (Int128 v = ranges[i].lo; v <= ranges[i].hi; ++v) {
        p[i] = static_cast<int64_t>(v);
        walk(i + 1);
      }
    };
    walk(0);
  }

  Int128 Value(Term term, const std::vector<int64_t>& p) {
    return Evaluate(term, [&](Term leaf) -> Int128 {
      for (int i = 0; i < kVariables; ++i) {
        if (leaf == variables[i]) return p[i];
      }
      RC_FAIL("a leaf that is no variable: " + ToString(leaf));
    });
  }
};

RC_GTEST_PROP(Terms, AreWhatWasAskedFor, ()) {
  World world;
  std::vector<Built> facts;
  bool possible = true;
  for (int n = *rc::gen::inRange(0, 3); n > 0 && possible; --n) {
    facts.push_back(world.Draw(2));
    possible = world.scope.Assume(world.pool.AtLeastZero(facts.back().term));
  }
  Built e = world.Draw(4);
  Range range = world.scope.RangeOf(e.term);
  Term simplified = world.scope.Simplify(e.term);
  auto sign = world.scope.Decide(world.pool.AtLeastZero(e.term));
  auto zero = world.scope.Decide(world.pool.IsZero(e.term));
  int64_t points = 0;
  world.ForEachPoint(facts, [&](const std::vector<int64_t>& p) {
    ++points;
    RC_ASSERT(possible);
    Int128 value = e.value(p);
    RC_ASSERT(world.Value(e.term, p) == value);
    RC_ASSERT(world.Value(simplified, p) == value);
    RC_ASSERT(range.lo <= value && value <= range.hi);
    if (sign) RC_ASSERT(*sign == (value >= 0));
    if (zero) RC_ASSERT(*zero == (value == 0));
  });
  RC_TAG(points > 0 ? "points" : "none");
}

TEST(Terms, Delinearize) {
  Pool pool;
  Scope scope(pool);
  Term th = pool.Variable("th_x", {0, 127}), bl = pool.Variable("bl_x", {0, 74});
  Term i = pool.Add(pool.Scale(bl, 128), th);
  ASSERT_TRUE(scope.Assume(pool.AtLeast(pool.Number(9499), i)));
  Term row = scope.Quotient(i, 19), column = scope.Residue(i, 19);
  EXPECT_EQ(scope.RangeOf(row), (Range{0, 499}));
  EXPECT_EQ(scope.RangeOf(column), (Range{0, 18}));
  // Index (2 * row, 2 * column) of an array of 37 columns, linear and back.
  Term linear = pool.Add(pool.Scale(row, 74), pool.Scale(column, 2));
  EXPECT_EQ(ToString(scope.RangeOf(linear)), "[0, 36962]");
  EXPECT_EQ(ToString(scope.Quotient(linear, 37)), ToString(pool.Scale(row, 2)));
  EXPECT_EQ(scope.Residue(linear, 37), pool.Scale(column, 2));
}

TEST(Terms, ResiduesAreDividedWhole) {
  Pool pool;
  Scope scope(pool);
  Term x = pool.Variable("x", {0, 1000});
  EXPECT_EQ(scope.RangeOf(scope.Quotient(scope.Residue(x, 19), 4)), (Range{0, 4}));
  EXPECT_EQ(scope.Quotient(scope.Residue(x, 24), 8),
            pool.Subtract(scope.Quotient(x, 8), pool.Scale(scope.Quotient(x, 24), 3)));
}

// Facts x mod m <= r for one m or two, where quotients by multiples of m may have another form.
RC_GTEST_PROP(Terms, QuotientsByFactsOnResidues, ()) {
  Pool pool;
  Scope scope(pool);
  constexpr int64_t kHigh = 400;
  Term x = pool.Variable("x", {0, kHigh});
  std::vector<std::pair<int64_t, int64_t>> facts;
  for (int64_t k = *rc::gen::inRange(1, 3); k > 0; --k) {
    const int64_t m = *rc::gen::element<int64_t>(2, 3, 4, 5, 6, 8, 12);
    facts.emplace_back(m, *rc::gen::inRange<int64_t>(0, m));
    scope.Assume(pool.AtLeast(pool.Number(facts.back().second), scope.Residue(x, m)));
  }
  const int64_t c = *rc::gen::inRange<int64_t>(-40, 41);
  const int64_t d = facts[0].first * *rc::gen::inRange<int64_t>(1, 7);
  Term quotient = scope.Quotient(pool.Add(x, pool.Number(c)), d);
  Term nested = scope.Quotient(pool.Add(scope.Quotient(x, facts[0].first), pool.Number(c)), 3);
  for (int64_t v = 0; v <= kHigh; ++v) {
    if (llvm::any_of(facts, [&](auto fact) { return v % fact.first > fact.second; })) continue;
    auto at = [v](Term) { return Int128{v}; };
    RC_ASSERT(Evaluate(quotient, at) == FloorDiv(v + c, d));
    RC_ASSERT(Evaluate(nested, at) == FloorDiv(v / facts[0].first + c, 3));
  }
}

TEST(Terms, BoundsOfPredicatesAreThesePredicates) {
  Pool pool;
  const Term p = pool.Load(0, pool.Number(0), PrimitiveType::kPred), holds = pool.Holds(p);
  const Term integer = pool.IntegerOf(p);
  EXPECT_EQ(pool.AtLeast(integer, pool.Number(1)), holds);
  EXPECT_EQ(pool.AtLeast(pool.Number(0), integer), pool.Not(holds));
  EXPECT_EQ(pool.Equal(integer, pool.Number(0)), pool.Not(holds));
  EXPECT_EQ(pool.Equal(integer, pool.Number(1)), holds);
  EXPECT_EQ(pool.AtLeast(integer, pool.Number(0)), pool.True());
  EXPECT_EQ(pool.AtLeast(integer, pool.Number(2)), pool.False());
  const Term byte = pool.Load(1, pool.Number(0), PrimitiveType::kU8);
  EXPECT_NE(pool.AtLeast(pool.IntegerOf(byte), pool.Number(1)), pool.Holds(byte));
}

TEST(Terms, ClampsAreOneTerm) {
  Pool pool;
  Scope scope(pool);
  Term v = pool.IntegerOf(pool.Load(1, pool.Number(0), PrimitiveType::kS32)), zero = pool.Number(0),
       c = pool.Number(90);
  EXPECT_EQ(scope.Max(scope.Min(v, c), zero), scope.Min(scope.Max(v, zero), c));
  EXPECT_EQ(scope.Pick(pool.AtLeast(v, zero), v, zero), scope.Max(v, zero));
  EXPECT_EQ(scope.RangeOf(scope.Min(scope.Max(v, zero), c)), (Range{0, 90}));
}

// A comparison loses the common factor of what is compared: the choice is a maximum all the same.
TEST(Terms, ChoicesByComparisonAreMaxima) {
  Pool pool;
  Scope scope(pool);
  Term th = pool.Variable("th_x", {0, 127}), bl = pool.Variable("bl_x", {0, 99});
  Term a = pool.Add(pool.Scale(bl, 8), pool.Number(3)), b = pool.Scale(th, 4);
  EXPECT_EQ(scope.Pick(pool.AtLeast(a, b), a, b), scope.Max(a, b));
  EXPECT_EQ(scope.Pick(pool.AtLeast(b, a), a, b), scope.Min(a, b));
  EXPECT_EQ(scope.Pick(pool.Not(pool.AtLeast(b, a)), a, b), scope.Max(a, b));
  EXPECT_EQ(scope.Pick(pool.Not(pool.AtLeast(a, b)), a, b), scope.Min(a, b));
  Term four = pool.Add(b, pool.Number(4));
  EXPECT_EQ(scope.Pick(pool.AtLeast(a, four), a, b)->kind, Kind::kPick);
}

// Positions in rows of 5000 elements, 4 a thread: which tile of 512 elements, and which pair of
// these, at once and step by step.
TEST(Terms, QuotientsStepByStepAreOne) {
  Pool pool;
  Scope scope(pool);
  Term th = pool.Variable("th_x", {0, 127}), bl = pool.Variable("bl_x", {0, 99});
  Term thread = pool.Add(pool.Scale(bl, 128), th);
  Term position = scope.Residue(thread, 1250);
  Term pair = scope.Quotient(position, 256);
  EXPECT_EQ(scope.Quotient(scope.Quotient(position, 128), 2), pair);
  EXPECT_EQ(scope.Quotient(scope.Quotient(position, 16), 16), pair);
  EXPECT_EQ(scope.RangeOf(pool.Subtract(position, pool.Scale(pair, 256))), (Range{0, 255}));
}

// The middle of two machine integers, as a binary search computes it.
TEST(Terms, ResiduesOfQuotientsHaveTheirRange) {
  Pool pool;
  Scope scope(pool);
  Term low = pool.Variable("low", {-1000, 1000}), high = pool.Variable("high", {-1000, 1000});
  Term half = scope.Quotient(scope.Residue(pool.Subtract(high, low), 32), 2);
  Term middle = scope.Residue(pool.Add(low, half), 32);
  EXPECT_EQ(scope.RangeOf(middle), (Range{0, 31}));
  EXPECT_LT(scope.RangeOf(pool.Subtract(middle, pool.Number(32))).lo, 0);
  EXPECT_GT(scope.RangeOf(pool.Add(middle, low)).hi, 31);
}

TEST(Terms, MachineIntegersWrapInValues) {
  Pool pool;
  Term v = pool.IntegerOf(pool.Load(0, pool.Number(0), PrimitiveType::kS32));
  Term sum =
      pool.OfInteger(pool.Add(pool.Scale(v, (Int128{1} << 32) + 1), pool.Number(Int128{1} << 40)),
                     PrimitiveType::kS32);
  EXPECT_EQ(sum, pool.Load(0, pool.Number(0), PrimitiveType::kS32));
  EXPECT_EQ(pool.IntegerOf(pool.OfInteger(pool.Number(Int128{1} << 31), PrimitiveType::kS32)),
            pool.Number(-(Int128{1} << 31)));
}

// A result beyond 128 bits is unknown, not wrong.
TEST(Terms, OverflowIsUnknown) {
  Pool pool;
  Term x = pool.Variable("x", {0, 1});
  Term huge = pool.Scale(x, kInfinity);
  EXPECT_EQ(pool.Add(huge, huge)->kind, Kind::kUnknown);
  EXPECT_NE(pool.Add(huge, huge), pool.Add(huge, huge));
}

// If a sum is in a range, each summand has a range. The sum of many loaded integers, brought into
// the range of four bits, is in it.
TEST(Terms, RangesOfSummandsAndOfLongSums) {
  Pool pool;
  Scope scope(pool);
  Term th = pool.Variable("th_x", {0, 127}), bl = pool.Variable("bl_x", {0, 74});
  ASSERT_TRUE(scope.Assume(pool.AtLeast(pool.Number(130), pool.Add(pool.Scale(bl, 128), th))));
  EXPECT_EQ(scope.RangeOf(bl), (Range{0, 1}));
  EXPECT_EQ(scope.RangeOf(th), (Range{0, 127}));
  ASSERT_TRUE(scope.Assume(pool.AtLeast(bl, pool.Number(1))));
  EXPECT_EQ(scope.RangeOf(th), (Range{0, 127}));
  ASSERT_TRUE(scope.Assume(pool.AtLeast(pool.Number(129), pool.Add(pool.Scale(bl, 128), th))));
  EXPECT_EQ(scope.RangeOf(th), (Range{0, 1}));
  std::vector<Monomial> loads;
  for (int k = 0; k < 40; ++k)
    loads.push_back({1, pool.IntegerOf(pool.Load(0, pool.Number(k), PrimitiveType::kS4))});
  Term sum = pool.Sum(3, loads);
  Term wrapped =
      pool.Subtract(sum, pool.Scale(scope.Quotient(pool.Add(sum, pool.Number(8)), 16), 16));
  EXPECT_EQ(scope.RangeOf(wrapped), (Range{-8, 7}));
}

// Sums that grow by one summand at a time share what they are made of.
RC_GTEST_PROP(Terms, LongSumsAreOneTermInAnyOrder, ()) {
  Pool pool;
  constexpr int kSummands = 60;
  std::vector<Monomial> monomials;
  for (int k = 0; k < kSummands; ++k) {
    const Term atom = pool.Variable("v" + std::to_string(k), {-k, 2 * k + 1});
    monomials.push_back({*rc::gen::element(-3, -1, 1, 2), atom});
  }
  auto in_order = [&](const std::vector<int>& order) {
    std::vector<Term> sums = {pool.Number(5)};
    for (int k : order)
      sums.push_back(
          pool.Add(sums.back(), pool.Scale(monomials[k].atom, monomials[k].coefficient)));
    return sums;
  };
  std::vector<int> order(kSummands);
  std::iota(order.begin(), order.end(), 0);
  const std::vector<Term> sums = in_order(order);
  // Two that begin alike, and go on with another summand each.
  const Term apart = pool.Add(sums[40], monomials[50].atom), other = pool.Add(sums[40], sums[41]);
  for (int k = kSummands - 1; k > 0; --k) std::swap(order[k], order[*rc::gen::inRange(0, k + 1)]);
  RC_ASSERT(in_order(order).back() == sums.back());
  for (int count = 1; count <= kSummands; ++count) {
    const Term whole = pool.Sum(5, llvm::ArrayRef(monomials).take_front(count));
    RC_ASSERT(whole == sums[count]);
    RC_ASSERT(whole->sum.size() == static_cast<size_t>(count));
    Range range = {5, 5};
    for (const Monomial& m : whole->sum) range = Add(range, Scale(m.atom->range, m.coefficient));
    RC_ASSERT(whole->range == range);
  }
  RC_ASSERT(apart->sum.size() == 41u);
  RC_ASSERT(apart->sum.back().atom == monomials[50].atom);
  RC_ASSERT(other->sum.front().coefficient == 2 * monomials[0].coefficient);
  // An atom that the sum has already.
  const Term twice = pool.Add(sums.back(), monomials[7].atom);
  RC_ASSERT(pool.Subtract(twice, monomials[7].atom) == sums.back());
}

// Facts about a variable with one range do not hold for a variable with another, even with one
// name.
TEST(Pool, VariablesOfTwoRangesAreTwo) {
  Pool pool;
  Scope scope(pool);
  Term narrow = pool.Variable("i", {0, 3}), wide = pool.Variable("i", {0, 9});
  EXPECT_NE(narrow, wide);
  EXPECT_EQ(narrow, pool.Variable("i", {0, 3}));
  EXPECT_EQ(scope.RangeOf(wide), (Range{0, 9}));
  EXPECT_EQ(scope.Decide(pool.AtLeast(pool.Number(3), wide)), std::nullopt);
}

// Floats that are numbers become integers as in XLA: toward zero, at the ends of the type, NaN as
// 0.
TEST(Pool, NumbersBecomeIntegers) {
  Pool pool;
  auto converted = [&](Op op, uint64_t bits) {
    Term value = pool.Apply(op, PrimitiveType::kS8, {pool.Literal(PrimitiveType::kF32, bits)});
    Term integer = pool.IntegerOf(value);
    return integer->IsNumber() ? ToString(integer->number) : "open";
  };
  EXPECT_EQ(converted(Op::kConvert, 0xC0300000), "-2");          // -2.75
  EXPECT_EQ(converted(Op::kConvert, 0x43800000), "127");         // 256
  EXPECT_EQ(converted(Op::kConvert, 0xFF800000), "-128");        // -inf
  EXPECT_EQ(converted(Op::kConvert, 0x7FC00000), "0");           // NaN
  EXPECT_EQ(converted(Op::kConvertUnsigned, 0xC0300000), "0");   // below all
  EXPECT_EQ(converted(Op::kConvertUnsigned, 0x437F0000), "-1");  // 255
  EXPECT_EQ(converted(Op::kConvertInRange, 0x43800000), "open");
}

// Past the limit nothing more is known than what terms were made with, and nothing is wrong.
TEST(Terms, ALimitOfWorkLeavesTheRest) {
  Pool pool;
  Scope scope(pool);
  Term x = pool.Variable("x", {0, 99}), y = pool.Variable("y", {0, 99});
  Term difference = pool.Subtract(x, y);
  ASSERT_TRUE(scope.Assume(pool.AtLeast(x, pool.Add(y, pool.Number(5)))));
  Term other = pool.Add(difference, pool.Number(-3));
  EXPECT_EQ(scope.RangeOf(difference), (Range{5, 99}));
  EXPECT_EQ(scope.Decide(pool.AtLeast(difference, pool.Number(2))), true);
  pool.Limit(0);
  EXPECT_TRUE(pool.IsSpent());
  EXPECT_EQ(scope.RangeOf(other), (Range{-102, 96}));
  EXPECT_EQ(scope.Decide(pool.AtLeast(difference, pool.Number(4))), std::nullopt);
  EXPECT_EQ(scope.Simplify(other), other);
}

TEST(Pool, ElementsOfConstantsAreLiterals) {
  Pool pool;
  using hlo::PrimitiveType;
  const std::vector<uint8_t> bytes = {1, 0, 2, 0, 0xFF, 0xFF};
  const Operation element_of = pool.KeepConstant(PrimitiveType::kS16, bytes);
  auto at = [&](Term position) {
    return pool.Apply(element_of, PrimitiveType::kS16,
                      {pool.OfInteger(position, PrimitiveType::kS64)});
  };
  EXPECT_EQ(at(pool.Number(1)), pool.Literal(PrimitiveType::kS16, 2));
  EXPECT_EQ(at(pool.Number(2)), pool.Literal(PrimitiveType::kS16, -1));
  for (int64_t outside : {-1, 3}) EXPECT_EQ(at(pool.Number(outside))->kind, Kind::kApply);
  EXPECT_EQ(at(pool.Variable("i", {0, 2}))->kind, Kind::kApply);
  EXPECT_NE(pool.KeepConstant(PrimitiveType::kS8, bytes), element_of);
}

// Terms of other sorts have the range of anything, so that one that is taken for an integer decides
// nothing.
TEST(Pool, TermsWithoutARangeAreAnything) {
  Pool pool;
  Scope scope(pool);
  const Term value = pool.Arbitrary(hlo::PrimitiveType::kF32);
  for (Term term : {value, pool.Load(0, pool.Number(3), hlo::PrimitiveType::kF32),
                    pool.Holds(pool.Arbitrary(hlo::PrimitiveType::kPred)), pool.True(),
                    pool.IntegerOf(value)}) {
    EXPECT_EQ(term->range, kAnything) << ToString(term);
    EXPECT_EQ(scope.RangeOf(term), kAnything) << ToString(term);
    EXPECT_EQ(scope.Decide(pool.AtLeastZero(term)), std::nullopt) << ToString(term);
    EXPECT_EQ(scope.Decide(pool.IsZero(term)), std::nullopt) << ToString(term);
  }
}

}  // namespace
}  // namespace affirm::terms
