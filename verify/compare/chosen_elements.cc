#include "verify/compare/chosen_elements.h"

#include <map>
#include <optional>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/compare/fold_terms.h"

namespace affirm::compare {

using terms::Int128;
using terms::Kind;
using terms::Op;
using terms::Term;

// One arm of a selection: (condition ? value : 0) or (condition ? 0 : value) on integers, where
// `value` contains one load.
struct ChosenElements::Candidate {
  Term condition = nullptr;  // x = 0, or x >= 0
  bool where_it_holds = true;
  Term value = nullptr, load = nullptr;

  bool IsEquation() const { return condition->kind == Kind::kIsZero && where_it_holds; }
  // x minus its constant term.
  Term Variable(terms::Pool& pool) const {
    return pool.Subtract(condition->args[0], pool.Number(Constant()));
  }
  Int128 Constant() const {
    const Term x = condition->args[0];
    return x->kind == Kind::kSum ? x->number : 0;
  }
};

namespace {

constexpr int64_t kMostElements = int64_t{1} << 16;

// The only load in a value; null where it has none or several.
Term LoadOf(Term value) {
  Term load = nullptr;
  size_t loads = 0;
  terms::ForEachPart(value, [&](Term part) {
    if (part->kind != Kind::kLoad) return terms::Visit::kInto;
    load = part;
    return ++loads > 1 ? terms::Visit::kStop : terms::Visit::kPast;
  });
  return loads == 1 ? load : nullptr;
}

// x of the condition -x >= 0, which makes a nonnegative x 0; null for other conditions.
Term NotPositive(Term condition) {
  if (condition->kind != Kind::kAtLeastZero) return nullptr;
  const Term x = condition->args[0];
  const bool is_negation =
      x->kind == Kind::kSum && x->number == 0 && x->sum.size() == 1 && x->sum[0].coefficient == -1;
  return is_negation ? x->sum[0].atom : nullptr;
}

}  // namespace

std::optional<ChosenElements::Candidate> ChosenElements::CandidateOf(Term pick) {
  if (!pick || pick->kind != Kind::kPick) return std::nullopt;
  auto is_zero = [](Term integer) { return integer->IsNumber() && integer->number == 0; };
  Candidate candidate{.condition = pick->args[0], .where_it_holds = is_zero(pick->args[2])};
  const Kind kind = candidate.condition->kind;
  if (kind != Kind::kAtLeastZero && !candidate.IsEquation()) return std::nullopt;
  if (!candidate.where_it_holds && !is_zero(pick->args[1])) return std::nullopt;
  candidate.value = pick->args[candidate.where_it_holds ? 1 : 2];
  candidate.load = LoadOf(candidate.value);
  if (!candidate.load) return std::nullopt;
  return candidate;
}

// The one value of `place`, which lies in `range`, that selects the candidate's value; nullopt
// where none or several do.
std::optional<Int128> ChosenElements::NumberOf(const Candidate& candidate, Term place,
                                               terms::Range range) {
  terms::Pool& pool = scope_.pool();
  const Term variable = candidate.Variable(pool);
  const bool negated = variable != place;
  if (negated && variable != pool.Scale(place, -1)) return std::nullopt;
  const Int128 constant = candidate.Constant();
  if (candidate.IsEquation()) return negated ? constant : -constant;
  // place >= bound or place <= bound selects one value where the bound is an end of the range.
  const bool at_least = negated != candidate.where_it_holds;
  Int128 bound = negated ? constant : -constant;
  if (!candidate.where_it_holds) bound += negated ? 1 : -1;
  if (bound != (at_least ? range.hi : range.lo)) return std::nullopt;
  return bound;
}

// An `or` of values, or a conjunction that says that several integers are not positive.
bool ChosenElements::IsCombination(Term term) {
  if (term->kind == Kind::kApply) return term->op() == Op::kOr;
  return term->kind == Kind::kAnd && llvm::count_if(term->args, NotPositive) > 1;
}

bool ChosenElements::Combines(Term term) {
  auto known = combines_.find(term);
  if (known != combines_.end()) return known->second;
  const bool combines =
      IsCombination(term) || llvm::any_of(term->args, [&](Term arg) { return Combines(arg); }) ||
      llvm::any_of(term->sum, [&](const terms::Monomial& m) { return Combines(m.atom); });
  combines_[term] = combines;
  return combines;
}

Term ChosenElements::WithLoad(Term value, Term load, Term other) {
  return load == other ? value : scope_.Substitute(value, {{load, other}});
}

bool ChosenElements::IsBetween(Term place, Int128 least, Int128 largest) {
  const terms::Range range = scope_.RangeOf(place);
  if (range.lo >= least && range.hi <= largest) return true;
  terms::Pool& pool = scope_.pool();
  return decider_ && decider_->Proves(scope_, pool.AtLeast(place, pool.Number(least))) &&
         decider_->Proves(scope_, pool.AtLeast(pool.Number(largest), place));
}

Term ChosenElements::ElementOf(llvm::ArrayRef<Candidate> candidates) {
  terms::Pool& pool = scope_.pool();
  auto first = llvm::find_if(candidates, [](const Candidate& c) { return c.IsEquation(); });
  if (first == candidates.end()) return nullptr;
  const Term place = first->Variable(pool);
  const terms::Range range = scope_.RangeOf(place);
  std::map<Int128, Candidate> by_number;
  for (const Candidate& candidate : candidates) {
    std::optional<Int128> number = NumberOf(candidate, place, range);
    if (!number) return nullptr;
    auto [known, is_new] = by_number.try_emplace(*number, candidate);
    if (!is_new && known->second.value != candidate.value) return nullptr;
  }
  const auto& [least, of_least] = *by_number.begin();
  const auto& [largest, of_largest] = *by_number.rbegin();
  const bool all = largest - least + 1 == static_cast<Int128>(by_number.size());
  if (!all || !IsBetween(place, least, largest)) return nullptr;
  // The loads read one array, with an index that has stride 1 or -1 in the place.
  const Term start = of_least.load->args[0];
  const Term span = pool.Subtract(of_largest.load->args[0], start);
  const Int128 step = span == pool.Number(largest - least) ? 1 : -1;
  for (const auto& [number, candidate] : by_number) {
    // Incomplete: Substitute also simplifies by facts about one element, so terms may differ.
    const bool alike =
        candidate.load->number == of_least.load->number &&
        WithLoad(of_least.value, of_least.load, candidate.load) == candidate.value &&
        pool.Subtract(candidate.load->args[0], start) == pool.Number(step * (number - least));
    if (!alike) return nullptr;
  }
  const Term from_least = pool.Subtract(place, pool.Number(least));
  const Term element = pool.Add(start, pool.Scale(from_least, step));
  return WithLoad(
      of_least.value, of_least.load,
      pool.Load(static_cast<int64_t>(of_least.load->number), element, of_least.load->type));
}

Term ChosenElements::ElementOfOr(Term combination) {
  auto values = CombinedValues(scope_, Op::kOr, combination, {}, kMostElements);
  if (!values) return nullptr;
  std::vector<Candidate> candidates;
  for (Term value : *values) {
    if (IsIdentityOf(Op::kOr, value)) continue;
    const Term pick = value->kind == Kind::kOfInteger ? value->args[0] : nullptr;
    std::optional<Candidate> candidate = CandidateOf(pick);
    if (!candidate) return nullptr;
    candidates.push_back(*candidate);
  }
  const Term element = ElementOf(candidates);
  return element ? scope_.pool().OfInteger(element, combination->type) : nullptr;
}

// All arms but the selected one are 0 already, so "each arm is 0" is "the selected element is 0".
Term ChosenElements::ElementOfAnd(Term conjunction) {
  std::vector<Candidate> candidates;
  std::vector<Term> others;
  for (Term part : conjunction->args) {
    if (std::optional<Candidate> candidate = CandidateOf(NotPositive(part)))
      candidates.push_back(*candidate);
    else
      others.push_back(part);
  }
  const Term element = ElementOf(candidates);
  if (!element) return nullptr;
  terms::Pool& pool = scope_.pool();
  others.push_back(pool.AtLeastZero(pool.Scale(element, -1)));
  return pool.And(others);
}

Term ChosenElements::Replaced(Term value) {
  llvm::DenseMap<Term, Term> elements;
  terms::ForEachPart(value, [&](Term part) {
    if (!Combines(part)) return terms::Visit::kPast;
    if (!IsCombination(part)) return terms::Visit::kInto;
    const bool is_and = part->kind == Kind::kAnd;
    Term element = is_and ? ElementOfAnd(part) : ElementOfOr(part);
    if (element) elements[part] = element;
    return element || !is_and ? terms::Visit::kPast : terms::Visit::kInto;
  });
  return elements.empty() ? value : scope_.Substitute(value, elements);
}

}  // namespace affirm::compare
