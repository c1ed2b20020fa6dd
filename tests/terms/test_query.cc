// Proofs of the deciders about conditions hold at every point where the facts hold, and they prove
// more than ranges do.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include "verify/terms/query.h"

namespace affirm::terms {
namespace {

constexpr int kVariables = 2;

struct QueryWorld {
  Pool pool;
  Scope scope{pool};
  std::vector<Term> variables;

  QueryWorld() {
    for (int i = 0; i < kVariables; ++i) {
      const int64_t lo = *rc::gen::inRange(-9, 4), size = *rc::gen::inRange(0, 16);
      variables.push_back(pool.Variable("q" + std::to_string(i), {lo, lo + size}));
    }
  }

  Term DrawInteger(int depth) {
    const int kind = depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 6);
    if (kind == 0) return pool.Number(*rc::gen::inRange(-12, 13));
    if (kind == 1) return variables[*rc::gen::inRange(0, kVariables)];
    Term a = DrawInteger(depth - 1), b = DrawInteger(depth - 1);
    if (kind == 2) return pool.Add(pool.Scale(a, *rc::gen::inRange(-5, 6)), b);
    if (kind == 3) return scope.Quotient(a, *rc::gen::inRange(1, 7));
    if (kind == 4) return scope.Max(a, b);
    return scope.Pick(DrawCondition(depth - 1), a, b);
  }
  Term DrawCondition(int depth) {
    Term e = DrawInteger(depth);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        return pool.IsZero(e);
      case 1:
        return pool.Not(pool.AtLeastZero(e));
      case 2:
        return pool.And({pool.AtLeastZero(e), pool.AtLeastZero(DrawInteger(depth))});
      default:
        return pool.AtLeastZero(e);
    }
  }
  // Calls `visit` with the values of all variables.
  void ForEachPoint(llvm::function_ref<void(llvm::function_ref<Int128(Term)>)> visit) {
    for (Int128 a = variables[0]->range.lo; a <= variables[0]->range.hi; ++a) {
      for (Int128 b = variables[1]->range.lo; b <= variables[1]->range.hi; ++b)
        visit([&](Term v) { return v == variables[0] ? a : b; });
    }
  }
};

RC_GTEST_PROP(Query, WhatIsProvedHolds, ()) {
  QueryWorld world;
  Term fact = world.DrawCondition(2), claim = world.DrawCondition(2);
  bool possible = world.scope.Assume(fact);
  TermDecider decider({});
  bool proved = possible && decider.Proves(world.scope, claim);
  bool holds = true;
  world.ForEachPoint([&](llvm::function_ref<Int128(Term)> at) {
    if (Evaluate(fact, at) != 0 && Evaluate(claim, at) == 0) holds = false;
  });
  // Domains of this size are enumerated, so that nothing stays open.
  if (possible) RC_ASSERT(proved == holds);
}

TEST(Query, ProvesWhatRangesDoNot) {
  Pool pool;
  Scope scope(pool);
  Term i = pool.Variable("i", {0, 127});
  // The halves of i, one rounded down and one rounded up, are i.
  Term up = scope.Quotient(pool.Add(i, pool.Number(1)), 2);
  Term left = pool.Sum(0, {{1, scope.Quotient(i, 2)}, {1, up}, {-1, i}});
  EXPECT_EQ(scope.Decide(pool.IsZero(left)), std::nullopt);
  TermDecider decider({});
  EXPECT_TRUE(decider.Proves(scope, pool.IsZero(left)));
  EXPECT_FALSE(decider.Proves(scope, pool.IsZero(pool.Add(left, pool.Number(1)))));
}

TEST(Query, SeesContradictions) {
  Pool pool;
  Scope scope(pool);
  Term i = pool.Variable("i", {0, 99});
  Term twice = pool.Scale(scope.Quotient(i, 2), 2), rest = pool.Subtract(i, twice);
  ASSERT_TRUE(scope.Assume(pool.IsZero(pool.Add(scope.Quotient(i, 3), pool.Number(-4)))));
  TermDecider decider({});
  EXPECT_FALSE(decider.Proves(scope, pool.False()));
  ASSERT_TRUE(scope.Assume(pool.AtLeast(i, pool.Number(14))));
  ASSERT_TRUE(scope.Assume(pool.Equal(rest, pool.Number(1))));
  EXPECT_TRUE(decider.Proves(scope, pool.False()));
}

// A loaded integer is any integer of its width, and the same one each time.
TEST(Query, DataAreVariables) {
  Pool pool;
  Scope scope(pool);
  Term loaded = pool.IntegerOf(pool.Load(0, pool.Number(3), hlo::PrimitiveType::kS32));
  Term clamped = scope.Min(scope.Max(loaded, pool.Number(0)), pool.Number(7));
  TermDecider decider({});
  EXPECT_TRUE(decider.Proves(scope, pool.AtLeast(pool.Number(21), pool.Scale(clamped, 3))));
  EXPECT_FALSE(decider.Proves(scope, pool.AtLeast(pool.Number(20), pool.Scale(clamped, 3))));
  EXPECT_TRUE(decider.Proves(scope, pool.Equal(pool.Subtract(loaded, loaded), pool.Number(0))));
}

}  // namespace
}  // namespace affirm::terms
