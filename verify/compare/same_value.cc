#include "verify/compare/same_value.h"

#include <algorithm>
#include <tuple>

#include "core/hlo/float_format.h"
#include "llvm/ADT/DenseSet.h"
#include "verify/compare/correspondences.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/narrow_values.h"
#include "verify/terms/fold_laws.h"
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

SameValue::Failed SameValue::Fail(Term kernel, Term hlo, const char* what) {
  if (reason_.empty()) {
    auto text = [](Term term) { return terms::ToString(term, 200); };
    reason_ = std::string(what) + ": " + text(kernel) + " against " + text(hlo);
  }
  return {};
}

void SameValue::Begin() {
  reason_.clear();
  cases_ = data_cases_ = written_out_ = 0;
  pairs_ = options_.pairs;
  if (facts_ == scope_.FactsNumber()) return;
  facts_ = scope_.FactsNumber();
  Forget();
  sums_of_kernel_.clear();
}

void SameValue::Forget() {
  same_.clear();
  different_.clear();
  reductions_.clear();
}

SameValue::Proof SameValue::Prove(Term kernel, Term hlo) {
  Begin();
  has_inner_choice_ = false;
  missed_ = {};
  using logic::Oracle, logic::Oracles;
  const FunctionsOfDevice device =
      options_.correspondences ? parts_.Of(kernel).functions : FunctionsOfDevice();
  if (device.AreMixed())
    return Fail(kernel, hlo, "an operation and a device's function of its name");
  const Term element = chosen_.Replaced(kernel), sum = constants_.Replaced(hlo);
  const Term wanted = WithFunctionsOfDevice(scope_, sum, device);
  if (!wanted) return Fail(kernel, hlo, "an exponential that is fast and exact");
  functions_ = parts_.Of(kernel).operations;
  Proof same;
  if (!options_.exhausted) {
    same = Same(element, wanted);
  } else {
    lemmas_ = Lemmas::kLookFor;
    same = Same(element, wanted);
    if (!same && lemmas_ == Lemmas::kFound) same = ProveByLemmas(element, wanted);
    lemmas_ = Lemmas::kOff;
  }
  if (!same) same = SameByInnerChoices(element, wanted);
  if (same && wanted != sum) {
    Oracles names;
    if (device.quotients) names.Add(Oracles::Correspondence(Op::kDivide));
    if (device.roots) names.Add(Oracles::Correspondence(Op::kSqrt));
    if (device.fast_exponentials) names.Add(Oracles::Correspondence(Op::kExponential));
    same = ChainBack(same, Believed(names, sum, wanted));
  }
  if (same && element != kernel)
    same = Chain(Believed(Oracles::One(Oracle::kChosenElements), kernel, element), same);
  if (same && sum != hlo)
    same = ChainBack(same, Believed(Oracles::One(Oracle::kConstants), hlo, sum));
  if (!Settles(same, scope_, kernel, hlo, logic::Equality::kZerosAreOne)) return std::nullopt;
  FoldOrders& orders = options_.orders ? *options_.orders : orders_;
  const bool swapped = FirstIsLicensed();
  if (parts_.Of(kernel).rounded_reduction &&
      !orders.AddCommon(scope_, swapped ? kernel : hlo, swapped ? hlo : kernel, OrdersPlace()))
    return Fail(kernel, hlo, "one reduction is combined in two orders");
  if (options_.tally) options_.tally->Add(same->oracles());
  if (options_.exhausted) {
    for (int bits : same->oracles().exhausted()) options_.exhausted->insert(bits);
  }
  return same;
}

bool Settles(const SameValue::Proof& theorem, const terms::Scope& scope, Term a, Term b,
             logic::Equality least) {
  if (!theorem || !theorem->States(a, b) || theorem->equality() < least) return false;
  // The oracle of elements ignores signs of zeros, so its theorems do not state equal values.
  if (theorem->oracles().Has(logic::Oracle::kElements)) return false;
  return llvm::all_of(theorem->facts().conditions(),
                      [&](Term fact) { return llvm::is_contained(scope.facts(), fact); });
}

bool SameValue::ProveElements(Term kernel, Term hlo) {
  Begin();
  functions_ = parts_.Of(kernel).operations;
  hlo = constants_.Replaced(hlo);
  if (const Term of_device = WithFunctionsOfDevice(scope_, hlo, parts_.Of(kernel).functions))
    hlo = of_device;
  kernel = chosen_.Replaced(kernel);
  if (SameElements(kernel, hlo)) return true;
  bool negates = false;
  terms::ForEachPart(hlo, [&](Term term) {
    negates = negates || term->op() == Op::kNegate;
    return negates ? terms::Visit::kStop : terms::Visit::kInto;
  });
  if (!negates) return false;
  // Matches under this relaxation are not equalities: none is kept.
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

SameValue::Proof SameValue::Same(Term kernel, Term hlo) {
  const logic::Theorem ours = infer_.Simplified(kernel), theirs = infer_.Simplified(hlo);
  Proof same = SameSimplified(ours.right(), theirs.right());
  if (same && ours.right() != kernel) same = Chain(ours, same);
  if (same && theirs.right() != hlo) same = ChainBack(same, theirs);
  if (!same) return same;
  seen_.Add(same->oracles());
  weakest_ = std::min(weakest_, same->equality());
  return same;
}

SameValue::Proof SameValue::SameSimplified(Term kernel, Term hlo) {
  if (kernel == hlo) return infer_.Reflexivity(kernel);
  auto known = same_.find({kernel, hlo});
  if (known != same_.end() && IsUsable(known->second)) return known->second;
  if (different_.contains({kernel, hlo})) return std::nullopt;
  if (sums_of_kernel_.contains(hlo)) return Fail(kernel, hlo, "two orders of one reduction");
  // Terms of different types stay so in every case.
  if (kernel->sort() != hlo->sort() || kernel->type != hlo->type)
    return Fail(kernel, hlo, "not of one type");
  // Nested folds multiply the ways to compare them.
  if (--pairs_ < 0) return Fail(kernel, hlo, "too many pairs of terms");
  Proof same = lemmas_ == Lemmas::kUse ? SameByLemma(kernel, hlo) : std::nullopt;
  if (!same) {
    same = CountsNanBits(kernel, hlo) ? SameWithNanBits(kernel, hlo) : SameByChoices(kernel, hlo);
  }
  auto exists = [](const lemma::Statement&) { return true; };
  if (!same && lemmas_ == Lemmas::kLookFor && AnyStatement(kernel, hlo, exists))
    lemmas_ = Lemmas::kFound;
  if (!same) {
    different_.insert({kernel, hlo});
    return std::nullopt;
  }
  same_.insert_or_assign({kernel, hlo}, *same);
  // Inside of a fold's body the equality would hold for that fold's variables alone.
  if (fold_depth_ == 0 && IsReduction(hlo)) reductions_.insert_or_assign(hlo, *same);
  return same;
}

SameValue::Proof SameValue::SameByChoices(Term kernel, Term hlo) {
  std::string before = reason_;
  undecided_ = nullptr;
  // Enumerates narrow values first: their integer forms are long. Ignoring the facts is sound:
  // they only exclude points.
  auto same_element = [&](Term a, Term b) { return IsSameElement(a, b); };
  constexpr int64_t kFewBits = 8, kSomeBits = 16;
  const bool nans_are_one = !nan_bits_count_ || !hlo::IsFloat(hlo->type);
  const bool small = nans_are_one && terms::IsSmallFloat(hlo->type);
  const auto enumeration = logic::Oracles::One(logic::Oracle::kEnumeration);
  auto at_all_values = [&](int64_t bits) -> Proof {
    if (!MayBeComputed(kernel, hlo)) return std::nullopt;
    return ByStrategy(enumeration, kernel, hlo, [&] {
      return SameAtAllValues(kernel, hlo, same_element, steps_, bits) == true;
    });
  };
  if (small) {
    if (Proof same = at_all_values(kFewBits)) return same;
  }
  if (Proof same =
          ByStrategy(enumeration, kernel, hlo, [&] { return SameWhateverCompares(kernel, hlo); })) {
    return same;
  }
  if (Proof same = SameNow(kernel, hlo)) return same;
  if (nans_are_one) {
    if (Proof same = at_all_values(kSomeBits)) return same;
  }
  if (Proof written = WithLoadsOf(kernel, hlo)) {
    reason_ = before;
    return SameAs(kernel, written);
  }
  if (Proof written = WithoutTotalOrders(hlo)) {
    reason_ = before;
    return SameAs(kernel, written);
  }
  if (Proof written = WithoutComputations(hlo)) {
    reason_ = before;
    return SameAs(kernel, written);
  }
  // Splits on an undecided condition, those of the two roots first.
  Term choice = undecided_;
  for (Term term : {hlo, kernel}) {
    if (!choice && term->kind == Kind::kSelect) choice = term->args[0];
  }
  if (!choice) choice = FindChoice(kernel, false);
  if (!choice) choice = FindChoice(hlo, false);
  if (!choice) return std::nullopt;
  reason_ = before;
  return ByCases(choice, kernel, hlo, /*elements=*/false);
}

bool SameValue::MayBeComputed(Term kernel, Term hlo) {
  if (options_.exact_quotients == ExactQuotients::kOfBoth) return true;
  auto has_none = [&](Term side) {
    const FunctionsOfDevice& functions = parts_.Of(side).functions;
    return !functions.exact_quotients && !functions.exact_roots;
  };
  const Term open = FirstIsLicensed() ? kernel : hlo, other = FirstIsLicensed() ? hlo : kernel;
  return has_none(other) &&
         (options_.exact_quotients == ExactQuotients::kOfOpenSide || has_none(open));
}

// Enumerates the outcomes of the comparisons in both terms. Case distinctions by data would be too
// many where thousands of values contain a comparison each.
bool SameValue::SameWhateverCompares(Term kernel, Term hlo) {
  const std::string before = reason_;
  const auto limits = std::pair(cases_, data_cases_);
  const Term undecided = undecided_;
  auto same_comparison = [&](Term a, Term b) { return AreSame(a, b); };
  if (MayBeComputed(kernel, hlo) && SameByComparisons(kernel, hlo, same_comparison, steps_))
    return true;
  reason_ = before;
  std::tie(cases_, data_cases_) = limits;
  undecided_ = undecided;
  return false;
}

SameValue::Proof SameValue::SameNow(Term kernel, Term hlo) {
  if (kernel == hlo) return infer_.Reflexivity(kernel);
  if (kernel->sort() != hlo->sort()) return Fail(kernel, hlo, "not of one sort");
  const bool in_form = options_.folds_in_form || options_.folds_of_kernel;
  if (in_form) {
    if (Proof same = SameInForm(kernel, hlo)) return same;
  }
  if (HasIntegerFold(hlo)) {
    Term written = WithoutIntegerFolds(hlo);
    if (!written) return Fail(kernel, hlo, "a fold that cannot be written out");
    return SameAs(kernel, Believed(logic::Oracles::One(logic::Oracle::kFolds), hlo, written));
  }
  if (kernel->sort() == Sort::kInteger) return SameInteger(kernel, hlo);
  if (kernel->sort() == Sort::kCondition) return SameCondition(kernel, hlo);
  if (kernel->type != hlo->type) return Fail(kernel, hlo, "not of one type");
  const auto folds = logic::Oracles::One(logic::Oracle::kFolds);
  auto is_rounded = [](Term t) { return t->kind == Kind::kApply && t->op() == Op::kRounded; };
  if (is_rounded(hlo)) return SameAs(kernel, Believed(folds, hlo, hlo->args[0]));
  if (kernel->kind == Kind::kApply && kernel->op() == Op::kOpenZeroSign) {
    const Term sum = kernel->args[0];
    if (nan_bits_count_) return Fail(kernel, hlo, "the sign of a zero is open");
    return Chain(
        infer_.Believe(folds, infer_.FactsNow(), kernel, sum, logic::Equality::kZerosAreOne),
        Same(sum, hlo));
  }
  if (is_rounded(kernel))
    return Chain(Believed(folds, kernel, kernel->args[0]), Same(kernel->args[0], hlo));
  if (hlo->kind == Kind::kFold || IsReduction(hlo)) return SameFoldIn(kernel, hlo);
  // An initial value may be combined at any position of the order, so it is no operand of a sum.
  if (terms::RoundsInOrder(kernel->op(), kernel->type) && IsReduction(kernel))
    return Fail(kernel, hlo, "a fold that starts with a value");
  if (IsFoldByComputation(hlo)) return SameFoldByComputation(kernel, hlo);
  if (kernel->kind == hlo->kind) return SameOfOneKind(kernel, hlo);
  const auto integers = logic::Oracles::One(logic::Oracle::kIntegers);
  if (Proof same = ByStrategy(integers, kernel, hlo, [&] { return SameBits(kernel, hlo); }))
    return same;
  // Compares integers by value, whatever their form: facts may determine a loaded one.
  const bool is_operation = hlo->kind == Kind::kApply && kernel->kind == Kind::kApply;
  if (terms::IntegerWidth(hlo->type) > 1 && !is_operation) {
    if (Proof same = SameAsIntegers(kernel, hlo)) return same;
  }
  if (hlo->kind == Kind::kApply) {
    if (Proof same = SameByTable(kernel, hlo)) return same;
  }
  if (Proof same = SameByRuleOfKernel(kernel, hlo)) return same;
  return Fail(kernel, hlo, "other values");
}

SameValue::Proof SameValue::SameAsIntegers(Term kernel, Term hlo) {
  terms::Pool& pool = scope_.pool();
  const Proof integers = FromZero(pool.IntegerOf(kernel), pool.IntegerOf(hlo));
  return integers ? infer_.FromIntegers(*integers, kernel, hlo) : std::nullopt;
}

SameValue::Proof SameValue::SameOfOneKind(Term kernel, Term hlo) {
  auto congruence = [&](const Proof& operand) -> Proof {
    return operand ? infer_.Congruence(kernel, hlo, {operand}) : std::nullopt;
  };
  const auto integers = logic::Oracles::One(logic::Oracle::kIntegers);
  switch (hlo->kind) {
    case Kind::kLoad:
      if (kernel->number != hlo->number) return Fail(kernel, hlo, "elements of other arrays");
      return congruence(SameInteger(kernel->args[0], hlo->args[0]));
    case Kind::kOfInteger: {
      // First by the maxima and minima in them, then modulo 2^width.
      const Term a = kernel->args[0], b = hlo->args[0];
      if (Proof same = ByStrategy(integers, a, b, [&] { return SameExtrema(a, b); }))
        return congruence(same);
      if (Proof same = infer_.Modulo(kernel, hlo)) return same;
      terms::Pool& pool = scope_.pool();
      const Proof same = SameInteger(pool.IntegerOf(kernel), pool.IntegerOf(hlo));
      return same ? infer_.FromIntegers(*same, kernel, hlo) : std::nullopt;
    }
    case Kind::kOfCondition:
      return congruence(SameCondition(kernel->args[0], hlo->args[0]));
    case Kind::kSelect: {
      if (kernel->args[0] == hlo->args[0]) return SameArms(kernel, hlo);
      const Proof condition = SameCondition(kernel->args[0], hlo->args[0]);
      const Proof yes = condition ? Same(kernel->args[1], hlo->args[1]) : std::nullopt;
      const Proof no = yes ? Same(kernel->args[2], hlo->args[2]) : std::nullopt;
      return no ? infer_.Congruence(kernel, hlo, {condition, yes, no}) : std::nullopt;
    }
    case Kind::kApply: {
      if (Proof same = ByStrategy(integers, kernel, hlo, [&] { return SameBits(kernel, hlo); }))
        return same;
      const auto extrema = logic::Oracles::One(logic::Oracle::kExtrema);
      if (Proof same = ByStrategy(extrema, kernel, hlo, [&] { return SameExtremes(kernel, hlo); }))
        return same;
      if (kernel->operation == hlo->operation) {
        if (Proof same = SameOperands(kernel, hlo)) return same;
      }
      if (Proof same = SameByTable(kernel, hlo)) return same;
      if (Proof same = SameByRuleOfKernel(kernel, hlo)) return same;
      return Fail(kernel, hlo, "other operations");
    }
    default:
      return Fail(kernel, hlo, "other values");
  }
}

// Accepts 0 - x for -x; they differ in the sign of a zero (negations_are_differences_).
bool SameValue::SameAsDifference(Term kernel, Term hlo) {
  if (!negations_are_differences_ || hlo->op() != Op::kNegate || kernel->op() != Op::kSubtract)
    return false;
  const Term zero = kernel->args[0];
  const bool is_zero = zero->kind == Kind::kLiteral && hlo::IsFloat(zero->type) &&
                       hlo::DecodeFloat(zero->type, static_cast<uint64_t>(zero->number)) == 0;
  return is_zero && AreSame(kernel->args[1], hlo->args[0]);
}

SameValue::Proof SameValue::SameByTable(Term kernel, Term hlo) {
  if (!options_.correspondences) return std::nullopt;
  const auto elements = logic::Oracles::One(logic::Oracle::kElements);
  if (Proof same = ByStrategy(elements, kernel, hlo, [&] { return SameAsDifference(kernel, hlo); }))
    return same;
  if (Proof same = SameAs(kernel, Shortened(hlo))) return same;
  return InOtherForms(hlo, [&]() -> Proof {
    for (const logic::Theorem& form : FormsOf(hlo)) {
      // A select with the operation itself as an arm matches a select alone. Where its condition is
      // decided, it is the operation again.
      const Term other = form.right();
      const bool has_itself = llvm::is_contained(other->args, hlo);
      const bool is_choice = kernel->kind == Kind::kSelect && !scope_.Decide(other->args[0]);
      if (has_itself && !is_choice) continue;
      if (Proof same = SameAs(kernel, form)) return same;
    }
    return std::nullopt;
  });
}

SameValue::Proof SameValue::WithoutTotalOrders(Term hlo) {
  if (!options_.correspondences) return std::nullopt;
  std::vector<logic::Theorem> forms;
  bool is_all = false;
  terms::ForEachPart(hlo, [&](Term term) {
    if (term->kind == Kind::kFold) return terms::Visit::kPast;
    if (term->kind != Kind::kApply || !terms::IsTotalComparison(term->op())) {
      return terms::Visit::kInto;
    }
    const std::vector<Term> of_term = CorrespondencesOf(scope_, term);
    if (of_term.empty()) return terms::Visit::kPast;
    const auto form = logic::Oracles::Correspondence(term->op());
    if (Proof same = Believed(form, term, of_term.front())) forms.push_back(*same);
    // SameByTable handles a comparison that is the whole value.
    is_all = is_all || term == hlo;
    return terms::Visit::kPast;
  });
  return forms.empty() || is_all ? std::nullopt : infer_.Replaced(hlo, forms);
}

SameValue::Proof SameValue::SameOperands(Term kernel, Term hlo) {
  using Order = logic::Inference::Order;
  if (kernel->args.size() != hlo->args.size()) return Fail(kernel, hlo, "other operations");
  auto in_order = [&](Order order) -> Proof {
    std::vector<Proof> operands;
    for (size_t i = 0; i < kernel->args.size(); ++i) {
      operands.push_back(Same(kernel->args[i], hlo->args[order == Order::kSwapped ? 1 - i : i]));
      if (!operands.back()) return std::nullopt;
    }
    return infer_.Congruence(kernel, hlo, operands, order);
  };
  if (Proof same = in_order(Order::kSame)) return same;
  const bool commutes = hlo->args.size() == 2 && terms::IsCommutative(hlo->op());
  if (!commutes) return std::nullopt;
  std::string first = reason_;
  if (Proof same = in_order(Order::kSwapped)) return same;
  reason_ = first;
  return std::nullopt;
}

// Compares maxima and minima as sets of operands: max(max(a, b), b) is max(a, b).
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

}  // namespace affirm::compare
