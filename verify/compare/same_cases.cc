// Case distinctions by conditions that the facts leave open, and equality of conditions.
#include <tuple>
#include <utility>

#include "verify/compare/correspondences.h"
#include "verify/compare/same_value.h"

namespace affirm::compare {

using terms::Kind;
using terms::Term;

Term SameValue::OpenPart(Term condition) {
  while (condition->kind == Kind::kAnd || condition->kind == Kind::kNot) {
    const auto* open =
        llvm::find_if(condition->args, [&](Term part) { return !scope_.Decide(part); });
    // All parts may be decided while the whole is not, for instance if they exclude each other.
    if (open == condition->args.end()) return condition;
    condition = *open;
  }
  return condition;
}

// Splits on the conditions inside of a condition first. For a quotient that is guarded against a
// zero divisor, the facts then describe the divisor and not the guarded quotient. Without such a
// condition the proof that has failed would only be made again.
SameValue::Proof SameValue::SameByInnerChoices(Term kernel, Term hlo) {
  const bool gave_up = decider_ != nullptr && decider_->HasGivenUp();
  if ((!has_inner_choice_ && !gave_up) || !HasChoice(kernel) || !HasChoice(hlo))
    return std::nullopt;
  const std::string before = std::exchange(reason_, "");
  Begin();
  Forget();
  if (decider_) decider_->ForgetFailures();
  const bool outer = std::exchange(inner_choices_first_, true);
  Proof same = Same(kernel, hlo);
  inner_choices_first_ = outer;
  reason_ = before;
  return same;
}

SameValue::Proof SameValue::ByCases(Term condition, Term kernel, Term hlo, bool elements) {
  // Splits on one conjunct at a time, so that each fact is a bound.
  condition = OpenPart(condition);
  while (Term inner = FindChoice(condition, /*of_integers_only=*/false)) {
    has_inner_choice_ = true;
    if (!inner_choices_first_) break;
    condition = OpenPart(inner);
  }
  llvm::DenseMap<Term, bool> known;
  if (DependsOnData(condition, known) && ++data_cases_ > options_.data_cases) {
    return Fail(kernel, hlo, "too many cases of data");
  }
  // ProveElements has no theorem; the trivial kernel = kernel is carried through the cases.
  const Term other = elements ? kernel : hlo;
  auto prove = [&]() -> Proof {
    if (!elements) return Same(kernel, hlo);
    return SameElements(kernel, hlo) ? Proof(infer_.Reflexivity(kernel)) : std::nullopt;
  };
  Proof sides[2];
  for (bool holds : {true, false}) {
    if (++cases_ > options_.cases) return Fail(kernel, hlo, "too many cases");
    const Case answer = InCase(condition, holds, kernel, other, prove, sides[holds ? 0 : 1]);
    if (answer == Case::kOpen) return std::nullopt;
    if (answer == Case::kNotKept) {
      return Fail(condition, hlo, "a case that the facts do not keep");
    }
  }
  return infer_.Cases(condition, *sides[0], *sides[1]);
}

SameValue::Case SameValue::InCase(Term condition, bool holds, Term a, Term b,
                                  llvm::function_ref<Proof()> prove, Proof& theorem) {
  terms::Pool& pool = scope_.pool();
  const Term side = holds ? condition : pool.Not(condition);
  // A failed comparison may succeed under more facts.
  llvm::DenseSet<Pair> different;
  different.swap(different_);
  bool possible = false, decided = false;
  theorem.reset();
  {
    logic::Case there(infer_, side);
    possible = there.Restate();
    // If the scope cannot decide a condition that it has assumed, the split would repeat for ever.
    decided = possible && scope_.Decide(side) == true;
    Proof inside, never;
    if (!possible) never = infer_.Impossible(there);
    ++in_cases_;
    if (decided) inside = prove();
    if (inside && options_.orders_beside_cases && options_.orders != nullptr) {
      const bool first = FirstIsLicensed();
      const Term open = scope_.Simplify(first ? a : b), combined = scope_.Simplify(first ? b : a);
      if (!options_.orders->AddCommon(scope_, open, combined, OrdersPlace())) inside.reset();
    }
    --in_cases_;
    // The decider may refute a case that ranges take for possible.
    if (!inside && decided && decider_) never = infer_.DecidedBy(*decider_, pool.False());
    if (never) inside = infer_.Absurd(infer_.Reflexivity(pool.True()), *never, a, b);
    if (inside) theorem = infer_.Discharge(*inside, there);
  }
  different_ = std::move(different);
  if (theorem && !KeepsOrdersInAllCases(a, b)) theorem.reset();
  if (theorem) return Case::kProved;
  return possible && !decided ? Case::kNotKept : Case::kOpen;
}

FoldOrders::Place SameValue::OrdersPlace() const {
  const bool by_itself = options_.orders_beside_cases && in_cases_ == 0;
  return by_itself ? FoldOrders::Place::kByItself : FoldOrders::Place::kInACase;
}

// The facts of a case may simplify the term of a reduction, so that its orders in two cases would
// not be compared. This records the whole other side as the order of the unsimplified reduction.
bool SameValue::KeepsOrdersInAllCases(Term kernel, Term hlo) {
  if (!options_.orders_beside_cases || options_.orders == nullptr || in_cases_ > 0) return true;
  const Term open = FirstIsLicensed() ? kernel : hlo, combined = FirstIsLicensed() ? hlo : kernel;
  auto is_condition = [](Term part) {
    return part->sort() == terms::Sort::kCondition && part->kind != Kind::kTrue;
  };
  bool keeps = true;
  terms::ForEachPart(open, [&](Term part) {
    if (IsOpenInOrder(part) && terms::AnyPart(part, is_condition)) {
      const bool stands_there = terms::AnyPart(combined, [&](Term of) { return of == part; });
      keeps = keeps && options_.orders->Add(scope_, part, stands_there ? part : combined,
                                            FoldOrders::Place::kInAllCases);
    }
    return keeps ? terms::Visit::kInto : terms::Visit::kStop;
  });
  return keeps;
}

// Two selects by one condition: compares each arm where it is taken.
SameValue::Proof SameValue::SameArms(Term kernel, Term hlo) {
  Proof arms[2];
  for (bool holds : {true, false}) {
    const size_t arm = holds ? 1 : 2;
    const Term a = kernel->args[arm], b = hlo->args[arm];
    Proof& same = arms[arm - 1];
    same = a == b ? Proof(infer_.Reflexivity(a)) : SameInEachCase(a, b);
    if (same) continue;
    if (++cases_ > options_.cases) return Fail(a, b, "too many cases");
    auto prove = [&] { return Same(a, b); };
    if (InCase(hlo->args[0], holds, a, b, prove, same) != Case::kProved) return std::nullopt;
  }
  return infer_.SameChoice(kernel, hlo, *arms[0], *arms[1]);
}

// Compares two arms without the fact of the case, where they contain a reduction or differ in float
// conversions alone. The fact would give each element of a row its own term of the shared
// reduction, which would have to be compared again.
SameValue::Proof SameValue::SameInEachCase(Term kernel, Term hlo) {
  const bool reduces = terms::AnyPart(hlo, [](Term part) { return part->kind == Kind::kFold; });
  if (!reduces && FormOf(kernel) != FormOf(hlo)) return std::nullopt;
  const std::string before = reason_;
  const auto limits = std::tuple(cases_, data_cases_, undecided_);
  // Failures here are not kept: a comparison with cases of data may succeed.
  llvm::DenseSet<Pair> different = different_;
  data_cases_ = options_.data_cases;
  Proof same = Same(kernel, hlo);
  different_ = std::move(different);
  reason_ = before;
  std::tie(cases_, data_cases_, undecided_) = limits;
  return same;
}

SameValue::Proof SameValue::Implied(Term assumed, Term wanted) {
  terms::Pool& pool = scope_.pool();
  logic::Case there(infer_, assumed);
  if (!there.possible()) {
    const Proof never = infer_.Impossible(there);
    return never ? infer_.Absurd(infer_.Reflexivity(pool.True()), *never, wanted, pool.True())
                 : std::nullopt;
  }
  const logic::Theorem simple = infer_.Simplified(wanted);
  const Proof known = simple.right()->kind == Kind::kTrue ? Proof(simple) : Known(wanted);
  return known ? infer_.Discharge(*known, there) : std::nullopt;
}

SameValue::Proof SameValue::SameCondition(Term a, Term b) {
  if (a == b) return infer_.Reflexivity(a);
  terms::Pool& pool = scope_.pool();
  if (++cases_ > options_.cases) return Fail(a, b, "too many cases");
  const Proof yes = Implied(a, b);
  if (!yes) return SameConditionInForm(a, b);
  if (++cases_ > options_.cases) return Fail(a, b, "too many cases");
  const Proof no = Implied(pool.Not(a), pool.Not(b));
  return no ? infer_.Equivalence(a, b, *yes, *no) : SameConditionInForm(a, b);
}

SameValue::Proof SameValue::SameConditionInForm(Term a, Term b) {
  const bool of_one_kind = a->kind == b->kind;
  if (of_one_kind && (a->kind == Kind::kHolds || a->kind == Kind::kNot)) {
    const Proof operand = a->kind == Kind::kHolds ? Same(a->args[0], b->args[0])
                                                  : SameCondition(a->args[0], b->args[0]);
    return operand ? infer_.Congruence(a, b, {operand}) : std::nullopt;
  }
  if (Proof same = SameByFormOfPredicate(a, b)) return same;
  if (Proof written = WithLeavesOf(a, b)) {
    const Proof same = SameCondition(a, written->right());
    return same ? ChainBack(same, written) : std::nullopt;
  }
  if (!of_one_kind || a->kind != Kind::kAnd || a->args.size() != b->args.size()) {
    return Fail(a, b, "other conditions");
  }
  std::vector<Proof> parts;
  for (size_t i = 0; i < a->args.size(); ++i) {
    parts.push_back(SameCondition(a->args[i], b->args[i]));
    if (!parts.back()) return std::nullopt;
  }
  return infer_.Congruence(a, b, parts);
}

SameValue::Proof SameValue::SameByFormOfPredicate(Term a, Term b) {
  const bool negated = b->kind == Kind::kNot;
  const Term predicate = negated ? b->args[0] : b;
  if (!options_.correspondences || predicate->kind != Kind::kHolds ||
      predicate->args[0]->kind != Kind::kApply) {
    return std::nullopt;
  }
  for (const logic::Theorem& form : FormsOf(predicate->args[0])) {
    Proof other = infer_.Mapped(logic::Function::kHolds, form);
    if (other && negated) other = infer_.Mapped(logic::Function::kNot, *other);
    if (!other) continue;
    if (Proof same = SameCondition(a, other->right())) return ChainBack(same, other);
  }
  return std::nullopt;
}

// Memoized: the part that the elements of a row share is large, and occurs in each of them.
bool SameValue::HasChoice(Term root) {
  auto known = has_choice_.find(root);
  if (known != has_choice_.end()) return known->second;
  bool has = root->kind == Kind::kSelect || root->kind == Kind::kPick || root->kind == Kind::kAnd;
  if (root->kind != Kind::kFold && !has) {
    has = llvm::any_of(root->args, [&](Term arg) { return HasChoice(arg); }) ||
          llvm::any_of(root->sum, [&](const terms::Monomial& m) { return HasChoice(m.atom); });
  }
  has_choice_[root] = has;
  return has;
}

Term SameValue::FindChoice(Term root, bool of_integers_only) {
  llvm::DenseMap<Term, bool> data;
  Term choice = nullptr;
  auto is_choice = [&](Term condition) {
    if (scope_.Decide(condition) || (of_integers_only && DependsOnData(condition, data)))
      return false;
    choice = condition;
    return true;
  };
  terms::ForEachPart(root, [&](Term term) {
    if (term->kind == Kind::kFold || !HasChoice(term)) return terms::Visit::kPast;
    const bool chooses = term->kind == Kind::kSelect || term->kind == Kind::kPick;
    if (chooses && is_choice(term->args[0])) return terms::Visit::kStop;
    // Each part of a conjunction in a predicate is a candidate.
    if (term->kind == Kind::kAnd) {
      for (Term part : term->args) {
        if (part->kind == Kind::kNot) part = part->args[0];
        const bool open = part->kind != Kind::kAnd && part->kind != Kind::kHolds;
        if (open && is_choice(part)) return terms::Visit::kStop;
      }
    }
    return terms::Visit::kInto;
  });
  return choice;
}

}  // namespace affirm::compare
