// Values are the same, or depend on the same elements. Each claim that holds has a neighbour that
// does not.
#include <gtest/gtest.h>

#include <tuple>

#include "verify/compare/fold_terms.h"
#include "verify/compare/same_value.h"
#include "verify/terms/machine.h"
#include "verify/terms/query.h"

namespace affirm::compare {
namespace {

using hlo::PrimitiveType;
using terms::Int128;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kF32 = PrimitiveType::kF32, kS32 = PrimitiveType::kS32;

// 25 blocks of threads by number; four rows a block, each the sum of `columns` numbers.
struct Rows {
  Pool pool;
  Scope scope{pool};
  Term bl = pool.Variable("bl_x", {0, 24});
  Term zero = pool.Literal(kF32, 0);

  Term LoadAt(Term element) {
    return pool.Apply(Op::kExponential, kF32, {pool.Load(0, element, kF32)});
  }
  // The sum of a row as the computation has it.
  Term Fold(Term row, int64_t columns, Term init) {
    Term column = pool.Variable("column", {0, columns - 1});
    Term value = LoadAt(pool.Add(pool.Scale(row, columns), column));
    return pool.Apply(Op::kAdd, kF32, {init, pool.Fold(Op::kAdd, pool.True(), value, {column})});
  }
};

TEST(SameValue, AReductionIsAMultiset) {
  Rows rows;
  Pool& pool = rows.pool;
  const int64_t columns = 37, lanes = 8;
  Term row = pool.Add(pool.Scale(rows.bl, 4), pool.Number(2));
  auto kernel = [&](int64_t skip, int64_t twice, Term init) {
    // Each lane adds every eighth number, from the initial value on; then the lanes are added.
    Term total = nullptr;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Term sum = init;
      for (int64_t c = lane; c < columns; c += lanes) {
        Term value = rows.LoadAt(pool.Add(pool.Scale(row, columns), pool.Number(c)));
        if (c != skip) sum = pool.Apply(Op::kAdd, kF32, {sum, value});
        if (c == twice) sum = pool.Apply(Op::kAdd, kF32, {value, sum});
      }
      total = total ? pool.Apply(Op::kAdd, kF32, {sum, total}) : sum;
    }
    return total;
  };
  Term one = pool.Literal(kF32, 0x3f800000);
  Term sum = rows.Fold(row, columns, rows.zero);
  auto same = [&](Term a, Term b) { return SameValue(rows.scope, {}).Prove(a, b); };
  EXPECT_TRUE(same(kernel(-1, -1, rows.zero), sum));
  EXPECT_FALSE(same(kernel(5, -1, rows.zero), sum));
  EXPECT_FALSE(same(kernel(-1, 5, rows.zero), sum));
  EXPECT_FALSE(same(kernel(5, 6, rows.zero), sum));
  EXPECT_FALSE(same(kernel(-1, -1, one), sum));
  // One that is added eight times is no initial value.
  EXPECT_FALSE(same(kernel(-1, -1, one), rows.Fold(row, columns, one)));
  EXPECT_FALSE(same(kernel(-1, -1, rows.zero),
                    rows.Fold(pool.Add(row, pool.Number(1)), columns, rows.zero)));
}

// Terms share parts: a square of a square has one operand twice, 40 levels deep. Each pair of parts
// is looked at once, also where no pair is alike (x - -x is no x * 2).
TEST(SameValue, ReductionsOfDeepTermsAreFoundInTime) {
  constexpr int64_t kColumns = 8;
  Rows rows;
  Pool& pool = rows.pool;
  const Term half = pool.Literal(kF32, 0x3f000000), two = pool.Literal(kF32, 0x40000000),
             four = pool.Literal(kF32, 0x40800000);
  auto apply = [&](Op op, Term a, Term b) { return pool.Apply(op, kF32, {a, b}); };
  auto squared = [&](Term value) {
    for (int k = 0; k < 40; ++k)
      value = apply(Op::kMultiply, apply(Op::kMultiply, value, value), half);
    return value;
  };
  auto kernel = [&](auto doubled) {
    Term sum = rows.zero;
    for (int64_t c = 0; c < kColumns; ++c)
      sum = apply(Op::kAdd, sum, squared(doubled(pool.Load(0, pool.Number(c), kF32))));
    return sum;
  };
  const Term column = pool.Variable("column", {0, kColumns - 1});
  const Term value = squared(apply(Op::kMultiply, pool.Load(0, column, kF32), two));
  const Term sum = apply(Op::kAdd, rows.zero, pool.Fold(Op::kAdd, pool.True(), value, {column}));
  auto same = [&](Term a) { return SameValue(rows.scope, {}).Prove(a, sum); };
  EXPECT_TRUE(same(kernel([&](Term x) { return apply(Op::kMultiply, x, two); })));
  EXPECT_FALSE(same(kernel([&](Term x) { return apply(Op::kMultiply, x, four); })));
  same(kernel([&](Term x) { return apply(Op::kSubtract, x, pool.Apply(Op::kNegate, kF32, {x})); }));
}

// An arm of a choice counts where it is taken; and what is known of a choice between integers is
// known of the one that is taken.
TEST(SameValue, ArmsAreTheSameWhereTheyAreTaken) {
  Pool pool;
  Scope scope(pool);
  const Term i = pool.Variable("i", {0, 99}), j = pool.Variable("j", {0, 99}),
             k = pool.Variable("k", {0, 99});
  auto load = [&](int64_t buffer, Term at) { return pool.Load(buffer, at, kF32); };
  auto same = [&](Term a, Term b) { return SameValue(scope, {}).Prove(a, b); };
  const Term meets = pool.Equal(i, j);
  const Term kernel = pool.Select(meets, load(0, i), load(1, i));
  EXPECT_TRUE(same(kernel, pool.Select(meets, load(0, j), load(1, i))));
  EXPECT_FALSE(same(kernel, pool.Select(meets, load(0, k), load(1, i))));
  EXPECT_FALSE(same(kernel, pool.Select(meets, load(0, i), load(1, j))));
  EXPECT_FALSE(same(kernel, pool.Select(pool.Not(meets), load(0, j), load(1, i))));
  const Term flag = pool.Holds(pool.Load(2, pool.Number(0), hlo::PrimitiveType::kPred));
  const Term there = pool.Equal(i, scope.Pick(flag, j, k));
  auto of = [&](Term first, Term second) {
    return pool.Select(there, pool.Select(flag, load(0, first), load(1, second)), load(2, i));
  };
  EXPECT_TRUE(same(of(i, i), of(j, k)));
  EXPECT_FALSE(same(of(i, i), of(k, j)));
  EXPECT_FALSE(same(of(i, i), of(j, j)));
  // A fact about an integer that is no sum, beside a case of what it is made of.
  const Term half = scope.Quotient(i, 2);
  auto in_half = [&](Term first) {
    return pool.Select(pool.IsZero(half), pool.Select(pool.IsZero(i), load(0, first), load(1, j)),
                       load(2, i));
  };
  EXPECT_TRUE(same(in_half(i), in_half(pool.Number(0))));
  EXPECT_FALSE(same(in_half(i), in_half(pool.Number(1))));
}

// A predicate is one of the integers 0 and 1.
TEST(SameValue, PredicatesAreIntegersToo) {
  Pool pool;
  Scope scope(pool);
  auto load = [&](int64_t buffer) { return pool.Load(buffer, pool.Number(0), kF32); };
  auto same = [&](Term a, Term b) { return SameValue(scope, {}).Prove(a, b); };
  const Term flag = pool.Load(2, pool.Number(0), hlo::PrimitiveType::kPred);
  const Term number = pool.IntegerOf(flag);
  auto either = [&](Term a, Term b) { return pool.Apply(Op::kAdd, kF32, {a, b}); };
  // As one of two operands, so that the conditions of the two are not compared by themselves.
  auto kernel = [&](Term a, Term b) {
    return pool.Select(pool.Holds(flag), either(a, load(3)), either(b, load(3)));
  };
  auto hlo = [&](Term a, Term b) {
    return either(pool.Select(pool.AtLeast(pool.Number(0), number), b, a), load(3));
  };
  EXPECT_TRUE(same(kernel(load(0), load(1)), hlo(load(0), load(1))));
  EXPECT_FALSE(same(kernel(load(0), load(1)), hlo(load(1), load(0))));
}

// A use of the sum has another form in the kernel, 0 - x for negate(x).
TEST(SameElements, OfSumsCountAsOften) {
  Rows rows;
  Pool& pool = rows.pool;
  constexpr int64_t kColumns = 5;
  Term first = rows.LoadAt(pool.Scale(rows.bl, kColumns));
  auto add = [&](Term a, Term b) { return pool.Apply(Op::kAdd, kF32, {a, b}); };
  auto sum = [&](int64_t skip, int64_t twice) {
    Term total = rows.zero;
    for (int64_t c = 0; c < kColumns; ++c) {
      Term value = rows.LoadAt(pool.Add(pool.Scale(rows.bl, kColumns), pool.Number(c)));
      if (c != skip) total = add(total, value);
      if (c == twice) total = add(value, total);
    }
    return total;
  };
  auto negated = [&](Term x) { return pool.Apply(Op::kSubtract, kF32, {rows.zero, x}); };
  Term fold = rows.Fold(rows.bl, kColumns, rows.zero);
  Term hlo = pool.Apply(Op::kNegate, kF32, {fold});
  auto same = [&](Term a, Term b) { return SameValue(rows.scope, {}).ProveElements(a, b); };
  EXPECT_FALSE(SameValue(rows.scope, {}).Prove(negated(sum(-1, -1)), hlo));
  EXPECT_TRUE(same(negated(sum(-1, -1)), hlo));
  EXPECT_FALSE(same(negated(sum(2, -1)), hlo));
  EXPECT_FALSE(same(negated(sum(-1, 2)), hlo));
  EXPECT_FALSE(same(negated(sum(2, 3)), hlo));
  // A whole sum in a larger one, of elements that the value depends on elsewhere.
  auto times = [&](Term a, Term b) { return pool.Apply(Op::kMultiply, kF32, {a, b}); };
  EXPECT_TRUE(same(times(first, negated(sum(-1, -1))), times(first, hlo)));
  EXPECT_FALSE(same(times(first, negated(add(first, sum(-1, -1)))), times(first, hlo)));
  EXPECT_FALSE(same(times(first, negated(sum(-1, -1))), hlo));
  EXPECT_FALSE(same(negated(sum(-1, -1)), times(first, hlo)));
}

TEST(SameElements, OfMaximaAreASet) {
  Pool pool;
  Scope scope(pool);
  Term column = pool.Variable("column", {0, 4}), lowest = pool.Literal(kF32, 0xff800000);
  auto fold = [&](terms::Op op) {
    return pool.Fold(op, pool.True(), pool.Load(0, column, kF32), {column});
  };
  auto kernel = [&](int64_t skip) {
    Term most = lowest;
    for (int64_t c = 0; c < 5; ++c) {
      Term value = pool.Load(0, pool.Number(c), kF32);
      if (c != skip)
        most =
            pool.Apply(Op::kMaximum, kF32, {pool.Apply(Op::kMaximum, kF32, {most, value}), value});
    }
    return pool.Apply(Op::kSubtract, kF32, {pool.Literal(kF32, 0), most});
  };
  auto hlo = [&](terms::Op op) {
    Term value = pool.Apply(op, kF32, {lowest, fold(op)});
    return pool.Apply(Op::kNegate, kF32, {value});
  };
  EXPECT_TRUE(SameValue(scope, {}).ProveElements(kernel(-1), hlo(Op::kMaximum)));
  EXPECT_FALSE(SameValue(scope, {}).ProveElements(kernel(3), hlo(Op::kMaximum)));
  EXPECT_FALSE(SameValue(scope, {}).ProveElements(kernel(-1), hlo(Op::kAdd)));
  // By a computation of its own it is one where combining an element with itself gives that.
  auto by_computation = [&](bool sums, int64_t skip) {
    SameValue same(scope, {});
    same.set_combine([&](llvm::StringRef, llvm::ArrayRef<Term> a, llvm::ArrayRef<Term> b) {
      return std::vector<Term>{
          sums ? pool.Apply(Op::kAdd, kF32, {a[0], b[0]})
               : pool.Select(
                     pool.Holds(pool.Apply(Op::kCompareLt, PrimitiveType::kPred, {b[0], a[0]})),
                     a[0], b[0])};
    });
    Term element = pool.Apply(Op::kElements, kF32, {pool.Load(0, column, kF32)});
    Term elements =
        pool.Fold(terms::Operation::FoldByComputation("c"), pool.True(), element, {column});
    return same.ProveElements(
        kernel(skip),
        pool.Apply(terms::Operation::ResultOf(terms::Operation::FoldByComputation("c"), 0), kF32,
                   {lowest, elements}));
  };
  EXPECT_TRUE(by_computation(/*sums=*/false, -1));
  EXPECT_FALSE(by_computation(/*sums=*/false, 3));
  EXPECT_FALSE(by_computation(/*sums=*/true, -1));
}

// The mean of an element and itself is that element, and still it matters how often it counts.
// A summand may be 0 - x for -x: it reads the same elements, and has another value.
TEST(SameElements, OfSumsOfNegationsMayBeOfDifferences) {
  Pool pool;
  Scope scope(pool);
  constexpr int64_t kColumns = 3;
  Term zero = pool.Literal(kF32, 0);
  auto times = [&](Term a, Term b) { return pool.Apply(Op::kMultiply, kF32, {a, b}); };
  auto add = [&](Term a, Term b) { return pool.Apply(Op::kAdd, kF32, {a, b}); };
  auto load = [&](Term at) { return pool.Load(0, at, kF32); };
  auto sum_of = [&](auto&& value, int64_t skip) {
    Term total = value(pool.Number(0));
    for (int64_t c = 1; c < kColumns; ++c) {
      if (c != skip) total = add(total, value(pool.Number(c)));
    }
    return total;
  };
  auto kernel = [&](int64_t skip, int64_t inner_skip) {
    Term negated = pool.Apply(Op::kSubtract, kF32, {zero, sum_of(load, inner_skip)});
    return sum_of([&](Term at) { return times(load(at), negated); }, skip);
  };
  Term c = pool.Variable("c", {0, kColumns - 1}), d = pool.Variable("d", {0, kColumns - 1});
  auto fold = [&](Term value, Term over) {
    return add(zero, pool.Fold(Op::kAdd, pool.True(), value, {over}));
  };
  Term hlo = fold(times(load(c), pool.Apply(Op::kNegate, kF32, {fold(load(d), d)})), c);
  SameValue same(scope, {});
  EXPECT_TRUE(same.ProveElements(kernel(-1, -1), hlo));
  EXPECT_FALSE(same.Prove(kernel(-1, -1), hlo)) << "what elements may be values may not";
  EXPECT_FALSE(same.ProveElements(kernel(1, -1), hlo));
  EXPECT_FALSE(same.ProveElements(kernel(-1, 1), hlo));
}

// Only the index of the first true element counts, however often an element is combined.
TEST(SameElements, OfTheFirstTrueElementAreASet) {
  Pool pool;
  Scope scope(pool);
  constexpr int64_t kColumns = 3;
  auto load = [&](Term at) { return pool.Load(0, at, PrimitiveType::kPred); };
  // (a, i) and (b, j): a if it is greater, or equal and before.
  auto combine = [&](llvm::ArrayRef<Term> x, llvm::ArrayRef<Term> y) {
    Term difference = pool.Subtract(pool.IntegerOf(x[0]), pool.IntegerOf(y[0]));
    Term before = pool.AtLeastZero(
        pool.Add(pool.Subtract(pool.IntegerOf(y[1]), pool.IntegerOf(x[1])), pool.Number(-1)));
    Term greater = pool.AtLeastZero(pool.Add(difference, pool.Number(-1)));
    Term left = pool.Or({greater, pool.And({pool.IsZero(difference), before})});
    Term value = pool.OfCondition(pool.Or({pool.Holds(x[0]), pool.Holds(y[0])}));
    return std::vector<Term>{value, pool.Select(left, x[1], y[1])};
  };
  Term column = pool.Variable("column", {0, kColumns - 1});
  Term element = pool.Apply(Op::kElements, kS32, {load(column), pool.OfInteger(column, kS32)});
  Term elements =
      pool.Fold(terms::Operation::FoldByComputation("c"), pool.True(), element, {column});
  const std::vector<Term> init = {pool.Literal(PrimitiveType::kPred, 0), pool.Literal(kS32, 0)};
  Term hlo = pool.Apply(terms::Operation::ResultOf(terms::Operation::FoldByComputation("c"), 1),
                        kS32, {init[0], init[1], elements});
  auto kernel = [&](int64_t skip) {
    std::vector<Term> running = init;
    for (int64_t c = 0; c < kColumns; ++c) {
      const std::vector<Term> next = {load(pool.Number(c)), pool.Literal(kS32, c)};
      // Lanes may combine one with itself.
      if (c != skip) running = combine(combine(running, next), next);
    }
    return running[1];
  };
  SameValue same(scope, {});
  same.set_combine([&](llvm::StringRef, llvm::ArrayRef<Term> a, llvm::ArrayRef<Term> b) {
    return combine(a, b);
  });
  EXPECT_TRUE(same.ProveElements(kernel(-1), hlo));
  EXPECT_FALSE(same.ProveElements(kernel(1), hlo));
}

// Masked elements are -inf to the computation, and nothing to the kernel.
TEST(SameValue, MaximaOfMaskedElements) {
  Pool pool;
  Scope scope(pool);
  Term column = pool.Variable("column", {0, 4}), lowest = pool.Literal(kF32, 0xff800000);
  auto hlo = [&](Term masked) {
    Term shown = pool.AtLeastZero(pool.Subtract(pool.Number(2), column));
    Term value = pool.Select(shown, pool.Load(0, column, kF32), masked);
    return pool.Fold(Op::kMaximum, pool.True(), value, {column});
  };
  auto kernel = [&](int64_t count) {
    Term most = pool.Load(0, pool.Number(0), kF32);
    for (int64_t c = 1; c < count; ++c)
      most = pool.Apply(Op::kMaximum, kF32, {most, pool.Load(0, pool.Number(c), kF32)});
    return most;
  };
  EXPECT_TRUE(SameValue(scope, {}).Prove(kernel(3), hlo(lowest)));
  EXPECT_FALSE(SameValue(scope, {}).Prove(kernel(2), hlo(lowest)));
  EXPECT_FALSE(SameValue(scope, {}).Prove(kernel(4), hlo(lowest)));
  EXPECT_FALSE(SameValue(scope, {}).Prove(kernel(3), hlo(pool.Literal(kF32, 0))));
}

TEST(SameElements, OfMeansCountAsOften) {
  Pool pool;
  Scope scope(pool);
  Term column = pool.Variable("column", {0, 1}), zero = pool.Literal(kS32, 0);
  auto mean = [&](Term a, Term b) {
    Term x = pool.IntegerOf(a), half = scope.Quotient(pool.Subtract(x, pool.IntegerOf(b)), 2);
    return pool.OfInteger(pool.Subtract(x, half), kS32);
  };
  Term element = pool.Apply(Op::kElements, kS32, {pool.Load(0, column, kS32)});
  Term elements =
      pool.Fold(terms::Operation::FoldByComputation("c"), pool.True(), element, {column});
  Term first = pool.Load(0, pool.Number(0), kS32), second = pool.Load(0, pool.Number(1), kS32);
  ASSERT_EQ(mean(first, first), first);
  SameValue same(scope, {});
  same.set_combine([&](llvm::StringRef, llvm::ArrayRef<Term> a, llvm::ArrayRef<Term> b) {
    return std::vector<Term>{mean(a[0], b[0])};
  });
  EXPECT_FALSE(same.ProveElements(
      mean(mean(mean(zero, first), second), second),
      pool.Apply(terms::Operation::ResultOf(terms::Operation::FoldByComputation("c"), 0), kS32,
                 {zero, elements})));
}

TEST(SameValue, IntegerSumsAndExtrema) {
  Pool pool;
  Scope scope(pool);
  Term column = pool.Variable("column", {0, 4});
  Term init = pool.Literal(kS32, 7), lowest = pool.Literal(kS32, -(Int128{1} << 31));
  Term fold_sum =
      pool.Apply(Op::kAdd, kS32,
                 {init, pool.Fold(Op::kAdd, pool.True(), pool.Load(0, column, kS32), {column})});
  Term fold_max = pool.Apply(
      Op::kMaximum, kS32,
      {lowest, pool.Fold(Op::kMaximum, pool.True(), pool.Load(0, column, kS32), {column})});
  Term sum = pool.Number(7), most = pool.Number(-(Int128{1} << 31)), twice = pool.Number(7);
  for (int64_t c = 0; c < 5; ++c) {
    Term value = pool.IntegerOf(pool.Load(0, pool.Number(c), kS32));
    sum = pool.Add(sum, value);
    twice = pool.Add(twice, pool.Scale(value, c == 3 ? 2 : 1));
    if (c != 4) most = scope.Max(most, value);
  }
  EXPECT_TRUE(SameValue(scope, {}).Prove(pool.OfInteger(sum, kS32), fold_sum));
  EXPECT_FALSE(SameValue(scope, {}).Prove(pool.OfInteger(twice, kS32), fold_sum));
  EXPECT_FALSE(SameValue(scope, {}).Prove(pool.OfInteger(most, kS32), fold_max));
  most = scope.Max(most, pool.IntegerOf(pool.Load(0, pool.Number(4), kS32)));
  EXPECT_TRUE(SameValue(scope, {}).Prove(pool.OfInteger(most, kS32), fold_max));
}

TEST(SameValue, ChoicesBecomeCases) {
  Pool pool;
  Scope scope(pool);
  Term i = pool.Variable("i", {0, 99}), seven = pool.Literal(kF32, 7);
  Term inside = pool.AtLeast(i, pool.Number(10)), below = pool.AtLeast(pool.Number(89), i);
  Term value = pool.Load(0, pool.Add(i, pool.Number(-10)), kF32);
  Term both = pool.Select(pool.And({inside, below}), value, seven);
  Term nested = pool.Select(inside, pool.Select(below, value, seven), seven);
  Term off_by_one =
      pool.Select(inside, pool.Select(pool.AtLeast(pool.Number(88), i), value, seven), seven);
  EXPECT_TRUE(SameValue(scope, {}).Prove(nested, both));
  EXPECT_FALSE(SameValue(scope, {}).Prove(off_by_one, both));
  EXPECT_TRUE(SameValue(scope, {}).ProveElements(pool.Apply(Op::kTanh, kF32, {nested}), both));
  EXPECT_FALSE(SameValue(scope, {}).ProveElements(pool.Apply(Op::kTanh, kF32, {off_by_one}), both));
}

// The remainder of a device that is guarded against divisors 0 and -1, as it is and corrected
// toward that of Python.
TEST(SameValue, GuardsAreDecidedBeforeWhatIsGuarded) {
  Pool pool;
  Scope scope(pool);
  terms::TermDecider decider({});
  const Term a = pool.Load(0, pool.Number(0), kS32), b = pool.Load(1, pool.Number(0), kS32);
  auto number = [&](int64_t n) { return pool.OfInteger(pool.Number(n), kS32); };
  auto is = [&](Term x, int64_t n) { return pool.Equal(pool.IntegerOf(x), pool.Number(n)); };
  auto remainder = [&](Term x, Term y) {
    return terms::OperationOnIntegers(scope, Op::kRemainder, kS32, x, y);
  };
  auto floor = [&](Term r) {
    const Term sum = terms::OperationOnIntegers(scope, Op::kAdd, kS32, r, b);
    const Term other_sign =
        pool.Or({pool.And({pool.AtLeast(pool.IntegerOf(r), pool.Number(0)),
                           pool.Not(pool.AtLeast(pool.IntegerOf(b), pool.Number(0)))}),
                 pool.And({pool.Not(pool.AtLeast(pool.IntegerOf(r), pool.Number(0))),
                           pool.AtLeast(pool.IntegerOf(b), pool.Number(0))})});
    return pool.Select(pool.And({other_sign, pool.Not(is(r, 0))}), sum, r);
  };
  auto guarded = [&](int64_t beside_minus_one) {
    const Term overflows = pool.And({is(a, INT32_MIN), is(b, -1)});
    const Term divisor = pool.Select(pool.Or({is(b, 0), overflows}), number(1), b);
    return pool.Select(is(b, 0), a,
                       pool.Select(overflows, number(beside_minus_one), remainder(a, divisor)));
  };
  EXPECT_TRUE(SameValue(scope, {}).Prove(guarded(0), remainder(a, b)));
  EXPECT_TRUE(SameValue(scope, {}).Prove(floor(guarded(0)), floor(remainder(a, b))));
  EXPECT_TRUE(SameValue(scope, {}, &decider).Prove(guarded(0), remainder(a, b)));
  EXPECT_TRUE(SameValue(scope, {}, &decider).Prove(floor(guarded(0)), floor(remainder(a, b))));
  EXPECT_FALSE(SameValue(scope, {}, &decider).Prove(floor(guarded(1)), floor(remainder(a, b))));
}

TEST(SameValue, OperationsKeepTheirOperands) {
  Pool pool;
  Scope scope(pool);
  Term a = pool.Load(0, pool.Number(0), kF32), b = pool.Load(1, pool.Number(0), kF32);
  auto apply = [&](terms::Op op, Term x, Term y) { return pool.Apply(op, kF32, {x, y}); };
  auto same = [&](Term x, Term y) { return SameValue(scope, {}).Prove(x, y); };
  EXPECT_TRUE(same(apply(Op::kAdd, a, b), apply(Op::kAdd, b, a)));
  EXPECT_FALSE(same(apply(Op::kSubtract, a, b), apply(Op::kSubtract, b, a)));
  EXPECT_FALSE(same(apply(Op::kAdd, a, a), apply(Op::kAdd, a, b)));
  EXPECT_FALSE(same(a, b));
  EXPECT_FALSE(same(a, pool.Arbitrary(kF32)));
  EXPECT_FALSE(SameValue(scope, {}).ProveElements(apply(Op::kAdd, a, pool.Arbitrary(kF32)), a));
}

// Steps of rules are taken together, however many there are, also below other operations.
TEST(SameValue, LongChainsOfNegationsAreShortened) {
  Pool pool;
  Scope scope(pool);
  const Term x = pool.Load(0, pool.Number(0), kF32);
  auto negated = [&](Term term, int times) {
    for (int k = 0; k < times; ++k) term = pool.Apply(Op::kNegate, kF32, {term});
    return term;
  };
  auto same = [&](Term a, Term b) { return SameValue(scope, {}).Prove(a, b).has_value(); };
  EXPECT_TRUE(same(x, negated(x, 1000)));
  EXPECT_TRUE(same(negated(x, 1000), x));
  EXPECT_TRUE(same(negated(x, 1), negated(x, 1001)));
  EXPECT_FALSE(same(x, negated(x, 1001)));
  Term plain = x, with_pairs = x;
  for (int k = 0; k < 200; ++k) {
    plain = pool.Apply(Op::kCosine, kF32, {plain});
    with_pairs = pool.Apply(Op::kCosine, kF32, {negated(with_pairs, 2)});
  }
  EXPECT_TRUE(same(plain, with_pairs));
  EXPECT_FALSE(same(plain, negated(with_pairs, 1)));
}

// A sum of [6,2,20] numbers in an array [2,6,20], in the order of the sum: thread t of eight takes
// number 8 * i + t in turn i.
TEST(SameValue, PartsOfATransposedSum) {
  Pool pool;
  Scope scope(pool);
  Term a = pool.Variable("a", {0, 5}), b = pool.Variable("b", {0, 1}),
       c = pool.Variable("c", {0, 19});
  auto load = [&](Term row, Term half, Term column) {
    Term element = pool.Sum(0, {{20, row}, {120, half}, {1, column}});
    return pool.Apply(Op::kExponential, kF32, {pool.Load(0, element, kF32)});
  };
  const Term sum = pool.Fold(Op::kAdd, pool.True(), load(a, b, c), {a, b, c});
  auto kernel = [&](int64_t moved, int64_t rows, int64_t turns) {
    Term total = pool.Literal(kF32, 0x80000000);
    for (int64_t t = 0; t < 8; ++t) {
      const bool one = t == 5;
      Term i = pool.Variable("i" + std::to_string(t), {0, (one ? turns : 30) - 1});
      Term number = pool.Add(pool.Scale(i, 8), pool.Number(one ? moved : t));
      Term line = scope.Quotient(number, 20);
      Term value = load(scope.Quotient(number, one ? rows : 40), scope.Residue(line, 2),
                        scope.Residue(number, 20));
      total = pool.Apply(Op::kAdd, kF32, {pool.Fold(Op::kAdd, pool.True(), value, {i}), total});
    }
    return total;
  };
  SameValueOptions options;
  options.folds_of_kernel = true;
  options.fold_elements = 16;  // so that nothing is written out
  auto same = [&](Term value) { return SameValue(scope, options).Prove(value, sum); };
  EXPECT_TRUE(same(kernel(5, 40, 30)));
  EXPECT_FALSE(same(kernel(4, 40, 30)));
  EXPECT_FALSE(same(kernel(5, 44, 30)));
  EXPECT_FALSE(same(kernel(5, 40, 29)));
  EXPECT_FALSE(same(kernel(5, 40, 31)));
}

// Ones where x == y, made of the bits of 1.0, against converted predicates: each of many sums is
// decided by a comparison of its own, on f32 in the kernel.
TEST(SameValue, NumbersThatComparisonsDecide) {
  constexpr PrimitiveType kBF16 = PrimitiveType::kBF16, kPred = PrimitiveType::kPred,
                          kS64 = PrimitiveType::kS64;
  Pool pool;
  Scope scope(pool);
  constexpr int64_t kColumns = 200;
  auto element = [&](int64_t buffer, Term at) { return pool.Load(buffer, at, kBF16); };
  Term column = pool.Variable("column", {0, kColumns - 1});
  Term equal = pool.Apply(Op::kCompareEq, kPred, {element(0, column), element(1, pool.Number(0))});
  Term one_hot = pool.Apply(Op::kConvert, kBF16, {pool.OfInteger(pool.IntegerOf(equal), kS64)});
  const Term sum = pool.Fold(Op::kAdd, pool.True(), one_hot, {column});
  auto wide = [&](Term narrow) { return pool.Apply(Op::kConvert, kF32, {narrow}); };
  auto kernel = [&](int64_t moved, int64_t one, int64_t other, bool less, int64_t skip) {
    Term total = pool.Literal(kBF16, 0x8000);
    for (int64_t k = 0; k < kColumns; ++k) {
      const bool odd = k == 9;
      Term x = wide(element(0, pool.Number(odd ? moved : k)));
      Term y = wide(element(1, pool.Number(0)));
      Term compared = pool.Apply(odd && less ? Op::kCompareLt : Op::kCompareEq, kPred, {x, y});
      Term bits = pool.PickAtom(pool.Holds(compared), pool.Number(odd ? one : 0x3f800000),
                                pool.Number(odd ? other : 0));
      Term number = pool.Apply(Op::kBitcast, kF32, {pool.OfInteger(bits, kS32)});
      Term value = pool.Apply(Op::kConvert, kBF16, {number});
      if (k != skip) total = pool.Apply(Op::kAdd, kBF16, {total, value});
    }
    return total;
  };
  auto same = [&](Term value) { return SameValue(scope, {}).Prove(value, sum); };
  constexpr int64_t kOne = 0x3f800000, kTwo = 0x40000000;
  EXPECT_TRUE(same(kernel(9, kOne, 0, false, -1)));
  EXPECT_FALSE(same(kernel(8, kOne, 0, false, -1)));
  EXPECT_FALSE(same(kernel(9, kTwo, 0, false, -1)));
  EXPECT_FALSE(same(kernel(9, 0, kOne, false, -1)));
  EXPECT_FALSE(same(kernel(9, kOne, 0, true, -1)));
  EXPECT_FALSE(same(kernel(9, kOne, 0, false, 9)));
}

// A proof with further licences is tried only where one without them has missed them.
TEST(SameValue, FailuresTellWhichLicencesTheyMissed) {
  Pool pool;
  Scope scope(pool);
  auto load = [&](Term at) { return pool.Load(0, at, kF32); };
  auto sum = [&](Term x, Term y) { return pool.Apply(Op::kAdd, kF32, {x, y}); };
  Term i = pool.Variable("i", {0, 1}), j = pool.Variable("j", {0, 1});
  Term inner = pool.Fold(Op::kAdd, pool.True(), load(pool.Add(pool.Scale(i, 2), j)), {j});
  Term nested = pool.Fold(Op::kAdd, pool.True(), inner, {i});
  Term pairs = sum(sum(load(pool.Number(0)), load(pool.Number(3))),
                   sum(load(pool.Number(1)), load(pool.Number(2))));
  Term row = pool.Fold(Op::kAdd, pool.True(), load(j), {j});
  Term zero = pool.Literal(kF32, 0);
  auto missed = [&](Term kernel, Term hlo, bool zeros, bool nested_sums) {
    SameValueOptions options;
    options.folds_in_form = true;
    options.zeros = zeros ? ZeroSigns::kNone : ZeroSigns::kExact;
    options.nested_sums = nested_sums;
    SameValue same(scope, options);
    const bool proved = same.Prove(kernel, hlo).has_value();
    return std::tuple(proved, same.missed().zeros, same.missed().nested_sums);
  };
  EXPECT_EQ(missed(pairs, nested, false, false), std::tuple(false, false, true));
  EXPECT_EQ(missed(pairs, nested, false, true), std::tuple(true, false, false));
  Term two = sum(load(pool.Number(0)), load(pool.Number(1)));
  EXPECT_EQ(missed(two, sum(zero, row), false, false), std::tuple(false, true, false));
  EXPECT_TRUE(std::get<0>(missed(two, sum(zero, row), true, false)));
  // A fold that is not written out, and what it gives with a zero.
  Term many = pool.Variable("many", {0, (1 << 24) - 1});
  Term large = pool.Fold(Op::kAdd, pool.True(), load(many), {many});
  EXPECT_EQ(missed(large, sum(zero, large), false, false), std::tuple(false, true, false));
  EXPECT_TRUE(std::get<0>(missed(large, sum(zero, large), true, false)));
  EXPECT_EQ(missed(load(pool.Number(0)), load(pool.Number(1)), false, false),
            std::tuple(false, false, false));
  EXPECT_EQ(missed(pairs, row, false, false), std::tuple(false, false, false));
}

}  // namespace
}  // namespace affirm::compare
