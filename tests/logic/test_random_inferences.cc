// Random sequences of rules: each theorem is true in every environment in which
// its facts hold. The terms have two variables of four values each, so that all of these are tried.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "term_world.h"
#include "verify/logic/inference.h"

namespace affirm::logic {
namespace {

using hlo::PrimitiveType;
using terms::Op;
using terms::Pool;
using terms::Scope;
using terms::Sort;
using terms::Term;

constexpr PrimitiveType kF32 = PrimitiveType::kF32, kS32 = PrimitiveType::kS32,
                        kS8 = PrimitiveType::kS8, kPred = PrimitiveType::kPred;

// Terms and theorems, of which each step makes more.
class Derivation {
 public:
  explicit Derivation(uint64_t seed) : random_(seed) {
    for (Term v : {i_, j_, pool_.Number(0), pool_.Number(1), pool_.Number(3)}) Keep(v);
    Keep(pool_.AtLeast(i_, j_));
    Keep(pool_.Load(0, i_, kF32));
    for (int k = 0; k < 12; ++k) MakeTerm();
    for (int k = 0; k < 3; ++k) theorems_.push_back(infer_.Assume(OneOf(conditions_)));
    for (int k = 0; k < 3; ++k) theorems_.push_back(infer_.Reflexivity(AnyTerm()));
  }

  void Step() {
    if (Below(3) == 0) MakeTerm();
    if (Below(8) == 0) {
      Trial();
    } else {
      Keep(Rule());
    }
  }

  void Check() {
    const auto seed = static_cast<uint64_t>(Below(1000));
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 4; ++j) {
        const TermWorld world(seed, {{i_, i}, {j_, j}});
        for (const Theorem& theorem : theorems_) CheckIn(world, theorem);
      }
    }
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  template <typename T>
  T OneOf(const std::vector<T>& from) {
    return from[static_cast<size_t>(Below(static_cast<int>(from.size())))];
  }

  void Keep(Term term) {
    switch (term->sort()) {
      case Sort::kInteger:
        // The numbers stay small, so that nothing in the test overflows.
        if (term->range.lo < -100000 || term->range.hi > 100000) return;
        integers_.push_back(term);
        break;
      case Sort::kCondition:
        conditions_.push_back(term);
        break;
      case Sort::kValue:
        values_.push_back(term);
        break;
    }
    terms_.push_back(term);
  }

  void Keep(const Inference::Result& theorem) {
    if (!theorem) return;
    theorems_.push_back(*theorem);
    Keep(theorem->left());
    Keep(theorem->right());
  }

  Term AnyTerm() { return OneOf(terms_); }
  Theorem AnyTheorem() { return OneOf(theorems_); }

  Term Value(PrimitiveType type) {
    std::vector<Term> of_type;
    for (Term value : values_) {
      if (value->type == type) of_type.push_back(value);
    }
    if (of_type.empty() || Below(4) == 0) return pool_.Load(Below(2), OneOf(integers_), type);
    return OneOf(of_type);
  }

  void MakeTerm() {
    const Term a = OneOf(integers_), b = OneOf(integers_);
    const Term c = OneOf(conditions_), d = OneOf(conditions_);
    switch (Below(22)) {
      case 0:
        return Keep(pool_.Add(a, b));
      case 1:
        return Keep(pool_.Scale(a, Below(5) - 2));
      case 2:
        return Keep(scope_.Quotient(a, Below(3) + 1));
      case 3:
        return Keep(pool_.MaxAtom(a, b));
      case 4:
        return Keep(pool_.PickAtom(c, a, b));
      case 5:
        return Keep(pool_.AtLeast(a, b));
      case 6:
        return Keep(pool_.Equal(a, b));
      case 7:
        return Keep(pool_.And({c, d}));
      case 8:
        return Keep(pool_.Not(c));
      case 9:
        return Keep(pool_.Load(Below(2), a, OneOf<PrimitiveType>({kF32, kS32, kS8, kPred})));
      case 10:
        return Keep(pool_.OfInteger(a, OneOf<PrimitiveType>({kS8, kS32})));
      case 11:
        return Keep(pool_.OfCondition(c));
      case 12:
        return Keep(pool_.Select(c, Value(kF32), Value(kF32)));
      case 13:
        return Keep(pool_.Apply(Op::kAtan2, kF32, {Value(kF32), Value(kF32)}));
      case 14:
        return Keep(pool_.Apply(Op::kAdd, kF32, {Value(kF32), Value(kF32)}));
      case 15:
        return Keep(pool_.Apply(Op::kBitcast, kS32, {Value(kF32)}));
      case 16:
        return Keep(pool_.Apply(Op::kCompareLt, kPred, {Value(kF32), Value(kF32)}));
      case 17:
        return Keep(pool_.Holds(Value(kPred)));
      case 18:
        return Keep(pool_.IntegerOf(Value(OneOf<PrimitiveType>({kS8, kPred}))));
      case 19:
        return Keep(pool_.Literal(kF32, OneOf<int64_t>({0x7FC00001, 0xFFC00002, 0x3F800000})));
      case 20: {
        // The fold's variable may stand elsewhere too.
        const Term over = OneOf<Term>({i_, j_});
        return Keep(pool_.Fold(Op::kAdd, c, Value(OneOf<PrimitiveType>({kF32, kS32})), {over}));
      }
      default:
        return Keep(pool_.Apply(Op::kCopysign, kF32, {Value(kF32), Value(kF32)}));
    }
  }

  // Operands' theorems of a term, and the term of which they are another form.
  Inference::Result Congruence() {
    const Term a = AnyTerm();
    if (a->args.empty() || a->kind == terms::Kind::kFold) return std::nullopt;
    std::vector<Inference::Result> operands;
    std::vector<Term> args;
    for (Term arg : a->args) {
      operands.emplace_back();
      args.push_back(arg);
      for (const Theorem& theorem : theorems_) {
        if (theorem.left() != arg) continue;
        operands.back() = theorem;
        args.back() = theorem.right();
        if (Below(2) == 0) break;
      }
    }
    const bool swapped = args.size() == 2 && Below(2) == 0;
    if (swapped) std::swap(args[0], args[1]);
    const Term b = Below(3) == 0 ? AnyTerm() : pool_.WithArgs(a, args);
    return infer_.Congruence(a, b, operands,
                             swapped ? Inference::Order::kSwapped : Inference::Order::kSame);
  }

  Inference::Result FoldCongruence() {
    for (Term fold : values_) {
      if (fold->kind != terms::Kind::kFold) continue;
      const Theorem value = AnyTheorem();
      if (value.left() != fold->args[1]) continue;
      const Term other =
          pool_.Fold(fold->operation, fold->args[0], value.right(), fold->args.drop_front(2));
      if (auto same = infer_.FoldCongruence(fold, other, infer_.Reflexivity(fold->args[0]), value))
        return same;
    }
    return std::nullopt;
  }

  Inference::Result Rule() {
    const Theorem first = AnyTheorem(), second = AnyTheorem();
    const Term c = OneOf(conditions_);
    switch (Below(24)) {
      case 0:
        return infer_.Reflexivity(AnyTerm());
      case 1:
        return infer_.Symmetry(first);
      case 2:
        return infer_.Transitivity(first, second);
      case 3:
        return infer_.Weaken(first, second.facts());
      case 4:
      case 5:
        return Congruence();
      case 6:
        return infer_.Mapped(OneOf<Function>({Function::kNot, Function::kHolds,
                                              Function::kOfCondition, Function::kIntegerOf}),
                             first);
      case 7:
        return FoldCongruence();
      case 8:
        return infer_.Instance(first, OneOf<Term>({i_, j_}), OneOf(integers_));
      case 9:
        return infer_.Assume(AnyTerm());
      case 10:
        return infer_.Cut(first, second);
      case 11:
        return infer_.Cases(c, first, Below(2) == 0 ? first : second);
      case 12:
        return infer_.Absurd(first, second, AnyTerm(), AnyTerm());
      case 13:
        return infer_.Equivalence(c, second.left(), first, second);
      case 14:
        return infer_.Chosen(AnyTerm(), first);
      case 15:
        return infer_.SameChoice(AnyTerm(), AnyTerm(), first, second);
      case 16:
        return infer_.Conjunct(first, c);
      case 17:
        return infer_.Conjunction({first, second});
      case 18:
        return infer_.Linear(OneOf(integers_), OneOf(integers_), {first}, {Below(3) - 1});
      case 19:
        return infer_.FromDifference(first, OneOf(integers_), OneOf(integers_));
      case 20:
        return infer_.FromIntegers(first, OneOf(values_), OneOf(values_));
      case 21:
        return infer_.Modulo(OneOf(values_), OneOf(values_));
      case 22:
        return Below(2) == 0 ? infer_.PredicateAsInteger(OneOf(values_))
                             : infer_.NansAreOne(OneOf(values_), OneOf(values_));
      default: {
        std::vector<Theorem> cases;
        for (int k = 0; k < 4; ++k) cases.push_back(first);
        return infer_.Enumeration(OneOf<Term>({i_, j_}), cases);
      }
    }
  }

  // A case, theorems in it, and what of them holds outside.
  void Trial() {
    const Term condition = OneOf(conditions_);
    std::vector<Inference::Result> inside, outside;
    {
      Case there(infer_, condition);
      if (!there.possible()) {
        outside.push_back(infer_.Impossible(there));
      } else {
        if (Below(2) == 0) there.Restate();
        for (int k = 0; k < 3; ++k) {
          inside.emplace_back(infer_.Simplified(AnyTerm()));
          inside.push_back(infer_.Decided(OneOf(conditions_)));
          inside.push_back(infer_.Replaced(AnyTerm(), {AnyTheorem()}));
        }
        for (const Inference::Result& theorem : inside) {
          if (theorem) outside.push_back(infer_.Discharge(*theorem, there));
        }
      }
    }
    for (const auto& theorem : inside) Keep(theorem);
    for (const auto& theorem : outside) Keep(theorem);
  }

  void CheckIn(const TermWorld& world, const Theorem& theorem) {
    for (Term fact : theorem.facts().conditions()) {
      if (!world.Condition(fact)) return;
    }
    const bool nans_are_one = theorem.equality() == Equality::kNansAreOne;
    if (!world.AreEqual(theorem.left(), theorem.right(), nans_are_one)) RC_FAIL(ToString(theorem));
  }

  std::mt19937_64 random_;
  Pool pool_;
  Scope scope_{pool_};
  Inference infer_{scope_};
  Term i_ = pool_.Variable("i", {0, 3}), j_ = pool_.Variable("j", {0, 3});
  std::vector<Term> terms_, integers_, conditions_, values_;
  std::vector<Theorem> theorems_;
};

RC_GTEST_PROP(RandomInferences, AreTrueWhereTheirFactsHold, (uint32_t seed)) {
  constexpr int kDerivations = 20, kSteps = 250;
  for (uint64_t k = 0; k < kDerivations; ++k) {
    Derivation derivation(uint64_t{seed} << 8 | k);
    for (int step = 0; step < kSteps; ++step) derivation.Step();
    derivation.Check();
  }
}

}  // namespace
}  // namespace affirm::logic
