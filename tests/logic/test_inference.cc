// Each inference rule gives its conclusion, and nothing for a wrong premise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "verify/logic/inference.h"

namespace affirm::logic {
namespace {

using hlo::PrimitiveType;
using terms::Int128;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Term;

constexpr PrimitiveType kF32 = PrimitiveType::kF32, kS32 = PrimitiveType::kS32,
                        kPred = PrimitiveType::kPred;

// tests/logic/CMakeLists.txt tries in other ways.
static_assert(!std::is_default_constructible_v<Theorem>);
static_assert(!std::is_constructible_v<Theorem, Term, Term>);
static_assert(!std::is_constructible_v<Theorem, Facts, Term, Term>);
static_assert(!std::is_constructible_v<Theorem, Facts, Term, Term, Equality, Oracles>);
static_assert(!std::is_aggregate_v<Theorem>);
static_assert(!std::is_copy_constructible_v<Inference>);

class Inferences : public testing::Test {
 protected:
  Term Load(int64_t buffer, Term at, PrimitiveType type = kF32) {
    return pool.Load(buffer, at, type);
  }
  Term Apply(Op op, PrimitiveType type, llvm::ArrayRef<Term> args) {
    return pool.Apply(op, type, args);
  }
  // F |- a = b, which only the test asserts.
  Theorem Given(Term a, Term b, Equality equality = Equality::kBits, Facts facts = {}) {
    return *infer.Believe(Oracles::One(Oracle::kFolds), facts, a, b, equality);
  }
  Theorem GivenThat(Term condition, Facts facts = {}) {
    return Given(condition, pool.True(), Equality::kBits, std::move(facts));
  }

  Pool pool;
  Scope scope{pool};
  Inference infer{scope};
  Term i = pool.Variable("i", {0, 9}), j = pool.Variable("j", {0, 9}), zero = pool.Number(0),
       one = pool.Number(1);
  Term p = pool.AtLeast(i, pool.Number(5)), q = pool.AtLeast(j, pool.Number(5));
  Term x = Load(0, i), y = Load(0, j), z = Load(1, i);
};

TEST_F(Inferences, ReflexivityNeedsNothing) {
  const Theorem same = infer.Reflexivity(x);
  EXPECT_TRUE(same.States(x, x));
  EXPECT_TRUE(same.facts().conditions().empty());
  EXPECT_TRUE(same.oracles().empty());
  EXPECT_EQ(same.equality(), Equality::kBits);
}

TEST_F(Inferences, SymmetryKeepsWhatTheTheoremRestsOn) {
  const Theorem back = infer.Symmetry(Given(x, y, Equality::kNansAreOne, Facts::One(p)));
  EXPECT_TRUE(back.States(y, x));
  EXPECT_TRUE(back.facts().Contains(p));
  EXPECT_EQ(back.equality(), Equality::kNansAreOne);
  EXPECT_TRUE(back.oracles().Has(Oracle::kFolds));
}

TEST_F(Inferences, TransitivityNeedsTheMiddleTerm) {
  const Theorem first = Given(x, y, Equality::kNansAreOne, Facts::One(p));
  const Theorem second = Given(y, z, Equality::kBits, Facts::One(q));
  const auto both = infer.Transitivity(first, second);
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->States(x, z));
  EXPECT_TRUE(both->facts().Contains(p) && both->facts().Contains(q));
  EXPECT_EQ(both->equality(), Equality::kNansAreOne);
  EXPECT_FALSE(infer.Transitivity(second, first));
  EXPECT_FALSE(infer.Transitivity(first, infer.Symmetry(second)));
}

TEST_F(Inferences, CongruenceNeedsEachOperand) {
  const Term a = Apply(Op::kAtan2, kF32, {x, y}), b = Apply(Op::kAtan2, kF32, {z, y});
  EXPECT_TRUE(infer.Congruence(a, b, {Given(x, z), std::nullopt})->States(a, b));
  EXPECT_FALSE(infer.Congruence(a, b, {std::nullopt, std::nullopt}));
  EXPECT_FALSE(infer.Congruence(a, b, {Given(z, x), std::nullopt}));
  EXPECT_FALSE(infer.Congruence(a, b, {Given(x, z)}));
  EXPECT_FALSE(infer.Congruence(a, b, {Given(x, z), std::nullopt, std::nullopt}));
  EXPECT_FALSE(infer.Congruence(a, b, {Given(x, z), Given(x, z)}));
}

TEST_F(Inferences, CongruenceIsOfOneOperation) {
  const Term atan = Apply(Op::kAtan2, kF32, {x, y}), power = Apply(Op::kPower, kF32, {x, y});
  const std::vector<Inference::Result> same = {std::nullopt, std::nullopt};
  EXPECT_FALSE(infer.Congruence(atan, power, same));
  EXPECT_FALSE(infer.Congruence(Load(0, i), Load(1, i), {std::nullopt}));
  EXPECT_FALSE(infer.Congruence(Load(0, i), Load(0, i, kS32), {std::nullopt}));
  const Term few = pool.Apply(terms::Operation::ReducePrecision(5, 7), kF32, {x});
  const Term more = pool.Apply(terms::Operation::ReducePrecision(5, 8), kF32, {x});
  EXPECT_FALSE(infer.Congruence(few, more, {std::nullopt}));
  const Term half = pool.QuotientAtom(i, 2), third = pool.QuotientAtom(i, 3);
  EXPECT_FALSE(infer.Congruence(half, third, {std::nullopt}));
  // Their operands do not say everything.
  EXPECT_FALSE(infer.Congruence(pool.Scale(i, 2), pool.Scale(i, 3), {}));
  EXPECT_FALSE(infer.Congruence(i, j, {}));
  EXPECT_FALSE(infer.Congruence(pool.Unknown({0, 9}), pool.Unknown({0, 9}), {}));
  EXPECT_FALSE(infer.Congruence(pool.Arbitrary(kF32), pool.Arbitrary(kF32), {}));
}

TEST_F(Inferences, OperandsChangePlacesWhereTheOperationCommutes) {
  const Term u = Load(2, i);
  const Term sum = Apply(Op::kAdd, kF32, {x, y}), other = Apply(Op::kAdd, kF32, {z, u});
  const Inference::Result first = Given(sum->args[0], other->args[1]);
  const Inference::Result second = Given(sum->args[1], other->args[0]);
  using enum Inference::Order;
  EXPECT_TRUE(infer.Congruence(sum, other, {first, second}, kSwapped)->States(sum, other));
  EXPECT_FALSE(infer.Congruence(sum, other, {first, second}, kSame));
  const Term power = Apply(Op::kPower, kF32, {x, y}), back = Apply(Op::kPower, kF32, {y, x});
  EXPECT_FALSE(infer.Congruence(power, back, {std::nullopt, std::nullopt}, kSwapped));
  const Term choice = pool.PickAtom(p, i, j);
  EXPECT_FALSE(
      infer.Congruence(choice, choice, {std::nullopt, std::nullopt, std::nullopt}, kSwapped));
}

TEST_F(Inferences, BitsOfNansCountWhereAnOperationShowsThem) {
  const Inference::Result nans_are_one = Given(x, z, Equality::kNansAreOne);
  const Inference::Result to_the_bit = Given(x, z);
  auto bits = [&](Term of) { return Apply(Op::kBitcast, kS32, {of}); };
  EXPECT_FALSE(infer.Congruence(bits(x), bits(z), {nans_are_one}));
  EXPECT_TRUE(infer.Congruence(bits(x), bits(z), {to_the_bit}));
  auto signed_as = [&](Term of) { return Apply(Op::kCopysign, kF32, {y, of}); };
  EXPECT_FALSE(infer.Congruence(signed_as(x), signed_as(z), {std::nullopt, nans_are_one}));
  auto less = [&](Term of) { return Apply(Op::kCompareLtTotal, kPred, {of, y}); };
  EXPECT_FALSE(infer.Congruence(less(x), less(z), {nans_are_one, std::nullopt}));
  auto partial = [&](Term of) { return Apply(Op::kCompareLt, kPred, {of, y}); };
  const auto same = infer.Congruence(partial(x), partial(z), {nans_are_one, std::nullopt});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->equality(), Equality::kBits);  // predicates are no NaNs
  const auto sines =
      infer.Congruence(Apply(Op::kSine, kF32, {x}), Apply(Op::kSine, kF32, {z}), {nans_are_one});
  EXPECT_EQ(sines->equality(), Equality::kNansAreOne);
}

TEST_F(Inferences, SignsOfZerosCountWhereAnOperationShowsThem) {
  const Inference::Result zeros_are_one = Given(x, z, Equality::kZerosAreOne);
  // Operands that may change places stand in the order of their creation.
  auto replaced = [&](auto of) {
    const std::vector<Inference::Result> operands = {zeros_are_one, std::nullopt};
    auto same = infer.Congruence(of(x), of(z), operands);
    return same ? same : infer.Congruence(of(x), of(z), operands, Inference::Order::kSwapped);
  };
  auto on = [&](Op op) { return replaced([&, op](Term t) { return Apply(op, kF32, {t, y}); }); };
  for (Op op : {Op::kAdd, Op::kSubtract, Op::kMultiply, Op::kMaximum, Op::kDivide}) {
    ASSERT_TRUE(on(op)) << Name(op).str();
    EXPECT_EQ(on(op)->equality(), Equality::kZerosAreOne) << Name(op).str();
  }
  for (Op op : {Op::kPower, Op::kAtan2, Op::kRemainder, Op::kCopysign})
    EXPECT_FALSE(on(op)) << Name(op).str();
  auto divided = [&](Term by) { return Apply(Op::kDivide, kF32, {y, by}); };
  EXPECT_FALSE(infer.Congruence(divided(x), divided(z), {std::nullopt, zeros_are_one}));
  auto unary = [&](Op op, PrimitiveType type) {
    return infer.Congruence(Apply(op, type, {x}), Apply(op, type, {z}), {zeros_are_one});
  };
  EXPECT_FALSE(unary(Op::kBitcast, kS32));
  EXPECT_FALSE(unary(Op::kRsqrt, kF32));
  const Term u = pool.Load(2, i, PrimitiveType::kC64), w = pool.Load(2, j, PrimitiveType::kC64);
  for (Op op : {Op::kSqrt, Op::kLog, Op::kExponential, Op::kMultiply})
    EXPECT_FALSE(infer.Congruence(Apply(op, PrimitiveType::kC64, {u}),
                                  Apply(op, PrimitiveType::kC64, {w}),
                                  {Given(u, w, Equality::kZerosAreOne)}))
        << Name(op).str();
  EXPECT_EQ(unary(Op::kTanh, kF32)->equality(), Equality::kZerosAreOne);
  // One value, whatever the sign.
  EXPECT_EQ(unary(Op::kExponential, kF32)->equality(), Equality::kNansAreOne);
  const Term one = pool.Literal(kF32, 0x3F800000);
  auto more = [&](Term t) { return Apply(Op::kAdd, kF32, {t, one}); };
  EXPECT_EQ(replaced(more)->equality(), Equality::kNansAreOne);
  auto less = [&](Term t) { return Apply(Op::kCompareLt, kPred, {t, y}); };
  EXPECT_EQ(replaced(less)->equality(), Equality::kBits);
}

TEST_F(Inferences, NansAreOneButForTheirBits) {
  const Term quiet = pool.Literal(kF32, 0x7FC00000), other = pool.Literal(kF32, 0xFFC00001);
  const auto same = infer.NansAreOne(quiet, other);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->equality(), Equality::kNansAreOne);
  EXPECT_FALSE(infer.NansAreOne(quiet, pool.Literal(kF32, 0x7F800000)));
  EXPECT_FALSE(infer.NansAreOne(pool.Literal(kF32, 0), quiet));
  EXPECT_FALSE(infer.NansAreOne(quiet, pool.Literal(PrimitiveType::kF16, 0x7E00)));
  EXPECT_FALSE(infer.NansAreOne(quiet, x));
}

TEST_F(Inferences, FunctionsAreOfTheirSort) {
  const Term a = Load(2, i, kS32), b = Load(2, j, kS32);
  const Term c = Load(3, i, kPred), d = Load(3, j, kPred);
  EXPECT_TRUE(infer.Mapped(Function::kIntegerOf, Given(a, b))
                  ->States(pool.IntegerOf(a), pool.IntegerOf(b)));
  EXPECT_TRUE(infer.Mapped(Function::kHolds, Given(c, d))->States(pool.Holds(c), pool.Holds(d)));
  EXPECT_TRUE(infer.Mapped(Function::kNot, Given(p, q))->States(pool.Not(p), pool.Not(q)));
  EXPECT_TRUE(infer.Mapped(Function::kOfCondition, Given(p, q))
                  ->States(pool.OfCondition(p), pool.OfCondition(q)));
  EXPECT_FALSE(infer.Mapped(Function::kIntegerOf, Given(x, y)));
  EXPECT_FALSE(infer.Mapped(Function::kIntegerOf, Given(i, j)));
  EXPECT_FALSE(infer.Mapped(Function::kHolds, Given(a, b)));
  EXPECT_FALSE(infer.Mapped(Function::kNot, Given(a, b)));
  EXPECT_FALSE(infer.Mapped(Function::kOfCondition, Given(i, j)));
}

TEST_F(Inferences, FactsOfFoldsDoNotMentionTheirVariables) {
  const Term d = pool.Variable("d", {0, 3}), e = pool.Variable("e", {0, 3});
  const Term counts = pool.AtLeast(d, one);
  const Term u = Load(0, d), v = Load(1, d);
  auto fold = [&](Term condition, Term value, Term over) {
    return pool.Fold(Op::kAdd, condition, value, {over});
  };
  const Term a = fold(counts, u, d), b = fold(counts, v, d);
  const Theorem same_condition = infer.Reflexivity(counts);
  const auto where_it_counts =
      infer.FoldCongruence(a, b, same_condition, Given(u, v, Equality::kBits, Facts::One(counts)));
  ASSERT_TRUE(where_it_counts);
  EXPECT_TRUE(where_it_counts->States(a, b));
  EXPECT_TRUE(where_it_counts->facts().conditions().empty());
  const Theorem elsewhere =
      Given(u, v, Equality::kBits, Facts::One(pool.AtLeast(d, pool.Number(2))));
  EXPECT_FALSE(infer.FoldCongruence(a, b, same_condition, elsewhere));
  // A fact may mention other variables.
  const auto of_others =
      infer.FoldCongruence(a, b, same_condition, Given(u, v, Equality::kBits, Facts::One(p)));
  EXPECT_TRUE(of_others && of_others->facts().Contains(p));
  EXPECT_FALSE(infer.FoldCongruence(a, fold(counts, v, e), same_condition, Given(u, v)));
  const Term product = pool.Fold(Op::kMultiply, counts, v, {d});
  EXPECT_FALSE(infer.FoldCongruence(a, product, same_condition, Given(u, v)));
  EXPECT_FALSE(infer.FoldCongruence(a, b, same_condition, Given(v, u)));
  EXPECT_FALSE(infer.FoldCongruence(a, fold(pool.True(), v, d), same_condition, Given(u, v)));
  const Theorem condition_there =
      Given(counts, pool.True(), Equality::kBits, Facts::One(pool.AtLeast(d, one)));
  EXPECT_FALSE(infer.FoldCongruence(a, fold(pool.True(), v, d), condition_there, Given(u, v)));
}

TEST_F(Inferences, InstancesStayInTheRangeOfTheVariable) {
  const Theorem theorem = Given(x, Load(1, i), Equality::kBits, Facts::One(p));
  const auto at_j = infer.Instance(theorem, i, j);
  ASSERT_TRUE(at_j);
  EXPECT_TRUE(at_j->States(Load(0, j), Load(1, j)));
  EXPECT_TRUE(at_j->facts().Contains(q));
  EXPECT_FALSE(at_j->facts().Contains(p));
  EXPECT_FALSE(infer.Instance(theorem, i, pool.Add(j, one)));
  EXPECT_FALSE(infer.Instance(theorem, i, pool.Number(-1)));
  EXPECT_FALSE(infer.Instance(theorem, i, p));
  EXPECT_FALSE(infer.Instance(theorem, x, j));
  EXPECT_FALSE(infer.Instance(theorem, i, pool.Unknown({0, 9})));
}

TEST_F(Inferences, InstancesAreNotOfBoundVariables) {
  const Term d = pool.Variable("d", {0, 9});
  const Term fold = pool.Fold(Op::kAdd, pool.True(), Load(0, pool.Add(i, d)), {d});
  const Theorem theorem = Given(fold, Load(1, i));
  EXPECT_TRUE(infer.Instance(theorem, i, j));
  EXPECT_FALSE(infer.Instance(theorem, d, j));  // it is the fold's own
  EXPECT_FALSE(infer.Instance(theorem, i, d));  // it would become the fold's
  const Theorem unknown = Given(Load(0, pool.Unknown({0, 9})), x);
  EXPECT_FALSE(infer.Instance(unknown, i, j));
  EXPECT_FALSE(infer.Instance(Given(pool.Arbitrary(kF32), x), i, j));
}

TEST_F(Inferences, AssumptionsAreFacts) {
  const Theorem assumed = infer.Assume(p);
  EXPECT_TRUE(assumed.States(p));
  EXPECT_EQ(assumed.facts(), Facts::One(p));
  EXPECT_TRUE(infer.Assume(x).States(x, x));  // no condition: nothing is assumed
  EXPECT_FALSE(infer.Assume(x).States(x));
}

TEST_F(Inferences, CutDischargesWhatIsProved) {
  const Theorem fact = GivenThat(p, Facts::One(q));
  const auto cut = infer.Cut(fact, Given(x, y, Equality::kBits, Facts::One(p)));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->facts(), Facts::One(q));
  EXPECT_FALSE(infer.Cut(Given(p, q), Given(x, y, Equality::kBits, Facts::One(p))));
  EXPECT_FALSE(infer.Cut(Given(p, pool.False()), Given(x, y, Equality::kBits, Facts::One(p))));
}

TEST_F(Inferences, CasesNeedBothSides) {
  const Theorem yes = Given(x, y, Equality::kBits, Facts::One(p));
  const Theorem no = Given(x, y, Equality::kNansAreOne, Facts::One(pool.Not(p)));
  const auto both = infer.Cases(p, yes, no);
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->States(x, y));
  EXPECT_TRUE(both->facts().conditions().empty());
  EXPECT_EQ(both->equality(), Equality::kNansAreOne);
  // A theorem of one case twice keeps its fact.
  EXPECT_TRUE(infer.Cases(p, yes, yes)->facts().Contains(p));
  EXPECT_TRUE(infer.Cases(p, no, yes)->facts().Contains(p));
  EXPECT_TRUE(infer.Cases(q, yes, no)->facts().Contains(p));
  EXPECT_FALSE(infer.Cases(p, yes, infer.Symmetry(no)));
  EXPECT_FALSE(infer.Cases(x, yes, no));
}

TEST_F(Inferences, EnumerationNeedsEachValue) {
  const Term d = pool.Variable("d", {2, 4});
  std::vector<Theorem> cases;
  for (int64_t value : {2, 3, 4})
    cases.push_back(Given(x, y, Equality::kBits, Facts::One(pool.Equal(d, pool.Number(value)))));
  const auto all = infer.Enumeration(d, cases);
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->facts().conditions().empty());
  EXPECT_FALSE(infer.Enumeration(d, llvm::ArrayRef(cases).drop_back()));
  EXPECT_FALSE(infer.Enumeration(d, {}));
  EXPECT_FALSE(infer.Enumeration(x, cases));
  EXPECT_FALSE(infer.Enumeration(pool.Unknown(terms::kAnything), cases));
  std::vector<Theorem> twice = {cases[0], cases[1], cases[1]};
  EXPECT_FALSE(infer.Enumeration(d, twice)->facts().conditions().empty());
  std::vector<Theorem> others = {cases[0], cases[1], infer.Symmetry(cases[2])};
  EXPECT_FALSE(infer.Enumeration(d, others));
}

TEST_F(Inferences, OfAContradictionAnythingFollowsOfOneType) {
  const Theorem yes = infer.Assume(p), no = infer.Assume(pool.Not(p));
  const auto any = infer.Absurd(yes, no, x, z);
  ASSERT_TRUE(any);
  EXPECT_TRUE(any->facts().Contains(p) && any->facts().Contains(pool.Not(p)));
  EXPECT_FALSE(infer.Absurd(yes, infer.Assume(pool.Not(q)), x, z));
  EXPECT_FALSE(infer.Absurd(yes, yes, x, z));
  EXPECT_FALSE(infer.Absurd(yes, Given(pool.Not(p), q), x, z));
  EXPECT_FALSE(infer.Absurd(yes, no, x, Load(2, i, kS32)));
  EXPECT_FALSE(infer.Absurd(yes, no, x, i));
}

TEST_F(Inferences, EquivalenceNeedsBothDirections) {
  const Theorem yes = GivenThat(q, Facts::One(p));
  const Theorem no = GivenThat(pool.Not(q), Facts::One(pool.Not(p)));
  const auto both = infer.Equivalence(p, q, yes, no);
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->States(p, q));
  EXPECT_TRUE(both->facts().conditions().empty());
  EXPECT_FALSE(infer.Equivalence(p, q, yes, yes));
  EXPECT_FALSE(infer.Equivalence(p, q, no, yes));
  EXPECT_TRUE(
      infer.Equivalence(p, q, yes, GivenThat(pool.Not(q), Facts::One(p)))->facts().Contains(p));
  EXPECT_FALSE(infer.Equivalence(x, q, yes, no));
}

TEST_F(Inferences, ChoicesAreMadeByTheirCondition) {
  const Term choice = pool.Select(p, x, z);
  ASSERT_EQ(choice->kind, terms::Kind::kSelect);
  ASSERT_EQ(choice->args[0], p);
  EXPECT_TRUE(infer.Chosen(choice, infer.Assume(p))->States(choice, x));
  EXPECT_TRUE(infer.Chosen(choice, Given(p, pool.False()))->States(choice, z));
  EXPECT_FALSE(infer.Chosen(choice, infer.Assume(q)));
  EXPECT_FALSE(infer.Chosen(choice, Given(p, q)));
  EXPECT_FALSE(infer.Chosen(x, infer.Assume(p)));
  const Term pick = pool.PickAtom(p, i, j);
  EXPECT_TRUE(infer.Chosen(pick, infer.Assume(p))->States(pick, i));
}

TEST_F(Inferences, ArmsCountWhereTheyAreTaken) {
  const Term u = Load(2, i), v = Load(2, j);
  const Term a = pool.Select(p, x, u), b = pool.Select(p, y, v);
  const Theorem yes = Given(x, y, Equality::kBits, Facts::One(p));
  const Theorem no = Given(u, v, Equality::kBits, Facts::One(pool.Not(p)));
  const auto same = infer.SameChoice(a, b, yes, no);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->facts().conditions().empty());
  EXPECT_FALSE(infer.SameChoice(a, b, no, yes));
  EXPECT_FALSE(infer.SameChoice(a, pool.Select(q, y, v), yes, no));
  const Theorem other_case = Given(u, v, Equality::kBits, Facts::One(p));
  EXPECT_TRUE(infer.SameChoice(a, b, yes, other_case)->facts().Contains(p));
  EXPECT_FALSE(infer.SameChoice(x, y, yes, no));
}

TEST_F(Inferences, ConjunctionsHoldWithTheirParts) {
  const Term both = pool.And({p, q});
  EXPECT_TRUE(infer.Conjunction({infer.Assume(p), infer.Assume(q)})->States(both));
  EXPECT_FALSE(infer.Conjunction({infer.Assume(p), Given(q, pool.False())}));
  EXPECT_TRUE(infer.Conjunct(infer.Assume(both), q)->States(q));
  EXPECT_FALSE(infer.Conjunct(infer.Assume(both), pool.Not(q)));
  EXPECT_FALSE(infer.Conjunct(Given(both, pool.False()), q));
  const Term either = pool.Or({p, q});
  EXPECT_FALSE(infer.Conjunct(infer.Assume(either), p));
}

TEST_F(Inferences, LinearCombinationsOfEqualIntegers) {
  const Term a = pool.Add(pool.Scale(i, 3), one), b = pool.Add(pool.Scale(j, 3), one);
  EXPECT_TRUE(infer.Linear(a, b, {Given(i, j)}, {3})->States(a, b));
  EXPECT_TRUE(infer.Linear(a, b, {Given(j, i)}, {-3}));
  EXPECT_FALSE(infer.Linear(a, b, {Given(i, j)}, {2}));
  EXPECT_FALSE(infer.Linear(a, b, {Given(i, j)}, {}));
  EXPECT_FALSE(infer.Linear(a, b));
  EXPECT_TRUE(infer.Linear(pool.Subtract(pool.Add(i, j), j), i));
  EXPECT_FALSE(infer.Linear(x, y, {Given(x, y)}, {1}));
  EXPECT_FALSE(infer.Linear(i, j, {Given(x, y)}, {1}));
}

TEST_F(Inferences, IntegersBeyond128BitsAreNotEqual) {
  const Term large = pool.Scale(i, terms::kInfinity / 2);
  const Term beyond = pool.Scale(large, 4), again = pool.Scale(large, 4);
  ASSERT_EQ(beyond->kind, terms::Kind::kUnknown);
  EXPECT_FALSE(infer.Linear(beyond, again));
  EXPECT_FALSE(infer.Linear(i, j, {Given(large, pool.Scale(j, terms::kInfinity / 2))}, {4}));
  EXPECT_FALSE(infer.Modulo(pool.OfInteger(beyond, kS32), pool.OfInteger(again, kS32)));
}

TEST_F(Inferences, DifferencesThatAreZero) {
  EXPECT_TRUE(infer.FromDifference(infer.Assume(pool.Equal(i, j)), i, j)->States(i, j));
  const Term i1 = pool.Add(i, one), j1 = pool.Add(j, one);
  EXPECT_TRUE(infer.FromDifference(infer.Assume(pool.Equal(i, j)), i1, j1));
  EXPECT_FALSE(infer.FromDifference(infer.Assume(pool.Equal(i, j)), i1, j));
  EXPECT_FALSE(infer.FromDifference(infer.Assume(pool.Not(pool.Equal(i, j))), i, j));
  EXPECT_FALSE(infer.FromDifference(Given(pool.Equal(i, j), pool.False()), i, j));
  EXPECT_FALSE(infer.FromDifference(infer.Assume(pool.Equal(i, j)), x, y));
}

TEST_F(Inferences, ValuesOfOneTypeAreTheIntegersThatTheyHold) {
  const Term a = Load(2, i, kS32), b = Load(2, j, kS32);
  const Theorem integers = Given(pool.IntegerOf(a), pool.IntegerOf(b));
  EXPECT_TRUE(infer.FromIntegers(integers, a, b)->States(a, b));
  EXPECT_FALSE(infer.FromIntegers(integers, b, a));
  const Term narrow = Load(2, j, PrimitiveType::kS8);
  EXPECT_FALSE(infer.FromIntegers(Given(pool.IntegerOf(a), pool.IntegerOf(narrow)), a, narrow));
  EXPECT_FALSE(infer.FromIntegers(Given(pool.IntegerOf(x), pool.IntegerOf(y)), x, y));
  EXPECT_FALSE(infer.FromIntegers(Given(i, j), i, j));
}

TEST_F(Inferences, IntegersAreEqualModuloTheWidth) {
  constexpr PrimitiveType kS8 = PrimitiveType::kS8;
  const Term third = pool.QuotientAtom(i, 3);
  const Term a = pool.OfInteger(pool.Add(pool.Scale(third, 128), i), kS8);
  const Term b = pool.OfInteger(pool.Add(pool.Scale(third, -128), i), kS8);
  EXPECT_TRUE(infer.Modulo(a, b)->States(a, b));
  const Term c = pool.OfInteger(pool.Add(pool.Scale(third, 64), i), kS8);
  EXPECT_FALSE(infer.Modulo(a, c));
  EXPECT_FALSE(infer.Modulo(a, pool.OfInteger(pool.Add(pool.Scale(third, 128), i), kS32)));
  EXPECT_FALSE(infer.Modulo(x, x));
}

TEST_F(Inferences, PredicatesAreOneWhereTheyHold) {
  const Term c = Load(3, i, kPred);
  const auto same = infer.PredicateAsInteger(c);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->States(pool.Equal(pool.IntegerOf(c), one), pool.Holds(c)));
  EXPECT_FALSE(infer.PredicateAsInteger(Load(2, i, kS32)));
  EXPECT_FALSE(infer.PredicateAsInteger(p));
}

TEST_F(Inferences, WhatAScopeSaysHasItsFacts) {
  scope.Assume(p);
  const Term later = pool.AtLeast(i, pool.Number(3));
  const auto decided = infer.Decided(later);
  ASSERT_TRUE(decided);
  EXPECT_TRUE(decided->States(later));
  EXPECT_TRUE(decided->facts().Contains(p));
  EXPECT_TRUE(decided->oracles().Has(Oracle::kRanges));
  EXPECT_FALSE(infer.Decided(q));
  EXPECT_FALSE(infer.Decided(x));
  const Theorem simplified = infer.Simplified(pool.PickAtom(p, i, j));
  EXPECT_EQ(simplified.right(), i);
  EXPECT_TRUE(simplified.facts().Contains(p));
}

TEST_F(Inferences, ATheoremOfACaseKeepsItsFactElsewhere) {
  const Term choice = pool.PickAtom(p, i, j);
  std::optional<Theorem> inside;
  {
    Case there(infer, p);
    inside = infer.Simplified(choice);
    EXPECT_TRUE(inside->States(choice, i));
    EXPECT_TRUE(infer.Discharge(*inside, there)->facts().Contains(p));
  }
  // After the case, and in the other one, it still says under which fact it holds.
  EXPECT_TRUE(inside->facts().Contains(p));
  Case other(infer, pool.Not(p));
  EXPECT_FALSE(infer.Discharge(*inside, other));
  EXPECT_TRUE(infer.Simplified(choice).States(choice, j));
}

TEST_F(Inferences, InnerFactsAreNotDischargedByAnOuterCase) {
  Case outer(infer, p);
  std::optional<Theorem> theorem;
  {
    Case inner(infer, q);
    theorem = infer.Simplified(pool.PickAtom(q, i, j));
    EXPECT_FALSE(infer.Discharge(*theorem, outer));
    EXPECT_TRUE(infer.Discharge(*theorem, inner)->facts().Contains(q));
  }
  scope.Assume(q);  // not by a case
  EXPECT_FALSE(infer.Discharge(infer.Simplified(pool.PickAtom(q, i, j)), outer));
}

TEST_F(Inferences, RestatedFactsFollowFromTheCase) {
  scope.Assume(pool.AtLeast(pool.PickAtom(q, i, pool.Number(-1)), pool.Number(3)));
  Case there(infer, q);
  ASSERT_TRUE(there.Restate());
  const Term large = pool.AtLeast(i, pool.Number(3));
  const auto decided = infer.Decided(large);
  ASSERT_TRUE(decided);
  const auto discharged = infer.Discharge(*decided, there);
  ASSERT_TRUE(discharged);
  EXPECT_EQ(discharged->facts().conditions().size(), 2);  // what was assumed, and q
  EXPECT_TRUE(discharged->facts().Contains(q));
}

TEST_F(Inferences, CasesThatCannotBe) {
  scope.Assume(p);
  {
    Case never(infer, pool.AtLeast(one, i));
    EXPECT_FALSE(never.possible());
    const auto impossible = infer.Impossible(never);
    ASSERT_TRUE(impossible);
    EXPECT_TRUE(impossible->States(pool.False()));
    EXPECT_TRUE(impossible->facts().Contains(p));
    EXPECT_TRUE(infer.Absurd(infer.Reflexivity(pool.True()), *impossible, x, z));
  }
  Case possible(infer, q);
  EXPECT_FALSE(infer.Impossible(possible));
}

TEST_F(Inferences, PartsAreReplacedOutsideOfTheirFacts) {
  const Term sum = Apply(Op::kAdd, kF32, {x, y});
  const auto replaced = infer.Replaced(sum, {Given(x, z, Equality::kNansAreOne, Facts::One(q))});
  ASSERT_TRUE(replaced);
  EXPECT_TRUE(replaced->States(sum, Apply(Op::kAdd, kF32, {z, y})));
  EXPECT_TRUE(replaced->facts().Contains(q));
  EXPECT_EQ(replaced->equality(), Equality::kNansAreOne);
  const Term bits = Apply(Op::kBitcast, kS32, {sum});
  EXPECT_FALSE(infer.Replaced(bits, {Given(x, z, Equality::kNansAreOne)}));
  EXPECT_TRUE(infer.Replaced(bits, {Given(x, z)}));
  // Operations inside of the replaced part do not count.
  const Term of_bits = Apply(Op::kBitcast, kF32, {Load(2, i, kS32)});
  const Term signed_part = Apply(Op::kCopysign, kF32, {y, x});
  EXPECT_TRUE(infer.Replaced(Apply(Op::kSine, kF32, {signed_part}),
                             {Given(signed_part, of_bits, Equality::kNansAreOne)}));
  EXPECT_FALSE(infer.Replaced(sum, {Given(x, z), Given(x, y)}));
  const Term d = pool.Variable("d", {0, 9});
  const Term u = Load(0, d), v = Load(1, d);
  const Term fold = pool.Fold(Op::kAdd, pool.True(), u, {d});
  EXPECT_TRUE(infer.Replaced(fold, {Given(u, v)}));
  EXPECT_FALSE(infer.Replaced(
      fold, {Given(u, v, Equality::kBits, Facts::One(pool.AtLeast(d, pool.Number(5))))}));
}

TEST_F(Inferences, FoldsKeepTheirVariables) {
  const Term d = pool.Variable("d", {0, 3}), e = pool.Variable("e", {0, 3});
  const Term fold = pool.Fold(Op::kAdd, pool.True(), Load(0, d), {d});
  EXPECT_FALSE(infer.Replaced(fold, {Given(d, e)}));
  EXPECT_TRUE(infer.Replaced(Load(0, d), {Given(d, e)}));
}

TEST_F(Inferences, DecidersAreNamed) {
  terms::TermDecider decider({});
  scope.Assume(pool.AtLeast(pool.Scale(i, 2), pool.Add(pool.Scale(j, 2), one)));
  const Term greater = pool.AtLeast(i, pool.Add(j, one));
  const auto proved = infer.DecidedBy(decider, greater);
  ASSERT_TRUE(proved);
  EXPECT_TRUE(proved->States(greater));
  EXPECT_TRUE(proved->oracles().Has(Oracle::kDeciders));
  EXPECT_FALSE(proved->facts().conditions().empty());
  EXPECT_FALSE(infer.DecidedBy(decider, q));
  EXPECT_FALSE(infer.DecidedBy(decider, x));
}

TEST_F(Inferences, NobodyIsBelievedWithoutAName) {
  EXPECT_FALSE(infer.Believe({}, {}, x, y, Equality::kBits));
  EXPECT_FALSE(infer.Believe(Oracles::One(Oracle::kFolds), {}, x, i, Equality::kBits));
  EXPECT_FALSE(
      infer.Believe(Oracles::One(Oracle::kFolds), {}, x, Load(0, i, kS32), Equality::kBits));
  const auto believed = infer.Believe(Oracles::Exhaustion(16), Facts::One(p), x, y,
                                      Equality::kNansAreOne, Oracles::Correspondence(Op::kRsqrt));
  ASSERT_TRUE(believed);
  EXPECT_EQ(ToString(believed->oracles()), "exhaustion over 2^16 values, correspondences of rsqrt");
  EXPECT_EQ(infer.Weaken(*believed, Facts::One(q)).facts().conditions().size(), 2);
}

TEST_F(Inferences, OraclesAreNamedOnce) {
  Oracles oracles = Oracles::One(Oracle::kRanges);
  oracles.Add(Oracles::Exhaustion(32));
  oracles.Add(Oracles::Exhaustion(16));
  oracles.Add(Oracles::One(Oracle::kRanges));
  oracles.Add(Oracles::Correspondence(Op::kRsqrt));
  oracles.Add(Oracles::Correspondence(Op::kConvert));
  EXPECT_EQ(ToString(oracles),
            "ranges, exhaustion over 2^16 and 2^32 values, correspondences of convert and rsqrt");
  EXPECT_THAT(oracles.exhausted(), testing::ElementsAre(16, 32));
  EXPECT_EQ(ToString(Oracles()), "");
}

}  // namespace
}  // namespace affirm::logic
