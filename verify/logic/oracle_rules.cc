// Rules that trust a scope, a decider or a caller. Each records its oracle in the theorem.
#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "verify/logic/inference.h"
#include "verify/logic/nan_bits.h"

namespace affirm::logic {

using terms::Kind;
using terms::Sort;
using terms::Term;

namespace {

constexpr size_t kMostKept = 4096;  // memoized sets of facts

bool AreOfOneKind(Term a, Term b) { return a->sort() == b->sort() && a->type == b->type; }

}  // namespace

const std::vector<Term>& Inference::BoundIn(Term t) {
  auto known = bound_.find(t);
  if (known != bound_.end()) return known->second;
  std::vector<Term> bound;
  auto add = [&](llvm::ArrayRef<Term> variables) {
    for (Term variable : variables) {
      if (!llvm::is_contained(bound, variable)) bound.push_back(variable);
    }
  };
  if (t->kind == Kind::kFold) add(t->args.drop_front(2));
  for (Term arg : t->args) add(BoundIn(arg));
  for (const terms::Monomial& m : t->sum) add(BoundIn(m.atom));
  return bound_[t] = std::move(bound);
}

bool Inference::Captures(Term t, const Facts& facts) {
  return llvm::any_of(BoundIn(t), [&](Term variable) { return facts.Mention(variable); });
}

// Memoized by FactsNumber, which identifies one set of facts in the lifetime of a scope.
Facts Inference::FactsNow() {
  const uint64_t number = scope_.FactsNumber();
  if (number == 0) return {};
  if (facts_.size() > kMostKept) facts_.clear();
  auto [kept, is_new] = facts_.try_emplace(number);
  if (is_new) kept->second = Facts(scope_.facts());
  return kept->second;
}

Inference::Result Inference::Decided(Term condition) {
  if (condition->sort() != Sort::kCondition) return std::nullopt;
  if (condition->kind == Kind::kTrue || condition->kind == Kind::kFalse)
    return Reflexivity(condition);
  const std::optional<bool> answer = scope_.Decide(condition);
  if (!answer || Captures(condition, FactsNow())) return std::nullopt;
  return Make(FactsNow(), condition, *answer ? pool_.True() : pool_.False(), Equality::kBits,
              Oracles::One(Oracle::kRanges));
}

Theorem Inference::Simplified(Term t) {
  const Term simple = scope_.Simplify(t);
  if (simple == t || !AreOfOneKind(simple, t) || Captures(t, FactsNow())) return Reflexivity(t);
  return Make(FactsNow(), t, simple, Equality::kBits, Oracles::One(Oracle::kRanges));
}

Inference::Result Inference::Replaced(Term t, llvm::ArrayRef<Theorem> parts) {
  Facts facts = FactsNow();
  Oracles oracles = Oracles::One(Oracle::kRanges);
  Equality equality = Equality::kBits;
  llvm::DenseMap<Term, Term> replaced;
  for (const Theorem& part : parts) {
    // A bound variable must not be replaced.
    if (llvm::is_contained(BoundIn(t), part.left())) return std::nullopt;
    if (!replaced.try_emplace(part.left(), part.right()).second) return std::nullopt;
    facts = facts.Join(part.facts());
    oracles.Add(part.oracles());
    equality = std::min(equality, part.equality());
  }
  // Checks all operations around the replaced parts, which is conservative; not those inside.
  bool shows_more = false;
  terms::ForEachPart(t, [&](Term part) {
    if (replaced.contains(part)) return terms::Visit::kPast;
    for (size_t i = 0; i < part->args.size(); ++i) shows_more |= !MayReplace(part, i, equality);
    return terms::Visit::kInto;
  });
  if (shows_more || Captures(t, facts)) return std::nullopt;
  const Term written = scope_.Substitute(t, replaced);
  if (!AreOfOneKind(written, t)) return std::nullopt;
  return Make(std::move(facts), t, written, equality, oracles);
}

Inference::Result Inference::DecidedBy(terms::TermDecider& decider, Term condition) {
  if (condition->sort() != Sort::kCondition || Captures(condition, FactsNow()) ||
      !decider.Proves(scope_, condition)) {
    return std::nullopt;
  }
  return Make(FactsNow(), condition, pool_.True(), Equality::kBits,
              Oracles::One(Oracle::kDeciders));
}

Inference::Result Inference::OfRule(const TermRule& rule, Term t) {
  const value_rules::RuleClass of_class = rule.rule().of_class;
  if (of_class == value_rules::RuleClass::kLicensed) return std::nullopt;
  const Term after = rule.Apply(scope_, t);
  if (after == nullptr || !AreOfOneKind(t, after)) return std::nullopt;
  Oracles oracles;
  if (of_class == value_rules::RuleClass::kDefined) oracles.Add(Oracles::One(Oracle::kDefinitions));
  if (rule.HasCondition()) oracles.Add(Oracles::One(Oracle::kRanges));
  const Equality equality = rule.ComputesNans() ? Equality::kBits : Equality::kNansAreOne;
  return Make(rule.HasCondition() ? FactsNow() : Facts(), t, after, equality, oracles);
}

Inference::Result Inference::Discharge(const Theorem& theorem, const Case& in_case) {
  if (&in_case.inference_ != this || !in_case.all_.IncludesAll(theorem.facts()))
    return std::nullopt;
  const Facts facts = in_case.before_.Join(Facts::One(in_case.condition_));
  Oracles oracles = theorem.oracles();
  if (!facts.IncludesAll(theorem.facts())) oracles.Add(Oracles::One(Oracle::kRanges));
  const bool keeps = facts.IncludesAll(theorem.facts());
  return Make(keeps ? theorem.facts() : facts, theorem.left(), theorem.right(), theorem.equality(),
              oracles);
}

Inference::Result Inference::Impossible(const Case& in_case) {
  if (&in_case.inference_ != this || in_case.possible_) return std::nullopt;
  return Make(in_case.before_.Join(Facts::One(in_case.condition_)), pool_.False(), pool_.True(),
              Equality::kBits, Oracles::One(Oracle::kRanges));
}

Inference::Result Inference::Believe(const Oracles& oracles, const Facts& facts, Term a, Term b,
                                     Equality equality, const Oracles& also) {
  if (oracles.empty() || !AreOfOneKind(a, b)) return std::nullopt;
  Oracles all = oracles;
  all.Add(also);
  return Make(facts, a, b, equality, all);
}

Case::Case(Inference& inference, Term condition)
    : inference_(inference),
      condition_(condition),
      before_(inference.FactsNow()),
      saved_(inference.scope_.Save()),
      possible_(inference.scope_.Assume(condition)),
      number_(inference.scope_.FactsNumber()),
      all_(before_.Join(Facts::One(condition)).Join(inference.FactsNow())) {}

bool Case::Restate() {
  terms::Scope& scope = inference_.scope_;
  // Other facts, assumed since, would enter the restated ones, but not all_: then it does nothing.
  const bool captures =
      llvm::any_of(all_.conditions(), [&](Term fact) { return inference_.Captures(fact, all_); });
  if (!possible_ || captures || scope.FactsNumber() != number_) return possible_;
  terms::Pool& pool = scope.pool();
  const bool negated = condition_->kind == Kind::kNot;
  const Term inner = negated ? condition_->args[0] : condition_;
  if (inner->kind == Kind::kHolds) {
    // The scope does not derive the predicate's integer from a fact about the predicate.
    const Term integer = pool.IntegerOf(inner->args[0]);
    possible_ = scope.Assume(pool.Equal(integer, pool.Number(negated ? 0 : 1)));
  }
  possible_ = possible_ && scope.RestateFacts(condition_);
  number_ = scope.FactsNumber();
  all_ = all_.Join(inference_.FactsNow());
  return possible_;
}

}  // namespace affirm::logic
