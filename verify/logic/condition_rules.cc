// Rules about conditions: assumptions, cases, choices.
#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "verify/logic/inference.h"

namespace affirm::logic {

using terms::Int128;
using terms::Kind;
using terms::Sort;
using terms::Term;

namespace {

bool IsCondition(Term term) { return term->sort() == Sort::kCondition; }

bool IsChoice(Term term) { return term->kind == Kind::kPick || term->kind == Kind::kSelect; }

bool SayTheSame(const Theorem& a, const Theorem& b) { return a.States(b.left(), b.right()); }

Oracles OraclesOf(const Theorem& a, const Theorem& b) {
  Oracles oracles = a.oracles();
  oracles.Add(b.oracles());
  return oracles;
}

}  // namespace

Theorem Inference::Assume(Term condition) {
  // For a term that is no condition, only t = t.
  if (!IsCondition(condition)) return Reflexivity(condition);
  return Make(Facts::One(condition), condition, pool_.True(), Equality::kBits, {});
}

Inference::Result Inference::Cut(const Theorem& fact, const Theorem& theorem) {
  if (!fact.States(fact.left())) return std::nullopt;
  return Make(fact.facts().Join(theorem.facts().Without(fact.left())), theorem.left(),
              theorem.right(), theorem.equality(), OraclesOf(fact, theorem));
}

Inference::Result Inference::Cases(Term condition, const Theorem& yes, const Theorem& no) {
  if (!IsCondition(condition) || !SayTheSame(yes, no)) return std::nullopt;
  return Make(yes.facts().Without(condition).Join(no.facts().Without(pool_.Not(condition))),
              yes.left(), yes.right(), std::min(yes.equality(), no.equality()), OraclesOf(yes, no));
}

Inference::Result Inference::Enumeration(Term integer, llvm::ArrayRef<Theorem> cases) {
  if (integer->sort() != Sort::kInteger || integer->range.empty()) return std::nullopt;
  const auto [lo, hi] = integer->range;
  // Excludes infinite ends, where hi - lo would overflow.
  const bool is_bounded = lo > -kMostEnumerated * Int128{kMostEnumerated} * kMostEnumerated &&
                          hi < kMostEnumerated * Int128{kMostEnumerated} * kMostEnumerated;
  if (!is_bounded || hi - lo >= kMostEnumerated || hi - lo + 1 != static_cast<Int128>(cases.size()))
    return std::nullopt;
  Facts facts;
  Oracles oracles;
  Equality equality = Equality::kBits;
  for (const auto& [k, of_value] : llvm::enumerate(cases)) {
    if (!SayTheSame(of_value, cases[0])) return std::nullopt;
    const Term value = pool_.Number(lo + static_cast<Int128>(k));
    facts = facts.Join(of_value.facts().Without(pool_.Equal(integer, value)));
    oracles.Add(of_value.oracles());
    equality = std::min(equality, of_value.equality());
  }
  return Make(std::move(facts), cases[0].left(), cases[0].right(), equality, oracles);
}

Inference::Result Inference::Absurd(const Theorem& yes, const Theorem& no, Term a, Term b) {
  const Term condition = yes.left();
  if (!yes.States(condition) || !no.States(pool_.Not(condition))) return std::nullopt;
  if (a->sort() != b->sort() || a->type != b->type) return std::nullopt;
  return Make(yes.facts().Join(no.facts()), a, b, Equality::kBits, OraclesOf(yes, no));
}

Inference::Result Inference::Equivalence(Term p, Term q, const Theorem& yes, const Theorem& no) {
  if (!IsCondition(p) || !IsCondition(q)) return std::nullopt;
  if (!yes.States(q) || !no.States(pool_.Not(q))) return std::nullopt;
  return Make(yes.facts().Without(p).Join(no.facts().Without(pool_.Not(p))), p, q, Equality::kBits,
              OraclesOf(yes, no));
}

Inference::Result Inference::Chosen(Term choice, const Theorem& decided) {
  if (!IsChoice(choice) || decided.left() != choice->args[0]) return std::nullopt;
  const Kind answer = decided.right()->kind;
  if (answer != Kind::kTrue && answer != Kind::kFalse) return std::nullopt;
  return Make(decided.facts(), choice, choice->args[answer == Kind::kTrue ? 1 : 2], Equality::kBits,
              decided.oracles());
}

Inference::Result Inference::SameChoice(Term a, Term b, const Theorem& yes, const Theorem& no) {
  if (!IsChoice(a) || a->kind != b->kind || a->type != b->type || a->args[0] != b->args[0])
    return std::nullopt;
  if (!yes.States(a->args[1], b->args[1]) || !no.States(a->args[2], b->args[2]))
    return std::nullopt;
  const Term condition = a->args[0];
  return Make(yes.facts().Without(condition).Join(no.facts().Without(pool_.Not(condition))), a, b,
              std::min(yes.equality(), no.equality()), OraclesOf(yes, no));
}

Inference::Result Inference::Conjunct(const Theorem& conjunction, Term part) {
  const Term all = conjunction.left();
  if (!conjunction.States(all) || all->kind != Kind::kAnd || !llvm::is_contained(all->args, part))
    return std::nullopt;
  return Make(conjunction.facts(), part, pool_.True(), Equality::kBits, conjunction.oracles());
}

Inference::Result Inference::Conjunction(llvm::ArrayRef<Theorem> parts) {
  Facts facts;
  Oracles oracles;
  std::vector<Term> conditions;
  for (const Theorem& part : parts) {
    if (!part.States(part.left())) return std::nullopt;
    conditions.push_back(part.left());
    facts = facts.Join(part.facts());
    oracles.Add(part.oracles());
  }
  return Make(std::move(facts), pool_.And(conditions), pool_.True(), Equality::kBits, oracles);
}

}  // namespace affirm::logic
