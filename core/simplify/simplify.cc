// Simplification of maps: constraints to a fixed point, then the results.
#include "core/simplify/simplify.h"

#include "core/indexing/range.h"
#include "core/simplify/expr_engine.h"
#include "core/simplify/match.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

namespace affirm {
namespace {

constexpr int kMaxConstraintSteps = 10'000;  // backstop for user rules that do not terminate

// The tables that simplifications under one context and rule table share from call to call.
struct Workspace : Context::Extension {
  Workspace(Context& context, const RuleTable& rules)
      : engine(context, rules, ranges), matcher(context, ranges, engine) {}
  RangeAnalysis ranges;
  ExprEngine engine;
  Matcher matcher;  // of constraints
};

// A constraint at its position, or the bounds of a variable.
struct Fact : Constraint {
  std::optional<size_t> position;
};

class MapSimplifier {
 public:
  MapSimplifier(IndexingMap& map, const RuleTable& rules, Workspace& workspace, Trace* trace)
      : map_(map),
        context_(*map.context()),
        rules_(rules),
        ranges_(workspace.ranges),
        engine_(workspace.engine),
        matcher_(workspace.matcher),
        trace_(trace) {}

  void Run() {
    engine_.BeginMap(map_);
    bool is_settled = map_.constraints().empty();
    for (int step = 0; step < kMaxConstraintSteps && !is_settled && !engine_.is_cut_off(); ++step) {
      is_settled = !OneConstraintStep() || map_.constraints().empty();
    }
    if (!map_.IsKnownEmpty()) SimplifyResults();
    if (trace_) trace_->is_cut_off = !is_settled || engine_.is_cut_off();
  }

 private:
  void SimplifyResults() {
    ranges_.Reset(map_);
    engine_.Reset(trace_, "results");
    for (unsigned i = 0; i < map_.results().size(); ++i) {
      map_.SetResult(i, engine_.Simplify(map_.results()[i]));
    }
  }

  // Restarts the analyses without the constraints at the positions given, as a constraint must not
  // be used to simplify itself.
  void LeaveOut(llvm::ArrayRef<size_t> positions, Trace* trace, llvm::StringRef place = "") {
    if (!has_sums_) {
      has_sums_ = llvm::any_of(map_.constraints(),
                               [](const Constraint& c) { return c.expr.kind() == ExprKind::kAdd; });
      if (!*has_sums_) ranges_.Reset(map_);
    }
    // More is learned from sums, by way of the other constraints.
    *has_sums_ ? ranges_.Reset(map_, positions) : ranges_.LeaveOut(map_, positions);
    engine_.Reset(trace, place);
  }

  // Rewrites one constraint, or a constraint with another fact; false when nothing applies.
  bool OneConstraintStep() {
    const size_t count = map_.constraints().size();
    for (size_t i = 0; i < count; ++i) {
      SymbolicExpr e = map_.constraints()[i].expr;
      if (settled_.contains(e)) continue;
      if (SimplifyExpr(i) || ApplySingle(i) || ApplyPair(i)) return true;
      settled_.insert(e);
    }
    return false;
  }

  bool SimplifyExpr(size_t i) {
    Constraint fact = map_.constraints()[i];
    if (trace_) {
      LeaveOut(i, trace_, "constraint " + fact.expr.ToString());
    } else {
      LeaveOut(i, nullptr);
    }
    SymbolicExpr e = engine_.Simplify(fact.expr);
    if (e == fact.expr) return false;
    Replace({i}, {{e, fact.bounds}});
    return true;
  }

  // Relies on SimplifyExpr(i) having left constraint i out.
  bool ApplySingle(size_t i) {
    Constraint fact = map_.constraints()[i];
    Features features = engine_.FeaturesOf(fact.expr) | kRangeFeatures |
                        FeaturesOf(ranges_.Of(fact.expr), fact.bounds);
    for (const auto& [required, rule] : rules_.ForFact(fact.expr.kind()).entries) {
      if ((required & ~features) || !RangesShow(required, fact.expr, ranges_)) continue;
      bool applied =
          matcher_.MatchFact(*rule, 0, fact, [&] { return Conclude(*rule, {i}, {fact}); });
      if (applied) return true;
    }
    return false;
  }

  // A rule with two premises: the last one at constraint i, the first at another fact.
  bool ApplyPair(size_t i) {
    const Fact second{map_.constraints()[i], i};
    const RuleTable::List& rules = rules_.ForFactPair(second.expr.kind());
    if (rules.entries.empty()) return false;
    Features features = engine_.FeaturesOf(second.expr) | kRangeFeatures;
    std::optional<llvm::SmallVector<Fact, 8>> others;  // once a rule asks for them
    for (const auto& [required, rule] : rules.entries) {
      if ((required & ~features) || !RangesShow(required, second.expr, ranges_)) continue;
      bool applied = matcher_.MatchFact(*rule, 1, second, [&] {
        if (!others) others = OtherFacts(second, rules.same_variables);
        return ApplyWithOther(*rule, *others, second);
      });
      if (applied) return true;
    }
    return false;
  }

  // With the second premise matched: the first one at any other fact.
  bool ApplyWithOther(const CompiledRule& rule, llvm::ArrayRef<Fact> others, const Fact& second) {
    for (const Fact& first : others) {
      if (!Fits(rule, first, second)) continue;
      bool applied = matcher_.MatchFact(rule, 0, first, [&] {
        llvm::SmallVector<size_t, 2> left_out{*second.position};
        if (first.position) left_out.push_back(*first.position);
        if (rule.uses_ranges) LeaveOut(left_out, nullptr);
        return Conclude(rule, left_out, {first, second});
      });
      if (applied) return true;
    }
    return false;
  }

  // Whether the first premise may hold of `first`, at a glance.
  static bool Fits(const CompiledRule& rule, const Fact& first, const Fact& second) {
    bool same_variables = first.expr.VariableBits() == second.expr.VariableBits();
    return (same_variables || !rule.same_variables) && rule.programs[0].Fits(first);
  }

  // The facts but `second`: all, or those over the same variables.
  llvm::SmallVector<Fact, 8> OtherFacts(const Fact& second, bool same_variables) const {
    llvm::SmallVector<Fact, 8> out;
    const uint64_t variables = second.expr.VariableBits();
    auto take = [&](SymbolicExpr e, Interval bounds, std::optional<size_t> position) {
      bool wanted = !same_variables || e.VariableBits() == variables;
      if (wanted) out.push_back({{e, bounds}, position});
    };
    // Facts about one variable are of no use to an expression over several.
    if (!same_variables || llvm::has_single_bit(variables)) {
      for (VarKind kind : {VarKind::kDim, VarKind::kRange, VarKind::kRuntime}) {
        llvm::ArrayRef<Variable> vars = map_.vars(kind);
        for (size_t v = 0; v < vars.size(); ++v) {
          take(context_.Variable(kind, v), vars[v].bounds, std::nullopt);
        }
      }
    }
    llvm::ArrayRef<Constraint> constraints = map_.constraints();
    for (size_t i = 0; i < constraints.size(); ++i) {
      if (i != *second.position) take(constraints[i].expr, constraints[i].bounds, i);
    }
    return out;
  }

  // With the premises matched: checks the conditions and replaces the premises by the conclusions.
  bool Conclude(const CompiledRule& rule, llvm::ArrayRef<size_t> positions,
                llvm::ArrayRef<Constraint> before) {
    if (!matcher_.ConditionsHold()) return false;
    llvm::SmallVector<Constraint, 2> after;
    for (const CompiledBounds& p : rule.conclusions) {
      auto fact = matcher_.BuildFact(p);
      if (!fact || !engine_.Charge(fact->expr)) return false;
      after.push_back(*fact);
    }
    if (!rule.rule->concludes_false && ChangesNothing(positions, before, after)) return false;
    if (trace_) {
      TraceStep step;
      step.rule = rule.rule->name;
      step.place = "constraints";
      step.facts_before.assign(before.begin(), before.end());
      step.facts_after.assign(after.begin(), after.end());
      step.bindings = matcher_.bindings();
      step.range_ends = matcher_.range_ends();
      trace_->steps.push_back(std::move(step));
    }
    if (rule.rule->concludes_false) {
      map_ = IndexingMap::KnownEmpty(context_);
    } else {
      Replace(positions, after);
    }
    return true;
  }

  // Whether the facts say again what the premises say, and no constraint goes. (The bounds of a
  // variable stay in any case.)
  bool ChangesNothing(llvm::ArrayRef<size_t> positions, llvm::ArrayRef<Constraint> before,
                      llvm::ArrayRef<Constraint> after) const {
    return llvm::all_of(after,
                        [&](const Constraint& c) { return llvm::is_contained(before, c); }) &&
           llvm::all_of(positions,
                        [&](size_t i) { return llvm::is_contained(after, map_.constraints()[i]); });
  }

  // Removes the constraints at `positions` and adds the facts. Bounds of a variable only ever
  // shrink, so those among the premises need no removal.
  void Replace(llvm::ArrayRef<size_t> positions, llvm::ArrayRef<Constraint> added) {
    uint64_t touched = 0;
    for (size_t i : positions) touched |= map_.constraints()[i].expr.VariableBits();
    for (const Constraint& c : added) touched |= c.expr.VariableBits();
    map_.ReplaceConstraints(positions, added);
    has_sums_.reset();
    if (settled_.empty()) return;
    touched = Connected(touched);
    for (SymbolicExpr e : llvm::make_early_inc_range(settled_)) {
      if (e.VariableBits() & touched) settled_.erase(e);
    }
  }

  // The variables that constraints tie to these, over any number of steps: ranges learned from one
  // constraint reach the next.
  uint64_t Connected(uint64_t variables) const {
    for (uint64_t before = 0; before != variables;) {
      before = variables;
      for (const Constraint& c : map_.constraints()) {
        if (c.expr.VariableBits() & variables) variables |= c.expr.VariableBits();
      }
    }
    return variables;
  }

  IndexingMap& map_;
  Context& context_;
  const RuleTable& rules_;
  RangeAnalysis& ranges_;
  ExprEngine& engine_;
  Matcher& matcher_;
  Trace* trace_;
  std::optional<bool> has_sums_;  // among the constraints; absent: they have changed
  // Constraints to which nothing applied, and that what has changed since can't reach.
  llvm::DenseSet<SymbolicExpr> settled_;
};

IndexingMap Simplify(const IndexingMap& map, const RuleTable& rules, Workspace& workspace,
                     Trace* trace) {
  IndexingMap out = map;
  MapSimplifier(out, rules, workspace, trace).Run();
  return out;
}

// The one for the built-in rules, which stays with the context.
Workspace& SharedWorkspace(Context& context, const RuleTable& builtin) {
  static const char kKey = 0;
  auto* workspace = static_cast<Workspace*>(context.extension(&kKey));
  if (!workspace) {
    auto fresh = std::make_unique<Workspace>(context, builtin);
    workspace = fresh.get();
    context.set_extension(&kKey, std::move(fresh));
  }
  return *workspace;
}

}  // namespace

IndexingMap Simplify(const IndexingMap& map, const RuleTable& rules, Trace* trace) {
  if (&rules == &RuleTable::Builtin()) return Simplify(map, trace);
  if (map.state() != IndexingMap::State::kNormal) return map;
  Workspace workspace(*map.context(), rules);
  return Simplify(map, rules, workspace, trace);
}

IndexingMap Simplify(const IndexingMap& map, Trace* trace) {
  if (map.state() != IndexingMap::State::kNormal) return map;
  const RuleTable& builtin = RuleTable::Builtin();
  return Simplify(map, builtin, SharedWorkspace(*map.context(), builtin), trace);
}

}  // namespace affirm
