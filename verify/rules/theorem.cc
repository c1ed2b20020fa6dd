// The parts of a rule's theorem.
#include "verify/rules/theorem.h"

#include <algorithm>

namespace affirm::rules {
namespace {

void AppendTerms(const BoundPattern& fact, std::vector<const Term*>& terms) {
  terms.push_back(&fact.expr);
  if (!fact.lower_infinite) terms.push_back(&fact.lower);
  if (!fact.upper_infinite) terms.push_back(&fact.upper);
}

bool IsOfExpressions(const Condition& c) {
  return c.kind == ConditionKind::kWithin || c.kind == ConditionKind::kIs;
}

}  // namespace

bool HasExpression(const Term& term, const Rule& rule) {
  if (term.kind == TermKind::kMetavariable) return rule.metavariables[term.metavariable].is_expr;
  return std::any_of(term.ops.begin(), term.ops.end(),
                     [&](const Term& op) { return HasExpression(op, rule); });
}

std::vector<const Term*> LeftTerms(const Rule& rule) {
  if (!rule.is_constraint_rule) return {&rule.lhs};
  std::vector<const Term*> terms;
  for (const BoundPattern& premise : rule.premises) AppendTerms(premise, terms);
  return terms;
}

std::vector<const Term*> RightTerms(const Rule& rule) {
  if (!rule.is_constraint_rule) return {&rule.rhs};
  std::vector<const Term*> terms;
  for (const BoundPattern& conclusion : rule.conclusions) AppendTerms(conclusion, terms);
  return terms;
}

std::vector<const Condition*> AssumedConditions(const Rule& rule) {
  std::vector<const Condition*> conditions;
  for (bool of_expressions : {false, true}) {
    for (const Condition& c : rule.when) {
      const bool leaves_free = c.kind == ConditionKind::kLet && !c.defines;
      if (IsOfExpressions(c) == of_expressions && !leaves_free) conditions.push_back(&c);
    }
  }
  return conditions;
}

std::vector<const Term*> TermsOf(const Condition& c) {
  if (c.kind != ConditionKind::kWithin) return {&c.lhs, &c.rhs};
  std::vector<const Term*> terms{&c.lhs};
  if (!c.lower_infinite) terms.push_back(&c.lower);
  if (!c.upper_infinite) terms.push_back(&c.upper);
  return terms;
}

}  // namespace affirm::rules
