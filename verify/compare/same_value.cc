#include "verify/compare/same_value.h"

#include <algorithm>
#include <tuple>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseSet.h"
#include "verify/compare/correspondences.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/narrow_values.h"
#include "verify/terms/small_floats.h"

namespace affirm::compare {

using terms::Kind;
using terms::Op;
using terms::Sort;
using terms::Term;

bool DependsOnData(Term term, llvm::DenseMap<Term, bool>& known) {
  auto found = known.find(term);
  if (found != known.end()) return found->second;
  bool depends = term->sort() == Sort::kValue && term->kind != Kind::kOfInteger &&
                 term->kind != Kind::kOfCondition && term->kind != Kind::kLiteral;
  for (Term arg : term->args) depends = depends || DependsOnData(arg, known);
  for (const terms::Monomial& m : term->sum) depends = depends || DependsOnData(m.atom, known);
  known[term] = depends;
  return depends;
}

bool SameValue::Holds(Term condition) {
  auto decided = scope_.Decide(condition);
  if (decided) return *decided;
  return decider_ && decider_->Proves(scope_, condition);
}

bool SameValue::Fail(Term kernel, Term hlo, const char* what) {
  if (reason_.empty()) {
    auto text = [](Term term) { return terms::ToString(term, 200); };
    reason_ = std::string(what) + ": " + text(kernel) + " against " + text(hlo);
  }
  return false;
}

void SameValue::Begin() {
  reason_.clear();
  cases_ = data_cases_ = written_out_ = 0;
  pairs_ = options_.pairs;
  if (facts_ == scope_.FactsNumber()) return;
  facts_ = scope_.FactsNumber();
  Forget();
}

void SameValue::Forget() {
  same_.clear();
  different_.clear();
  reductions_.clear();
}

bool SameValue::Prove(Term kernel, Term hlo) {
  Begin();
  kernel = chosen_.Replaced(kernel);
  hlo = constants_.Replaced(hlo);
  if (!options_.exhausted) return Same(kernel, hlo);
  lemmas_ = Lemmas::kLookFor;
  const bool same = Same(kernel, hlo) || (lemmas_ == Lemmas::kFound && ProveByLemmas(kernel, hlo));
  lemmas_ = Lemmas::kOff;
  return same;
}

bool SameValue::ProveElements(Term kernel, Term hlo) {
  Begin();
  kernel = chosen_.Replaced(kernel);
  hlo = constants_.Replaced(hlo);
  if (SameElements(kernel, hlo)) return true;
  bool negates = false;
  terms::ForEachPart(hlo, [&](Term term) {
    negates = negates || term->op() == Op::kNegate;
    return negates ? terms::Visit::kStop : terms::Visit::kInto;
  });
  if (!negates) return false;
  // What is the same by this is not the same value: nothing of it is kept.
  const std::string first = reason_;
  Begin();
  Forget();
  negations_are_differences_ = true;
  const bool same = SameElements(kernel, hlo);
  negations_are_differences_ = false;
  Forget();
  if (!same) reason_ = first;
  return same;
}

bool SameValue::Same(Term kernel, Term hlo) {
  kernel = scope_.Simplify(kernel);
  hlo = scope_.Simplify(hlo);
  if (kernel == hlo || same_.contains({kernel, hlo})) return true;
  if (different_.contains({kernel, hlo})) return false;
  // No case makes them of one type.
  if (kernel->sort() != hlo->sort() || kernel->type != hlo->type)
    return Fail(kernel, hlo, "not of one type");
  // Folds in folds may each be compared in several ways.
  if (--pairs_ < 0) return Fail(kernel, hlo, "too many pairs of terms");
  bool same = lemmas_ == Lemmas::kUse && SameByLemma(kernel, hlo);
  same = same ||
         (CountsNanBits(kernel, hlo) ? SameWithNanBits(kernel, hlo) : SameByChoices(kernel, hlo));
  if (!same && lemmas_ == Lemmas::kLookFor && SameByLemma(kernel, hlo)) lemmas_ = Lemmas::kFound;
  (same ? same_ : different_).insert({kernel, hlo});
  // In the body of a fold it would be said of that fold's variables.
  if (same && fold_depth_ == 0 && IsReduction(hlo)) reductions_[hlo] = kernel;
  return same;
}

bool SameValue::SameByChoices(Term kernel, Term hlo) {
  std::string before = reason_;
  undecided_ = nullptr;
  // Values of few bits first: what computes them with integers is long. Facts of indices say
  // nothing of elements, and those of elements only exclude some.
  auto same_element = [&](Term a, Term b) { return IsSameElement(a, b); };
  constexpr int64_t kFewBits = 8;
  const bool nans_are_one = !nan_bits_count_ || !hlo::IsFloat(hlo->type);
  const bool small = nans_are_one && terms::IsSmallFloat(hlo->type);
  if (small && SameAtAllValues(kernel, hlo, same_element, steps_, kFewBits) == true) return true;
  if (SameWhateverCompares(kernel, hlo)) return true;
  if (SameNow(kernel, hlo)) return true;
  if (nans_are_one && SameAtAllValues(kernel, hlo, same_element, steps_) == true) return true;
  if (Term written = WithLoadsOf(kernel, hlo)) {
    reason_ = before;
    return Same(kernel, written);
  }
  if (Term written = WithoutTotalOrders(hlo)) {
    reason_ = before;
    return Same(kernel, written);
  }
  if (Term written = WithoutComputations(hlo)) {
    reason_ = before;
    return Same(kernel, written);
  }
  // Choices that the facts leave open become cases; those of the two roots first.
  Term choice = undecided_;
  for (Term term : {hlo, kernel}) {
    if (!choice && term->kind == Kind::kSelect) choice = term->args[0];
  }
  if (!choice) choice = FindChoice(kernel, false);
  if (!choice) choice = FindChoice(hlo, false);
  if (!choice) return false;
  reason_ = before;
  return ByCases(choice, kernel, hlo, /*elements=*/false);
}

// What comparisons of elements decide is looked at for each answer that these may give: of
// thousands of numbers, each computed with a comparison of its own, each would be a case of data.
bool SameValue::SameWhateverCompares(Term kernel, Term hlo) {
  const std::string before = reason_;
  const auto limits = std::pair(cases_, data_cases_);
  const Term undecided = undecided_;
  auto same_comparison = [&](Term a, Term b) { return Same(a, b); };
  if (SameByComparisons(kernel, hlo, same_comparison, steps_)) return true;
  reason_ = before;
  std::tie(cases_, data_cases_) = limits;
  undecided_ = undecided;
  return false;
}

Term SameValue::OpenPart(Term condition) {
  while (condition->kind == Kind::kAnd || condition->kind == Kind::kNot) {
    condition = *std::find_if(condition->args.begin(), condition->args.end(),
                              [&](Term part) { return !scope_.Decide(part); });
  }
  return condition;
}

bool SameValue::ByCases(Term condition, Term kernel, Term hlo, bool elements) {
  // The parts of a conjunction one by one, so that each case is one of bounds.
  condition = OpenPart(condition);
  while (inner_choices_first_) {
    Term inner = FindChoice(condition, /*of_integers_only=*/false);
    if (!inner) break;
    condition = OpenPart(inner);
  }
  llvm::DenseMap<Term, bool> known;
  if (DependsOnData(condition, known) && ++data_cases_ > options_.data_cases) {
    return Fail(kernel, hlo, "too many cases of data");
  }
  for (bool holds : {true, false}) {
    if (++cases_ > options_.cases) return Fail(kernel, hlo, "too many cases");
    const Case answer = InCase(
        condition, holds, [&] { return elements ? SameElements(kernel, hlo) : Same(kernel, hlo); });
    if (answer == Case::kOpen) return false;
    if (answer == Case::kNotKept) {
      return Fail(condition, hlo, "a case that the facts do not keep");
    }
  }
  return true;
}

SameValue::Case SameValue::InCase(Term condition, bool holds, llvm::function_ref<bool()> prove) {
  terms::Pool& pool = scope_.pool();
  const Term side = holds ? condition : pool.Not(condition);
  // What is the same stays so where more is known; what is not may become so.
  llvm::DenseSet<Pair> same = same_, different;
  llvm::DenseMap<Term, Term> reductions = reductions_;
  different.swap(different_);
  size_t saved = scope_.Save();
  bool possible = scope_.Assume(side);
  if (possible && condition->kind == Kind::kHolds) {
    // A predicate is one of the integers 0 and 1, too, and facts of the one form say nothing of
    // the other.
    Term number = pool.Number(holds ? 1 : 0);
    possible = scope_.Assume(pool.Equal(pool.IntegerOf(condition->args[0]), number));
  }
  possible = possible && scope_.RestateFacts(condition);
  // A condition that is not known to hold although it was assumed would be asked about for ever.
  bool decided = possible && scope_.Decide(side) == true;
  bool proved = !possible || (decided && prove());
  // Ranges do not see every contradiction.
  if (!proved && decided) proved = decider_ && decider_->Proves(scope_, pool.False());
  scope_.Restore(saved);
  same_ = std::move(same);
  different_ = std::move(different);
  reductions_ = std::move(reductions);
  if (proved) return Case::kProved;
  return possible && !decided ? Case::kNotKept : Case::kOpen;
}

bool SameValue::SameNow(Term kernel, Term hlo) {
  if (kernel == hlo) return true;
  if (kernel->sort() != hlo->sort()) return Fail(kernel, hlo, "not of one sort");
  const bool in_form = options_.folds_in_form || options_.folds_of_kernel;
  if (in_form && SameInForm(kernel, hlo)) return true;
  if (HasIntegerFold(hlo)) {
    Term written = WithoutIntegerFolds(hlo);
    return written ? Same(kernel, written) : Fail(kernel, hlo, "a fold that cannot be written out");
  }
  if (kernel->sort() == Sort::kInteger) return SameInteger(kernel, hlo);
  if (kernel->sort() == Sort::kCondition) return SameCondition(kernel, hlo);
  if (kernel->type != hlo->type) return Fail(kernel, hlo, "not of one type");
  if (hlo->kind == Kind::kFold) return SameFold(kernel, nullptr, hlo);
  if (IsFoldByComputation(hlo)) return SameFoldByComputation(kernel, hlo);
  if (hlo->kind == Kind::kApply && hlo->args.size() == 2) {
    for (int i : {0, 1}) {
      Term fold = hlo->args[i], init = hlo->args[1 - i];
      if (fold->kind == Kind::kFold && fold->operation == hlo->operation)
        return SameFold(kernel, init, fold);
    }
  }
  if (kernel->kind != hlo->kind && SameBits(kernel, hlo)) return true;
  // Integers are compared as what they are, in whatever form: a loaded one that the facts know.
  if (kernel->kind != hlo->kind && terms::IntegerWidth(hlo->type) > 1) {
    terms::Pool& pool = scope_.pool();
    if (hlo->kind != Kind::kApply || kernel->kind != Kind::kApply) {
      if (Holds(pool.IsZero(pool.Subtract(pool.IntegerOf(kernel), pool.IntegerOf(hlo)))))
        return true;
    }
  }
  const bool corresponds = hlo->kind == Kind::kApply && hlo->sort() == Sort::kValue;
  if (kernel->kind != hlo->kind && corresponds && SameByTable(kernel, hlo)) return true;
  if (kernel->kind != hlo->kind) return Fail(kernel, hlo, "other values");
  switch (hlo->kind) {
    case Kind::kLoad:
      if (kernel->number != hlo->number) return Fail(kernel, hlo, "elements of other arrays");
      return SameInteger(kernel->args[0], hlo->args[0]);
    case Kind::kOfInteger: {
      // Equal as the integers of their width that they are.
      if (SameExtrema(kernel->args[0], hlo->args[0])) return true;
      terms::Pool& pool = scope_.pool();
      Term difference = pool.OfInteger(pool.Subtract(kernel->args[0], hlo->args[0]), hlo->type);
      // A difference that is a loaded integer is that load, whose operand is the element.
      if (difference->kind == Kind::kOfInteger && difference->args[0]->IsNumber() &&
          difference->args[0]->number == 0) {
        return true;
      }
      return SameInteger(pool.IntegerOf(kernel), pool.IntegerOf(hlo));
    }
    case Kind::kOfCondition:
      return SameCondition(kernel->args[0], hlo->args[0]);
    case Kind::kSelect:
      if (kernel->args[0] == hlo->args[0]) return SameArms(kernel, hlo);
      return SameCondition(kernel->args[0], hlo->args[0]) && Same(kernel->args[1], hlo->args[1]) &&
             Same(kernel->args[2], hlo->args[2]);
    case Kind::kApply: {
      if (SameBits(kernel, hlo)) return true;
      if (SameExtremes(kernel, hlo)) return true;
      if (kernel->operation == hlo->operation && SameOperands(kernel, hlo)) return true;
      if (SameByTable(kernel, hlo)) return true;
      return Fail(kernel, hlo, "other operations");
    }
    default:
      return Fail(kernel, hlo, "other values");
  }
}

// Of choices by one condition each arm counts where it is taken alone.
bool SameValue::SameArms(Term kernel, Term hlo) {
  for (bool holds : {true, false}) {
    const size_t arm = holds ? 1 : 2;
    const Term a = kernel->args[arm], b = hlo->args[arm];
    if (a == b || SameInEachCase(a, b)) continue;
    if (++cases_ > options_.cases) return Fail(a, b, "too many cases");
    if (InCase(hlo->args[0], holds, [&] { return Same(a, b); }) != Case::kProved) return false;
  }
  return true;
}

// Whether the two, with a reduction in them or alike but for conversions, are the same without a
// case: of each element of a row the case would make another term of what the row has in common, to
// be compared anew.
bool SameValue::SameInEachCase(Term kernel, Term hlo) {
  const bool reduces = terms::AnyPart(hlo, [](Term part) { return part->kind == Kind::kFold; });
  if (!reduces && FormOf(kernel) != FormOf(hlo)) return false;
  const std::string before = reason_;
  const auto limits = std::tuple(cases_, data_cases_, undecided_);
  // What is not seen to be the same without cases of data may be seen with them.
  llvm::DenseSet<Pair> different = different_;
  data_cases_ = options_.data_cases;
  const bool same = Same(kernel, hlo);
  different_ = std::move(different);
  reason_ = before;
  std::tie(cases_, data_cases_, undecided_) = limits;
  return same;
}

// 0 - x for -x, where signs of zeros count for nothing.
bool SameValue::SameAsDifference(Term kernel, Term hlo) {
  if (!negations_are_differences_ || hlo->op() != Op::kNegate || kernel->op() != Op::kSubtract)
    return false;
  const Term zero = kernel->args[0];
  const bool is_zero = zero->kind == Kind::kLiteral && hlo::IsFloat(zero->type) &&
                       hlo::DecodeFloat(zero->type, static_cast<uint64_t>(zero->number)) == 0;
  return is_zero && Same(kernel->args[1], hlo->args[0]);
}

bool SameValue::SameByTable(Term kernel, Term hlo) {
  if (!options_.correspondences) return false;
  if (SameAsDifference(kernel, hlo)) return true;
  const NanBits nan_bits = nan_bits_count_ ? NanBits::kAreSeen : NanBits::kAreOne;
  return llvm::any_of(CorrespondencesOf(scope_, hlo, nan_bits), [&](Term other) {
    // A choice of which the operation itself is an arm is no form of what is no choice, and the
    // operation again where that arm is known to be taken.
    const bool has_itself = llvm::is_contained(other->args, hlo);
    const bool is_choice = kernel->kind == Kind::kSelect && !scope_.Decide(other->args[0]);
    if (has_itself && !is_choice) return false;
    return Same(kernel, other);
  });
}

Term SameValue::WithoutTotalOrders(Term hlo) {
  if (!options_.correspondences) return nullptr;
  llvm::DenseMap<Term, Term> forms;
  terms::ForEachPart(hlo, [&](Term term) {
    if (term->kind == Kind::kFold) return terms::Visit::kPast;
    if (term->kind != Kind::kApply || !terms::IsTotalComparison(term->op())) {
      return terms::Visit::kInto;
    }
    const std::vector<Term> of_term = CorrespondencesOf(scope_, term, NanBits::kAreSeen);
    if (!of_term.empty()) forms[term] = of_term.front();
    return terms::Visit::kPast;
  });
  // One that is all of the value has its place in the table.
  return forms.empty() || forms.contains(hlo) ? nullptr : scope_.Substitute(hlo, forms);
}

bool SameValue::SameOperands(Term kernel, Term hlo) {
  if (kernel->args.size() != hlo->args.size()) return Fail(kernel, hlo, "other operations");
  auto in_order = [&](bool swapped) {
    for (size_t i = 0; i < hlo->args.size(); ++i) {
      if (!Same(kernel->args[swapped ? 1 - i : i], hlo->args[i])) return false;
    }
    return true;
  };
  if (in_order(false)) return true;
  const bool commutes = hlo->args.size() == 2 && terms::IsCommutative(hlo->op());
  if (!commutes) return false;
  std::string first = reason_;
  if (in_order(true)) return true;
  reason_ = first;
  return false;
}

// Of maxima and minima it only counts which values they are of: max(max(a, b), b) is max(a, b).
bool SameValue::SameExtremes(Term kernel, Term hlo) {
  constexpr int64_t kMostCombined = 1024;
  const bool extreme = hlo->op() == Op::kMaximum || hlo->op() == Op::kMinimum;
  if (!extreme || kernel->operation != hlo->operation) return false;
  auto values_of = [&](Term term) {
    llvm::DenseSet<Term> values;
    auto combined = CombinedValues(scope_, hlo->op(), term, {}, kMostCombined);
    if (combined) values.insert(combined->begin(), combined->end());
    return values;
  };
  const llvm::DenseSet<Term> of_kernel = values_of(kernel);
  return !of_kernel.empty() && of_kernel == values_of(hlo);
}

bool SameValue::SameCondition(Term a, Term b) {
  if (a == b) return true;
  for (bool truth : {true, false}) {
    if (++cases_ > options_.cases) return Fail(a, b, "too many cases");
    size_t saved = scope_.Save();
    bool possible = scope_.Assume(truth ? a : scope_.pool().Not(a));
    Term there = possible ? scope_.Simplify(b) : nullptr;
    bool same = !possible || there->kind == (truth ? Kind::kTrue : Kind::kFalse) ||
                Holds(truth ? b : scope_.pool().Not(b));
    scope_.Restore(saved);
    if (same) continue;
    if (a->kind == Kind::kHolds && b->kind == Kind::kHolds) return Same(a->args[0], b->args[0]);
    if (a->kind == Kind::kNot && b->kind == Kind::kNot)
      return SameCondition(a->args[0], b->args[0]);
    const bool negated = b->kind == Kind::kNot;
    Term predicate = negated ? b->args[0] : b;
    if (options_.correspondences && predicate->kind == Kind::kHolds &&
        predicate->args[0]->kind == Kind::kApply) {
      for (Term form : CorrespondencesOf(scope_, predicate->args[0], NanBits::kAreOne)) {
        Term holds = scope_.pool().Holds(form);
        if (SameCondition(a, negated ? scope_.pool().Not(holds) : holds)) return true;
      }
    }
    if (Term written = WithLeavesOf(a, b)) return SameCondition(a, written);
    if (a->kind != Kind::kAnd || b->kind != Kind::kAnd || a->args.size() != b->args.size()) {
      return Fail(a, b, "other conditions");
    }
    for (size_t i = 0; i < a->args.size(); ++i) {
      if (!SameCondition(a->args[i], b->args[i])) return false;
    }
    return true;
  }
  return true;
}

// What rows have in common is large and stands in the value of each element, and is looked at once.
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
    // A conjunction in a predicate is a choice by each of its parts.
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
