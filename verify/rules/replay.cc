// Replays a trace step by step: the rule's instance, its conditions, and what the step does to the
// map.
#include "verify/rules/replay.h"

#include <map>

#include "core/symbolic/context.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/rules/domain_analysis.h"
#include "verify/rules/evaluate.h"
#include "verify/rules/polynomial_normal_forms.h"

namespace affirm {

using namespace rules;

namespace {

constexpr int kMaxRewrites = 100'000;

// Carries out the steps at one place of the map (its results, or one constraint): each
// subexpression that a step rewrites is replaced, operands first, as often as steps say so.
class Rewriter {
 public:
  explicit Rewriter(Context& context) : context_(context) {}
  void Add(SymbolicExpr from, SymbolicExpr to) { steps_.try_emplace(from, to); }

  SymbolicExpr Run(SymbolicExpr e) {
    auto known = done_.find(e);
    if (known != done_.end()) return known->second;
    if (++rewrites_ > kMaxRewrites || e.depth() > 2000) return e;
    SymbolicExpr current = e;
    for (;;) {
      current = Operands(current);
      auto step = steps_.find(current);
      if (step == steps_.end() || ++rewrites_ > kMaxRewrites) break;
      current = step->second;
    }
    done_[e] = current;
    return current;
  }

 private:
  SymbolicExpr Operands(SymbolicExpr e) {
    if (e.ops().empty()) return e;
    std::vector<SymbolicExpr> ops;
    bool changed = false;
    for (SymbolicExpr op : e.ops()) {
      ops.push_back(Run(op));
      changed |= !(ops.back() == op);
    }
    // No expression divides by zero; what would stays as it is, and its domain is empty.
    SymbolicExpr rebuilt = changed ? context_.Rebuild(e, ops) : e;
    return rebuilt ? rebuilt : e;
  }

  Context& context_;
  llvm::DenseMap<SymbolicExpr, SymbolicExpr> steps_, done_;
  int rewrites_ = 0;
};

class Replayer {
 public:
  Replayer(const IndexingMap& before, const Trace& trace, llvm::ArrayRef<Rule> rules,
           const Budget& budget)
      : map_(before), trace_(trace), budget_(budget) {
    for (const Rule& r : rules) rules_.try_emplace(r.name, &r);
  }

  ReplayReport Run(const IndexingMap& after) {
    const std::vector<TraceStep>& steps = trace_.steps;
    for (size_t i = 0; i < steps.size();) {
      if (map_.state() != IndexingMap::State::kNormal) {
        Problem(i, "there is nothing left to rewrite");
        return std::move(report_);
      }
      if (!steps[i].before) {
        Facts(i++);
        continue;
      }
      size_t end = i;
      while (end < steps.size() && steps[end].before && steps[end].place == steps[i].place) ++end;
      Expressions(i, end);
      i = end;
    }
    if (report_.ok() && !(map_ == after))
      Problem(steps.size(),
              "the steps lead to " + map_.ToString() + ", not to " + after.ToString());
    return std::move(report_);
  }

 private:
  void Problem(size_t step, std::string text) {
    report_.problems.push_back({step, std::move(text)});
  }

  // The rule of a step; null, with a problem noted, when the step can't be one of it.
  const Rule* RuleOf(size_t i) {
    const TraceStep& step = trace_.steps[i];
    auto it = rules_.find(step.rule);
    if (it == rules_.end()) {
      Problem(i, "there is no rule '" + step.rule + "'");
      return nullptr;
    }
    const Rule& rule = *it->second;
    if (rule.is_constraint_rule == static_cast<bool>(step.before) ||
        step.bindings.size() != rule.metavariables.size()) {
      Problem(i, "the step has not the form of rule '" + rule.name + "'");
      return nullptr;
    }
    for (size_t s = 0; s < rule.metavariables.size(); ++s) {
      const Binding& b = step.bindings[s];
      if (b.bound && rule.metavariables[s].is_expr == static_cast<bool>(b.expr)) continue;
      Problem(i, "'" + rule.metavariables[s].name + "' is not bound");
      return nullptr;
    }
    return &rule;
  }

  // The steps [from, to) rewrite subexpressions at one place, given all that is known elsewhere.
  void Expressions(size_t from, size_t to) {
    const std::string& place = trace_.steps[from].place;
    std::vector<Constraint> target;
    for (const Constraint& c : map_.constraints())
      if (place == "constraint " + c.expr.ToString()) target = {c};
    if (target.empty() && place != "results") {
      Problem(from, "there is no such place: " + place);
      return;
    }
    DomainAnalysis domain(map_, target, forms_, budget_);
    Rewriter rewriter(*map_.context());
    for (size_t i = from; i < to; ++i) {
      const TraceStep& step = trace_.steps[i];
      rewriter.Add(step.before, step.after);
      const Rule* rule = RuleOf(i);
      if (!rule) continue;
      if (!Matches(rule->lhs, step.bindings, step.before))
        Problem(i, "the left side of '" + rule->name + "' is not " + step.before.ToString());
      if (!Matches(rule->rhs, step.bindings, step.after))
        Problem(i, "the right side of '" + rule->name + "' is not " + step.after.ToString());
      Conditions(i, *rule, domain);
    }
    if (target.empty()) {
      std::vector<SymbolicExpr> results;
      for (SymbolicExpr e : map_.results()) results.push_back(rewriter.Run(e));
      map_.SetResults(results);
      return;
    }
    Replace(target, {{rewriter.Run(target[0].expr), target[0].bounds}});
  }

  // One step of a rule on facts.
  void Facts(size_t i) {
    const TraceStep& step = trace_.steps[i];
    const Rule* rule = RuleOf(i);
    if (!rule) return;
    std::vector<Constraint> premises;  // those that are constraints
    for (const Constraint& c : step.facts_before) {
      if (llvm::is_contained(map_.constraints(), c))
        premises.push_back(c);
      else if (!IsBound(c))
        Problem(i, c.expr.ToString() + " in " + c.bounds.ToString() + " is not known");
    }
    DomainAnalysis domain(map_, premises, forms_, budget_);
    if (!MatchesAll(rule->premises, step.bindings, step.facts_before))
      Problem(i, "the premises of '" + rule->name + "' are others");
    if (!MatchesAll(rule->conclusions, step.bindings, step.facts_after))
      Problem(i, "the conclusions of '" + rule->name + "' are others");
    Conditions(i, *rule, domain);
    if (rule->concludes_false)
      map_ = IndexingMap::KnownEmpty(*map_.context());
    else
      Replace(premises, step.facts_after);
  }

  bool IsBound(const Constraint& c) const {
    if (!c.expr.IsVariable()) return false;
    const auto& variables = map_.vars(c.expr.var_kind());
    auto i = static_cast<size_t>(c.expr.value());
    return i < variables.size() && variables[i].bounds == c.bounds;
  }

  void Replace(const std::vector<Constraint>& removed, const std::vector<Constraint>& added) {
    std::vector<Constraint> kept;
    for (const Constraint& c : map_.constraints())
      if (!llvm::is_contained(removed, c)) kept.push_back(c);
    kept.insert(kept.end(), added.begin(), added.end());
    map_.SetConstraints(kept);
  }

  bool Matches(const Term& term, llvm::ArrayRef<Binding> bindings, SymbolicExpr e) {
    auto instance = forms_.Of(term, bindings), form = forms_.Of(e);
    return instance && form && *instance == *form;
  }

  bool MatchesAll(const std::vector<BoundPattern>& patterns, llvm::ArrayRef<Binding> bindings,
                  const std::vector<Constraint>& facts) {
    if (patterns.size() != facts.size()) return false;
    for (size_t i = 0; i < facts.size(); ++i) {
      const BoundPattern& p = patterns[i];
      const Interval& b = facts[i].bounds;
      if (!Matches(p.expr, bindings, facts[i].expr)) return false;
      // An end at the limit of int64 is infinite, so a number that happens to be there is none.
      if (p.lower_infinite == b.HasLower() || p.upper_infinite == b.HasUpper()) return false;
      if (!p.lower_infinite && Constant(p.lower, bindings) != int128{b.lower}) return false;
      if (!p.upper_infinite && Constant(p.upper, bindings) != int128{b.upper}) return false;
    }
    return true;
  }

  static bool OnlyConstants(const Term& term, llvm::ArrayRef<Binding> bindings) {
    if (term.kind == TermKind::kMetavariable) return !bindings[term.metavariable].expr;
    return llvm::all_of(term.ops, [&](const Term& op) { return OnlyConstants(op, bindings); });
  }

  // The value of a term of constants.
  std::optional<int128> Constant(const Term& term, llvm::ArrayRef<Binding> bindings) {
    if (!OnlyConstants(term, bindings)) return std::nullopt;
    std::vector<int128> values;
    for (const Binding& b : bindings) values.push_back(b.constant);
    TermValue v = Evaluate(term, values);
    return v.ok() ? std::optional(v.value) : std::nullopt;
  }

  std::optional<BigInt> BigConstant(const Term& term, llvm::ArrayRef<Binding> bindings) {
    auto v = Constant(term, bindings);
    return v ? std::optional(ToInt(*v)) : std::nullopt;
  }

  void Conditions(size_t i, const Rule& rule, DomainAnalysis& domain) {
    for (const Condition& c : rule.when)
      if (!ConditionHolds(c, trace_.steps[i], domain))
        Problem(i, "'" + affirm::ToString(c, rule) + "' does not hold");
  }

  // Replaces lower(e) and upper(e) by the numbers that the step gives for them; false when it gives
  // none, or one that does not bound e.
  bool ResolveRangeEnds(Term& term, const TraceStep& step, DomainAnalysis& domain) {
    bool lower = term.kind == TermKind::kLower;
    if (!lower && term.kind != TermKind::kUpper) {
      return llvm::all_of(term.ops, [&](Term& op) { return ResolveRangeEnds(op, step, domain); });
    }
    for (const RangeEnd& end : step.range_ends) {
      if (end.lower != lower || !Matches(term.ops[0], step.bindings, end.expr)) continue;
      std::optional<BigInt> value = BigInt(end.value);
      if (!domain.Within(end.expr, lower ? value : std::nullopt, lower ? std::nullopt : value))
        return false;
      term = Term();
      term.number = end.value;
      return true;
    }
    return false;
  }

  bool ConditionHolds(Condition c, const TraceStep& step, DomainAnalysis& domain) {
    llvm::ArrayRef<Binding> bindings = step.bindings;
    if (c.kind == ConditionKind::kLet && !c.defines) return true;
    for (Term* t : {&c.lhs, &c.rhs, &c.lower, &c.upper})
      if (!ResolveRangeEnds(*t, step, domain)) return false;
    if (c.kind == ConditionKind::kIs) {
      SymbolicExpr a = Build(c.lhs, bindings), b = Build(c.rhs, bindings);
      return a && b && domain.Same(a, b);
    }
    if (c.kind == ConditionKind::kWithin) {
      SymbolicExpr e = Build(c.lhs, bindings);
      auto lower = c.lower_infinite ? std::nullopt : BigConstant(c.lower, bindings);
      auto upper = c.upper_infinite ? std::nullopt : BigConstant(c.upper, bindings);
      bool ends = (lower || c.lower_infinite) && (upper || c.upper_infinite);
      return e && ends && domain.Within(e, lower, upper);
    }
    if (!OnlyConstants(c.lhs, bindings) || !OnlyConstants(c.rhs, bindings)) return false;
    std::vector<int128> values;
    for (const Binding& b : bindings) values.push_back(b.constant);
    return Holds(c, values).value_or(false);
  }

  // A term as an expression, for questions about it.
  SymbolicExpr Build(const Term& term, llvm::ArrayRef<Binding> bindings) {
    Context& context = *map_.context();
    std::vector<SymbolicExpr> ops;
    for (const Term& op : term.ops) {
      ops.push_back(Build(op, bindings));
      if (!ops.back()) return {};
    }
    switch (term.kind) {
      case TermKind::kNumber:
        return context.Constant(term.number);
      case TermKind::kMetavariable:
        return bindings[term.metavariable].expr
                   ? bindings[term.metavariable].expr
                   : context.Constant(bindings[term.metavariable].constant);
      case TermKind::kAdd:
        return context.Add(ops);
      case TermKind::kMul:
        return context.Mul(ops);
      case TermKind::kFloorDiv:
        return context.FloorDiv(ops[0], ops[1]);
      case TermKind::kCeilDiv:
        return context.CeilDiv(ops[0], ops[1]);
      case TermKind::kMod:
        return context.Mod(ops[0], ops[1]);
      case TermKind::kMin:
        return context.Min(ops);
      case TermKind::kMax:
        return context.Max(ops);
      default: {
        auto v = Constant(term, bindings);
        auto n = v ? Narrow(*v) : std::nullopt;
        return n ? context.Constant(*n) : SymbolicExpr();
      }
    }
  }

  IndexingMap map_;
  const Trace& trace_;
  Budget budget_;
  std::map<std::string, const Rule*> rules_;
  PolynomialNormalForms forms_;
  ReplayReport report_;
};

}  // namespace

std::string ReplayReport::ToString() const {
  std::string text;
  for (const ReplayProblem& p : problems)
    text += "step " + std::to_string(p.step) + ": " + p.text + "\n";
  return text;
}

ReplayReport Replay(const IndexingMap& before, const IndexingMap& after, const Trace& trace,
                    llvm::ArrayRef<Rule> rules, const Budget& budget) {
  return Replayer(before, trace, rules, budget).Run(after);
}

}  // namespace affirm
