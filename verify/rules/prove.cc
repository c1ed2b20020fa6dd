// A rule's theorem as systems of facts that must have no solution (its proof obligations), and the
// order in which proofs and counterexamples are looked for.
#include "verify/rules/prove.h"

#include <algorithm>
#include <chrono>

#include "llvm/Support/FormatVariadic.h"
#include "verify/rules/evaluate.h"
#include "verify/rules/nonlinear.h"
#include "verify/rules/range_ends.h"
#include "verify/rules/search.h"
#include "verify/rules/theorem.h"
#include "verify/rules/unsat_prover.h"

namespace affirm {

using namespace rules;

namespace {

// One thing to prove: each of these systems must have no solution.
struct Obligation {
  std::string what;
  std::vector<System> systems;
};

void AssumeLegal(const Rule& rule, RuleEncoder& e) {
  for (const Term* term : LeftTerms(rule)) e.Encode(*term);
}

// Assumes that the left side has a value, and the conditions. A condition is meaningful only where
// its expressions have values; returns the obligation that they do.
Obligation AssumeHypotheses(const Rule& rule, RuleEncoder& e) {
  Obligation legal{"the terms of the conditions have values", {}};
  AssumeLegal(rule, e);
  for (const Condition* c : AssumedConditions(rule)) e.Assume(*c, legal.systems);
  return legal;
}

std::vector<Obligation> ExpressionObligations(const Rule& rule) {
  RuleEncoder e(rule);
  Obligation conditions = AssumeHypotheses(rule, e);
  Obligation legal{"the right side has a value", {}}, equal{"the sides are equal", {}};
  Poly left = e.Encode(rule.lhs);
  Poly right = e.Encode(rule.rhs, &legal.systems);
  for (const PolyFact& f : {AtLeast(left, right + Poly(1)), AtLeast(right, left + Poly(1))}) {
    System s = e.system();
    s.facts.push_back(f);
    equal.systems.push_back(std::move(s));
  }
  return {conditions, legal, equal};
}

std::vector<Obligation> ConstraintObligations(const Rule& rule) {
  Obligation legal{"the conclusions have values", {}};
  Obligation forward{"the premises imply the conclusions", {}};
  Obligation backward{"the conclusions imply the premises", {}};
  RuleEncoder e(rule);
  Obligation conditions = AssumeHypotheses(rule, e);
  for (const Term* term : RightTerms(rule)) e.Encode(*term, &legal.systems);
  auto imply = [](RuleEncoder from, const std::vector<BoundPattern>& facts,
                  const std::vector<BoundPattern>& goals, bool concludes_false, Obligation& out) {
    for (const BoundPattern& f : facts) from.Assume(f);
    if (concludes_false) out.systems.push_back(from.system());
    for (const BoundPattern& g : goals) from.AssumeNegation(g, out.systems);
  };
  imply(e, rule.premises, rule.conclusions, rule.concludes_false, forward);
  if (!rule.concludes_false) imply(e, rule.conclusions, rule.premises, false, backward);
  return {conditions, legal, forward, backward};
}

RuleCounterexample Describe(const Rule& rule, const std::vector<int128>& values) {
  RuleCounterexample c;
  for (size_t i = 0; i < rule.metavariables.size(); ++i)
    c.values.push_back({rule.metavariables[i].name, ToDecimal(values[i])});
  auto side = [&](const Term& t) {
    TermValue v = Evaluate(t, values);
    return v.ok() ? ToDecimal(v.value) : std::string("undefined");
  };
  auto facts = [&](const std::vector<BoundPattern>& list) {
    bool all = true;
    for (const BoundPattern& f : list) {
      auto holds = Holds(f, values);
      if (!holds) return std::string("undefined");
      all &= *holds;
    }
    return std::string(all ? "true" : "false");
  };
  if (rule.is_constraint_rule) {
    c.left = facts(rule.premises);
    c.right = rule.concludes_false ? "false" : facts(rule.conclusions);
  } else {
    c.left = side(rule.lhs);
    c.right = side(rule.rhs);
  }
  return c;
}

// Tries to find an instance that breaks the rule with Z3, after the search has found none.
std::optional<std::vector<int128>> AskForModel(const Rule& rule,
                                               const std::vector<Obligation>& obligations,
                                               const Budget& budget) {
  for (const Obligation& o : obligations)
    for (const System& s : o.systems) {
      NonlinearResult answer = SolveNonlinear(s, rule.metavariables.size(), budget);
      if (answer.model.empty() || Check(rule, answer.model) != InstanceState::kBroken) continue;
      return Shrink(rule, answer.model);
    }
  return std::nullopt;
}

std::vector<Obligation> Obligations(const Rule& rule) {
  return rule.is_constraint_rule ? ConstraintObligations(rule) : ExpressionObligations(rule);
}

UnsatProverLimits LimitsOf(const Budget& budget) {
  UnsatProverLimits limits;
  limits.rlimit = budget.z3_rlimit / 4;
  limits.wall_ms = budget.wall_ms;
  return limits;
}

// Whether the conditions can't hold, those whose terms need not have values aside.
bool IsVacuous(const Rule& rule, UnsatProver& prover) {
  RuleEncoder e(rule);
  std::vector<System> systems = AssumeHypotheses(rule, e).systems;
  systems.push_back(e.system());
  return std::all_of(systems.begin(), systems.end(),
                     [&](const System& s) { return prover.ProveUnsat(s); });
}

// The proof alone, of a rule with named range ends.
RuleProofResult ProveClaim(const Rule& rule, const Budget& budget) {
  RuleProofResult v;
  UnsatProver prover(LimitsOf(budget));
  v.verdict = Verdict::kProved;
  for (const Obligation& o : Obligations(rule)) {
    bool closed = std::all_of(o.systems.begin(), o.systems.end(), [&](const System& s) {
      return prover.ProveUnsat(s) ||
             SolveNonlinear(s, rule.metavariables.size(), budget).unsatisfiable;
    });
    if (closed) continue;
    v.verdict = Verdict::kUnknown;
    v.reason = "not shown: " + o.what;
    break;
  }
  v.cases = prover.cases();
  return v;
}

// Whether a `let` with lower() or upper() has a name that the theorem leaves free.
bool LeavesFree(const Rule& rule) {
  return std::any_of(rule.when.begin(), rule.when.end(), [](const Condition& c) {
    return c.kind == ConditionKind::kLet && !c.defines;
  });
}

// Proofs are of NameRangeEnds(given), which leaves the names of some `let` free: what is proved so
// holds for every value. An instance refutes nothing unless these have values that range ends can
// have, so instances are of NameRangeEndsInLets(given).
RuleProofResult Settle(const Rule& given, const Budget& budget) {
  const Rule rule = NameRangeEndsInLets(given), claim = NameRangeEnds(given);
  RuleProofResult v;
  SearchResult found = Search(rule, SearchLimits());
  auto refute = [&](const std::vector<int128>& values) {
    v.verdict = Verdict::kRefuted;
    v.reason.clear();
    v.counterexample = Describe(rule, values);
  };
  if (found.broken) {
    refute(*found.broken);
    return v;
  }
  UnsatProver prover(LimitsOf(budget));
  if (!found.satisfied && IsVacuous(claim, prover)) {
    v.verdict = Verdict::kProved;
    v.vacuous = true;
    v.cases = prover.cases();
    return v;
  }
  v = ProveClaim(claim, budget);
  if (v.verdict == Verdict::kProved) return v;
  if (LeavesFree(given)) {
    v.vacuous = !found.satisfied && IsVacuous(rule, prover);
    v.holds_of_ranges = ProveClaim(rule, budget).verdict == Verdict::kProved;
    v.reason +=
        v.holds_of_ranges
            ? " for any value of the name in a `let` of lower() or upper(), though they are "
              "for those that ranges have; add a condition that follows from the `let`"
            : " for any value of the name in a `let` of lower() or upper()";
    if (v.holds_of_ranges) return v;
  }
  if (auto model = AskForModel(rule, Obligations(rule), budget)) refute(*model);
  return v;
}

using rules::Mentions;  // of terms

bool Mentions(const BoundPattern& b, int metavariable) {
  return Mentions(b.expr, metavariable) || Mentions(b.lower, metavariable) ||
         Mentions(b.upper, metavariable);
}

bool Mentions(const Condition& c, int metavariable) {
  return Mentions(c.lhs, metavariable) || Mentions(c.rhs, metavariable) ||
         Mentions(c.lower, metavariable) || Mentions(c.upper, metavariable);
}

std::vector<const Term*> Patterns(const Rule& rule) {
  if (!rule.is_constraint_rule) return {&rule.lhs};
  std::vector<const Term*> list;
  list.reserve(rule.premises.size());
  for (const BoundPattern& p : rule.premises) list.push_back(&p.expr);
  return list;
}

void CheckPattern(const Rule& rule, const Term& pattern, std::vector<std::string>& out) {
  switch (pattern.kind) {
    case TermKind::kAdd:
    case TermKind::kMul:
    case TermKind::kFloorDiv:
    case TermKind::kCeilDiv:
    case TermKind::kMod:
    case TermKind::kMin:
    case TermKind::kMax:
    case TermKind::kMetavariable:
      break;
    default:
      out.push_back("nothing is matched by " + ToString(pattern, rule));
      return;
  }
  bool any = false;
  for (size_t s = 0; s < rule.metavariables.size(); ++s)
    any |= rule.metavariables[s].is_expr && Mentions(pattern, static_cast<int>(s));
  if (!any) out.push_back(ToString(pattern, rule) + " has no expression in it");
}

}  // namespace

std::string RuleCounterexample::ToString() const {
  std::string text;
  for (const auto& [name, value] : values)
    text += llvm::formatv("{0}{1} = {2}", text.empty() ? "" : ", ", name, value).str();
  return text + ": left is " + left + ", right is " + right;
}

RuleProofResult ProveWithoutSearch(const Rule& rule, const Budget& budget) {
  return ProveClaim(NameRangeEnds(rule), budget);
}

RuleProofResult ProveRule(const Rule& rule, const Budget& budget) {
  auto start = std::chrono::steady_clock::now();
  RuleProofResult v = Settle(rule, budget);
  v.ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return v;
}

std::vector<std::string> FindUnmatchable(const Rule& rule) {
  std::vector<std::string> out;
  std::vector<const Term*> patterns = Patterns(rule);
  if (patterns.empty()) out.push_back("there is no premise");
  for (const Term* p : patterns) CheckPattern(rule, *p, out);
  bool bare = !rule.is_constraint_rule && rule.lhs.kind == TermKind::kMetavariable;
  for (size_t i = 0; i < rule.metavariables.size(); ++i) {
    int metavariable = static_cast<int>(i);
    const std::string& name = rule.metavariables[i].name;
    bool left =
        std::any_of(patterns.begin(), patterns.end(),
                    [metavariable](const Term* p) { return Mentions(*p, metavariable); }) ||
        std::any_of(rule.premises.begin(), rule.premises.end(),
                    [metavariable](const BoundPattern& b) { return Mentions(b, metavariable); });
    auto lets =
        std::count_if(rule.when.begin(), rule.when.end(), [metavariable](const Condition& c) {
          return c.kind == ConditionKind::kLet && c.lhs.metavariable == metavariable;
        });
    if (left && lets > 0) out.push_back("'" + name + "' is matched, and given by a let too");
    if (lets > 1) out.push_back("'" + name + "' is given by two lets");
    bool anywhere = left || lets > 0;
    bool used =
        Mentions(rule.rhs, metavariable) ||
        std::any_of(rule.conclusions.begin(), rule.conclusions.end(),
                    [metavariable](const BoundPattern& b) { return Mentions(b, metavariable); }) ||
        std::any_of(rule.when.begin(), rule.when.end(),
                    [metavariable](const Condition& c) { return Mentions(c, metavariable); });
    if (used && !anywhere) out.push_back("nothing gives '" + name + "' a value");
    if (bare && rule.lhs.metavariable == metavariable &&
        std::none_of(rule.when.begin(), rule.when.end(),
                     [metavariable](const Condition& c) { return Mentions(c, metavariable); }))
      out.push_back("the bare name '" + name + "' matches everything, and no condition limits it");
  }
  return out;
}

}  // namespace affirm
