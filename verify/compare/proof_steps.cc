// Theorems of one step, as the strategies of SameValue chain them.
#include "verify/compare/correspondences.h"
#include "verify/compare/same_value.h"
#include "verify/logic/term_rule.h"

namespace affirm::compare {

using terms::Op;
using terms::Term;

SameValue::Proof SameValue::ByStrategy(const logic::Oracles& oracles, Term a, Term b,
                                       llvm::function_ref<bool()> strategy) {
  const logic::Oracles outer = std::exchange(seen_, {});
  const logic::Equality outer_weakest = std::exchange(weakest_, logic::Equality::kBits);
  Proof found;
  // If values are equal up to signs of zeros, so are their sums, and claims about elements ignore
  // signs. Other operations may turn the sign of a zero into another value: 1 / -0.0.
  const bool sums = oracles.Has(logic::Oracle::kFolds) || oracles.Has(logic::Oracle::kElements);
  if (strategy()) {
    if (weakest_ != logic::Equality::kZerosAreOne)
      found = Believed(oracles, a, b, seen_);
    else if (sums && !nan_bits_count_)
      found = infer_.Believe(oracles, infer_.FactsNow(), a, b, weakest_, seen_);
  }
  seen_ = outer;
  weakest_ = outer_weakest;
  if (found) seen_.Add(found->oracles());
  if (found) weakest_ = std::min(weakest_, found->equality());
  return found;
}

SameValue::Proof SameValue::Believed(const logic::Oracles& oracles, Term a, Term b,
                                     const logic::Oracles& also) {
  const auto equality = nan_bits_count_ ? logic::Equality::kBits : logic::Equality::kNansAreOne;
  return infer_.Believe(oracles, infer_.FactsNow(), a, b, equality, also);
}

bool SameValue::IsOfEnoughBits(const logic::Theorem& theorem) const {
  return !nan_bits_count_ || theorem.equality() == logic::Equality::kBits;
}

bool SameValue::Calls(Op operation) const {
  return functions_.test(static_cast<size_t>(operation));
}

std::vector<logic::Theorem> SameValue::FormsOf(Term operation) {
  std::vector<logic::Theorem> forms;
  const auto by_table = logic::Oracles::Correspondence(operation->op());
  for (Term form : CorrespondencesOf(scope_, operation)) {
    if (Proof same = Believed(by_table, operation, form)) forms.push_back(*same);
  }
  for (const logic::TermRule& rule : logic::TermRules::Builtin().RulesFor(operation)) {
    const bool is_defined = rule.rule().of_class == value_rules::RuleClass::kDefined;
    // A kernel that calls the function uses it for every such operation: its approximation may
    // differ from the defined value.
    if (is_defined && (!options_.definitions || Calls(operation->op()))) continue;
    Proof same = infer_.OfRule(rule, operation);
    if (same && same->right() != operation && IsOfEnoughBits(*same)) forms.push_back(*same);
  }
  return forms;
}

SameValue::Proof SameValue::Shortened(Term operation) {
  Proof all;
  for (bool is_done = false; !is_done;) {
    is_done = true;
    const Term term = all ? all->right() : operation;
    for (const logic::TermRule& rule : logic::TermRules::Builtin().RulesFor(term)) {
      if (!rule.Shrinks() || rule.rule().of_class != value_rules::RuleClass::kExact) continue;
      const Proof form = infer_.OfRule(rule, term);
      if (!form || form->right() == term || !IsOfEnoughBits(*form)) continue;
      all = all ? Chain(all, form) : form;
      is_done = !all;
      break;
    }
  }
  return all;
}

SameValue::Proof SameValue::SameByRuleOfKernel(Term kernel, Term hlo) {
  if (!options_.correspondences) return std::nullopt;
  if (const Proof form = Shortened(kernel)) {
    if (Proof same = Chain(form, Same(form->right(), hlo))) return same;
  }
  return InOtherForms(kernel, [&]() -> Proof {
    for (const logic::TermRule& rule : logic::TermRules::Builtin().RulesFor(kernel)) {
      if (rule.rule().of_class != value_rules::RuleClass::kExact) continue;
      const Proof form = infer_.OfRule(rule, kernel);
      if (!form || form->right() == kernel || !IsOfEnoughBits(*form)) continue;
      // A larger form is of use only where it is of the operation that is looked for.
      if (rule.Grows() && form->right()->operation != hlo->operation) continue;
      if (Proof same = Chain(form, Same(form->right(), hlo))) return same;
    }
    return std::nullopt;
  });
}

SameValue::Proof SameValue::InOtherForms(Term operation, llvm::function_ref<Proof()> with) {
  constexpr size_t kMostNested = 64;
  const std::pair key(scope_.FactsNumber(), operation);
  if (in_other_forms_.size() >= kMostNested || !in_other_forms_.insert(key).second)
    return std::nullopt;
  const Proof same = with();
  in_other_forms_.erase(key);
  return same;
}

SameValue::Proof SameValue::Chain(const Proof& first, const Proof& second) {
  return first && second ? infer_.Transitivity(*first, *second) : std::nullopt;
}

SameValue::Proof SameValue::ChainBack(const Proof& first, const Proof& second) {
  return first && second ? infer_.Transitivity(*first, infer_.Symmetry(*second)) : std::nullopt;
}

SameValue::Proof SameValue::SameAs(Term kernel, const Proof& hlo_as_known) {
  return hlo_as_known ? ChainBack(Same(kernel, hlo_as_known->right()), hlo_as_known) : std::nullopt;
}

SameValue::Proof SameValue::Known(Term condition) {
  if (Proof decided = infer_.Decided(condition))
    return decided->States(condition) ? decided : std::nullopt;
  return decider_ ? infer_.DecidedBy(*decider_, condition) : std::nullopt;
}

bool SameValue::Holds(Term condition) {
  const Proof known = Known(condition);
  if (known) seen_.Add(known->oracles());
  return known.has_value();
}

// Proves a - b = d and d = 0, where d is the simplified difference.
SameValue::Proof SameValue::FromZero(Term a, Term b) {
  terms::Pool& pool = scope_.pool();
  const Term zero = pool.Number(0);
  const logic::Theorem simple = infer_.Simplified(pool.Subtract(a, b));
  const Proof is_zero = Known(pool.IsZero(simple.right()));
  if (!is_zero) return std::nullopt;
  const Proof difference = Chain(simple, infer_.FromDifference(*is_zero, simple.right(), zero));
  return difference ? infer_.Linear(a, b, {*difference}, {1}) : std::nullopt;
}

SameValue::Proof SameValue::SameLoad(Term load, Term other, const Proof& place) {
  return place ? infer_.Congruence(load, other, {place}) : std::nullopt;
}

bool SameValue::IsUsable(const logic::Theorem& theorem) {
  return infer_.FactsNow().IncludesAll(theorem.facts());
}

}  // namespace affirm::compare
