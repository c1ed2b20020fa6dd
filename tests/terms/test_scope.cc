// An answer of a scope holds wherever its facts hold, whatever facts came and went before. It is
// the answer of a scope that never had other facts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/terms/machine.h"
#include "verify/terms/range.h"
#include "verify/terms/scope.h"

namespace affirm::terms {
namespace {

// Operations of which terms know nothing, as a predicate, an integer, and whether one is even.
constexpr Op kFlag = Op::kErf, kNumber = Op::kLog, kEven = Op::kTanh;

using hlo::PrimitiveType;

// One of what a history is made of. Each is possible after all others, so that a history without
// some of its steps is one, and shrinking is fast: numbers say which of the terms that are there
// are meant, from the last one on.
enum class Do : uint8_t {
  // New terms.
  kSum,
  kQuotient,
  kResidue,
  kMax,
  kPick,
  kOperation,
  kAtLeastZero,
  kIsZero,
  kNot,
  kAnd,
  kEven,
  // Changes of the facts.
  kAssume,
  kSave,
  kRestore,
  // Questions, the answers of some of which are terms from then on.
  kAsk,
  kKeepQuotient,
  kKeepSimplified,
};
constexpr const char* kNames[] = {"sum",           "quotient",       "residue", "max",     "pick",
                                  "operation",     "at-least-zero",  "is-zero", "not",     "and",
                                  "even",          "assume",         "save",    "restore", "ask",
                                  "keep-quotient", "keep-simplified"};

struct Step {
  Do what;
  int a, b, c;
  int number;
};

std::ostream& operator<<(std::ostream& out, const Step& s) {
  return out << kNames[static_cast<int>(s.what)] << "(" << s.a << ", " << s.b << ", " << s.c << "; "
             << s.number << ")";
}

rc::Gen<Step> AnyStep() {
  // Facts change, and are asked about, as often as terms are made.
  auto what = rc::gen::weightedElement<Do>({{3, Do::kSum},
                                            {2, Do::kQuotient},
                                            {2, Do::kResidue},
                                            {1, Do::kMax},
                                            {3, Do::kPick},
                                            {3, Do::kOperation},
                                            {3, Do::kAtLeastZero},
                                            {1, Do::kIsZero},
                                            {2, Do::kNot},
                                            {3, Do::kAnd},
                                            {2, Do::kEven},
                                            {9, Do::kAssume},
                                            {4, Do::kSave},
                                            {5, Do::kRestore},
                                            {9, Do::kAsk},
                                            {1, Do::kKeepQuotient},
                                            {1, Do::kKeepSimplified}});
  auto which = rc::gen::inRange(0, 12);
  return rc::gen::construct<Step>(what, which, which, which, rc::gen::inRange(-6, 7));
}

// The required answer. A predicate of an integer has another form once the integer is simplified. A
// scope that knows the one need not know the other, and may have found less before.
enum class Wanted : uint8_t { kWhatIsSo, kWhatAFreshScopeAnswers };

constexpr PrimitiveType kSmall = PrimitiveType::kS2;
// Larger terms, as trees, are not made.
constexpr int kMostNodes = 60;
constexpr size_t kMostQuestions = 5;
constexpr int kMostPoints = 3000;

struct Question {
  Term integer, other, condition;
  int64_t divisor;
};

struct Answers {
  Range range;
  std::optional<bool> decided;
  std::vector<Term> terms;
  friend bool operator==(const Answers&, const Answers&) = default;
};

Answers AnswersOf(Scope& scope, const Question& q) {
  return {scope.RangeOf(q.integer),
          scope.Decide(q.condition),
          {scope.Simplify(q.integer), scope.Quotient(q.integer, q.divisor),
           scope.Max(q.integer, q.other), scope.Pick(q.condition, q.integer, q.other),
           scope.Simplify(q.condition)}};
}

class History {
 public:
  explicit History(Wanted wanted) : wanted_(wanted) {
    const Term first = pool_.Number(0);
    auto of = [&](int64_t buffer, Term element, PrimitiveType type) {
      return pool_.Load(buffer, element, type);
    };
    // Predicates of variables, of data, of constants alone, and of nothing.
    Term constant = pool_.OfInteger(pool_.Number(5), PrimitiveType::kS32);
    const std::vector<Term> predicates = {of(0, first, PrimitiveType::kPred),
                                          of(0, pool_.Number(1), PrimitiveType::kPred),
                                          pool_.Apply(kFlag, PrimitiveType::kPred, {constant})};
    for (Term predicate : predicates) {
      conditions_.push_back(pool_.Holds(predicate));
      integers_.push_back(pool_.IntegerOf(predicate));
    }
    integers_.push_back(pool_.IntegerOf(pool_.Apply(kNumber, kSmall, {constant})));
    integers_.push_back(pool_.Unknown({-1, 2}));
    integers_.push_back(pool_.IntegerOf(of(1, first, kSmall)));
    integers_.push_back(pool_.Variable("i", {0, 3}));
    integers_.push_back(pool_.Variable("j", {-2, 2}));
    integers_.push_back(pool_.Variable("k", {0, 5}));
    for (Term t : integers_) nodes_[t] = 1;
    for (Term t : conditions_) nodes_[t] = 1;
  }

  void Take(const Step& s);

 private:
  static Term At(const std::vector<Term>& terms, int from_the_end) {
    return terms[terms.size() - 1 - static_cast<size_t>(from_the_end) % terms.size()];
  }
  Term Integer(int which) const { return At(integers_, which); }
  Term Condition(int which) const { return At(conditions_, which); }
  void Keep(Term term, llvm::ArrayRef<Term> of);
  void Assume(Term condition);
  void Ask(const Question& question);
  void AskAgain();
  void HoldEverywhere(const Question& question, const Answers& answers);
  Int128 Value(Term term, const llvm::DenseMap<Term, int>& at);

  struct Mark {
    size_t saved, assumed;
  };
  Wanted wanted_;
  Pool pool_;
  Scope scope_{pool_};
  std::vector<Term> integers_, conditions_;
  llvm::DenseMap<Term, int> nodes_;  // of each as a tree
  std::vector<Term> assumed_;
  std::deque<Question> asked_;  // the last ones
  std::vector<Mark> marks_;
};

// Makes a term one that later steps may take, unless it is too large.
void History::Keep(Term term, llvm::ArrayRef<Term> of) {
  int nodes = 1;
  for (Term t : of) nodes += nodes_.lookup(t);
  const bool large = nodes > kMostNodes || term->range.lo < -1000 || term->range.hi > 1000;
  if (large || term->kind == Kind::kUnknown) return;
  nodes_.try_emplace(term, nodes);
  (term->sort() == Sort::kInteger ? integers_ : conditions_).push_back(term);
}

void History::Take(const Step& s) {
  Term a = Integer(s.a), b = Integer(s.b), condition = Condition(s.c);
  const int64_t divisor = std::abs(s.number) + 1;
  switch (s.what) {
    case Do::kSum:
      return Keep(pool_.Sum(s.c - 6, {{s.number, a}, {1, b}}), {a, b});
    case Do::kQuotient:
      return Keep(pool_.QuotientAtom(a, divisor), {a});
    case Do::kResidue:
      return Keep(pool_.Subtract(a, pool_.Scale(pool_.QuotientAtom(a, divisor), divisor)), {a, a});
    case Do::kMax:
      return Keep(pool_.MaxAtom(a, b), {a, b});
    case Do::kPick:
      return Keep(pool_.PickAtom(condition, a, b), {condition, a, b});
    case Do::kOperation: {
      constexpr Op kBits[] = {Op::kOr, Op::kAnd, Op::kXor};
      Term value = pool_.Apply(kBits[static_cast<size_t>(s.c) % 3], kSmall,
                               {pool_.OfInteger(a, kSmall), pool_.OfInteger(b, kSmall)});
      return Keep(pool_.IntegerOf(value), {a, b});
    }
    case Do::kAtLeastZero:
      return Keep(pool_.AtLeastZero(pool_.Add(a, pool_.Number(s.number))), {a});
    case Do::kIsZero:
      return Keep(pool_.IsZero(pool_.Add(a, pool_.Number(s.number))), {a});
    case Do::kNot:
      return Keep(pool_.Not(condition), {condition});
    case Do::kAnd: {
      Term other = Condition(s.a), third = Condition(s.b);
      return Keep(pool_.And({condition, other, third}), {condition, other, third});
    }
    case Do::kEven: {
      if (wanted_ == Wanted::kWhatAFreshScopeAnswers) return;
      // The integer itself, or a form that can be simplified.
      Term form = s.c % 2 == 0 ? a : pool_.QuotientAtom(pool_.Scale(a, divisor), divisor);
      Term value = pool_.OfInteger(form, PrimitiveType::kS32);
      return Keep(pool_.Holds(pool_.Apply(kEven, PrimitiveType::kPred, {value})), {a});
    }
    case Do::kAssume:
      return Assume(s.number < 0 ? pool_.Not(condition) : condition);
    case Do::kSave:
      marks_.push_back({scope_.Save(), assumed_.size()});
      return;
    case Do::kRestore:
      if (marks_.empty()) return;
      // As it was once, past some that were saved after it.
      for (int past = s.a % 3; past > 0 && marks_.size() > 1; --past) marks_.pop_back();
      scope_.Restore(marks_.back().saved);
      assumed_.resize(marks_.back().assumed);
      marks_.pop_back();
      return AskAgain();
    case Do::kAsk:
      asked_.push_back({a, b, condition, divisor});
      if (asked_.size() > kMostQuestions) asked_.pop_front();
      return Ask(asked_.back());
    case Do::kKeepQuotient:
      return Keep(scope_.Quotient(a, divisor), {a});
    case Do::kKeepSimplified:
      return Keep(scope_.Simplify(s.number < 0 ? a : condition), {s.number < 0 ? a : condition});
  }
}

// Conditions that cannot hold together leave nothing to say.
void History::Assume(Term condition) {
  const size_t saved = scope_.Save();
  if (!scope_.Assume(condition)) return scope_.Restore(saved);
  // A condition without a range is known as a whole.
  if (condition->kind == Kind::kNot || condition->kind == Kind::kHolds) {
    const bool of_range = condition->args[0]->kind == Kind::kIsZero;
    RC_ASSERT(of_range || scope_.Decide(condition) == true);
  }
  assumed_.push_back(condition);
  AskAgain();
}

std::string ToText(const Answers& answers) {
  std::string text = ToString(answers.range);
  text += !answers.decided ? " open" : *answers.decided ? " holds" : " does not hold";
  for (Term t : answers.terms) text += "; " + ToString(t);
  return text;
}

void History::Ask(const Question& question) {
  const Answers answers = AnswersOf(scope_, question);
  RC_LOG() << "of " << ToString(question.integer) << " by " << question.divisor << ", of "
           << ToString(question.other) << " and whether " << ToString(question.condition) << "\n";
  for (Term fact : assumed_) RC_LOG() << "where " << ToString(fact) << "\n";
  if (wanted_ == Wanted::kWhatIsSo) return HoldEverywhere(question, answers);
  Scope fresh(pool_);
  for (Term fact : assumed_) RC_ASSERT(fresh.Assume(fact));
  const Answers wanted = AnswersOf(fresh, question);
  RC_ASSERT(ToText(answers) == ToText(wanted));
  RC_ASSERT(answers == wanted);
}

// Where other things are known, the last questions have other answers.
void History::AskAgain() {
  for (const Question& question : asked_) Ask(question);
}

// The leaves that a term has its value of.
void AddLeaves(Term root, std::vector<Term>& leaves) {
  ForEachPart(root, [&](Term t) {
    const bool is_leaf = t->kind == Kind::kVariable || t->kind == Kind::kUnknown ||
                         t->kind == Kind::kLoad ||
                         (t->kind == Kind::kApply && (t->op() == kFlag || t->op() == kNumber));
    if (is_leaf && !llvm::is_contained(leaves, t)) leaves.push_back(t);
    return is_leaf ? Visit::kPast : Visit::kInto;
  });
}

Int128 History::Value(Term term, const llvm::DenseMap<Term, int>& at) {
  return Evaluate(term, [&](Term leaf) -> Int128 {
    auto found = at.find(leaf);
    if (found != at.end()) return found->second;
    RC_ASSERT(leaf->kind == Kind::kApply);
    auto bits = [&](Term value) {
      const Int128 v = value->kind == Kind::kOfInteger ? Value(value->args[0], at)
                                                       : Value(pool_.IntegerOf(value), at);
      return static_cast<unsigned>(v) & 3U;
    };
    if (leaf->op() == kEven) return bits(leaf->args[0]) % 2 == 0;
    const unsigned x = bits(leaf->args[0]), y = bits(leaf->args[1]);
    const unsigned result = leaf->op() == Op::kOr ? x | y : leaf->op() == Op::kAnd ? x & y : x ^ y;
    RC_ASSERT(leaf->op() == Op::kOr || leaf->op() == Op::kAnd || leaf->op() == Op::kXor);
    return result < 2 ? Int128{result} : Int128{result} - 4;
  });
}

Range RangeOfLeaf(Term leaf) {
  if (leaf->sort() == Sort::kInteger) return leaf->range;
  return leaf->type == PrimitiveType::kPred ? Range{0, 1} : Range{-2, 1};
}

// Holds the answers against all values of the leaves for which the facts hold, but where they are
// too many.
void History::HoldEverywhere(const Question& q, const Answers& answers) {
  std::vector<Term> leaves;
  for (Term fact : assumed_) AddLeaves(fact, leaves);
  for (Term t : {q.integer, q.other, q.condition}) AddLeaves(t, leaves);
  for (Term t : answers.terms) AddLeaves(t, leaves);
  Int128 points = 1;
  for (Term leaf : leaves) points *= RangeOfLeaf(leaf).hi - RangeOfLeaf(leaf).lo + 1;
  if (points > kMostPoints) return;
  llvm::DenseMap<Term, int> at;
  std::function<void(size_t)> walk = [&](size_t i) {
    if (i < leaves.size()) {
      Term leaf = leaves[i];
      const Range range = RangeOfLeaf(leaf);
      for (Int128 v = range.lo; v <= range.hi; ++v) {
        at[leaf] = static_cast<int>(v);
        walk(i + 1);
      }
      return;
    }
    for (Term fact : assumed_) {
      if (Value(fact, at) == 0) return;
    }
    const Int128 a = Value(q.integer, at), b = Value(q.other, at);
    const bool holds = Value(q.condition, at) != 0;
    RC_ASSERT(answers.range.lo <= a);
    RC_ASSERT(a <= answers.range.hi);
    if (answers.decided) RC_ASSERT(*answers.decided == holds);
    RC_ASSERT(Value(answers.terms[0], at) == a);
    RC_ASSERT(Value(answers.terms[1], at) == FloorDiv(a, q.divisor));
    RC_ASSERT(Value(answers.terms[2], at) == std::max(a, b));
    RC_ASSERT(Value(answers.terms[3], at) == (holds ? a : b));
    RC_ASSERT((Value(answers.terms[4], at) != 0) == holds);
  };
  walk(0);
}

void TakeAll(const std::vector<Step>& steps, Wanted wanted) {
  History history(wanted);
  for (const Step& step : steps) history.Take(step);
}

rc::Gen<std::vector<Step>> AnySteps() {
  return rc::gen::scale(4, rc::gen::container<std::vector<Step>>(AnyStep()));
}

RC_GTEST_PROP(Scope, AnswersAreSo, ()) { TakeAll(*AnySteps(), Wanted::kWhatIsSo); }

RC_GTEST_PROP(Scope, AnswersAreThoseOfAFreshOne, ()) {
  TakeAll(*AnySteps(), Wanted::kWhatAFreshScopeAnswers);
}

// Results about a term that no fact concerns cost nothing later, with or without facts.
TEST(Scope, WhatNoFactHasToDoWithIsFoundOnce) {
  Pool pool;
  Scope scope(pool);
  Term i = pool.Variable("i", {0, 99}), j = pool.Variable("j", {0, 99});
  // (i + j) mod 7 + 1, of which the range that it is made with is wider.
  Term e = pool.Sum(1, {{1, i}, {-7, pool.QuotientAtom(pool.Add(i, j), 7)}, {1, j}});
  const Range found = {1, 7};
  ASSERT_NE(e->range, found);
  EXPECT_EQ(scope.RangeOf(e), found);
  const size_t saved = scope.Save();
  ASSERT_TRUE(scope.Assume(pool.AtLeast(i, pool.Number(3))));
  scope.Restore(saved);
  ASSERT_TRUE(scope.Assume(pool.AtLeast(pool.Variable("k", {0, 9}), pool.Number(3))));
  pool.Limit(0);
  EXPECT_EQ(scope.RangeOf(e), found);
}

// even(i) says nothing about even(floor(2 * i / 2)) until it is simplified. A result found then
// holds no longer when the fact has gone.
TEST(Scope, WhatAFactIsUsedForGoesWithIt) {
  Pool pool;
  Scope scope(pool);
  Term i = pool.Variable("i", {0, 99}), j = pool.Variable("j", {0, 99});
  auto even = [&](Term integer) {
    return pool.Holds(
        pool.Apply(kEven, PrimitiveType::kPred, {pool.OfInteger(integer, PrimitiveType::kS32)}));
  };
  Term other = even(pool.QuotientAtom(pool.Scale(i, 2), 2)), fact = even(i);
  Term choice = pool.PickAtom(other, pool.Number(1), pool.Number(0)), more = pool.Add(j, choice);
  ASSERT_NE(other, fact);
  const size_t saved = scope.Save();
  ASSERT_TRUE(scope.Assume(fact));
  EXPECT_EQ(scope.Simplify(choice), pool.Number(1));
  EXPECT_EQ(scope.Simplify(more), pool.Add(j, pool.Number(1)));
  scope.Restore(saved);
  Term simpler = pool.PickAtom(fact, pool.Number(1), pool.Number(0));
  EXPECT_EQ(scope.Simplify(choice), simpler);
  EXPECT_EQ(scope.Simplify(more), pool.Add(j, simpler));
}

// Quotients are written without common factors: (2 * i + j) floordiv 40 as i floordiv 20 is still
// one of 2 * i + j, where j is 0 or 1; with j = 2 it is another. And what is left of i bounds what
// is left of 5 * i.
TEST(Scope, QuotientsWithoutCommonFactorsAreDigits) {
  Pool pool;
  Scope scope(pool);
  auto range_of = [&](Int128 factor, Int128 divisor, Int128 most, Int128 modulus, Int128 whole) {
    Term i = pool.Variable("i", {0, 99}), j = pool.Variable("j", {0, most});
    Term x = pool.Add(pool.Scale(i, factor), j);
    Term digit =
        pool.Sum(0, {{1, pool.QuotientAtom(x, divisor)}, {-modulus, pool.QuotientAtom(i, whole)}});
    const Range range = scope.RangeOf(digit);
    for (Int128 a = 0; a <= 99; ++a) {
      for (Int128 b = 0; b <= most; ++b) {
        const Int128 value = (factor * a + b) / divisor - modulus * (a / whole);
        EXPECT_LE(range.lo, value);
        EXPECT_GE(range.hi, value);
      }
    }
    return range;
  };
  EXPECT_EQ(range_of(2, 5, 1, 8, 20), (Range{0, 7}));
  EXPECT_GE(range_of(2, 5, 2, 8, 20).hi, 8);
  EXPECT_GE(range_of(2, 5, 1, 8, 21).hi, 8);
  EXPECT_EQ(range_of(5, 4, 0, 25, 20), (Range{0, 23}));
  EXPECT_EQ(range_of(5, 4, 1, 25, 20), (Range{0, 24}));
}

// A fold binds its variables: a fact about an integer of the same name says nothing inside of it.
TEST(Scope, FactsAreNotUsedWhereAFoldBindsTheirVariable) {
  Pool pool;
  Scope scope(pool);
  const Term r = pool.Variable("r", {0, 9}), i = pool.Variable("i", {0, 9});
  auto fold = [&](Term at) {
    const Term value = pool.Load(
        0, pool.Add(pool.PickAtom(pool.AtLeast(r, pool.Number(4)), r, pool.Number(7)), at),
        PrimitiveType::kF32);
    return pool.Fold(Op::kAdd, pool.AtLeast(r, pool.Number(2)), value, {r});
  };
  ASSERT_TRUE(scope.Assume(pool.AtLeast(pool.Number(1), r)));
  EXPECT_EQ(scope.Simplify(fold(i)), fold(i));
  EXPECT_EQ(scope.Simplify(pool.Select(pool.AtLeast(r, i), fold(i), fold(r)))->args[1], fold(i));
  EXPECT_EQ(scope.Substitute(fold(i), {{i, pool.Number(3)}}), fold(pool.Number(3)));
  // Facts about others are used there.
  ASSERT_TRUE(scope.Assume(pool.Equal(i, pool.Number(5))));
  const Term other = pool.Variable("q", {0, 9});
  auto at = [&](Term index) {
    return pool.Fold(Op::kAdd, pool.True(), pool.Load(0, index, PrimitiveType::kF32), {other});
  };
  EXPECT_EQ(scope.Simplify(at(pool.Add(other, i))), at(pool.Add(other, pool.Number(5))));
}

}  // namespace
}  // namespace affirm::terms
