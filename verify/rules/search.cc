// Enumerates instances of a rule: definitions give values, conditions prune as early as they can.
#include "verify/rules/search.h"

#include <algorithm>

#include "verify/rules/evaluate.h"

namespace affirm::rules {
namespace {

enum class Legality : uint8_t { kLegal, kIllegal, kTooLarge };

Legality LegalityOf(const Term& t, llvm::ArrayRef<int128> values) {
  switch (Evaluate(t, values).state) {
    case TermValue::kDefined:
      return Legality::kLegal;
    case TermValue::kUndefined:
      return Legality::kIllegal;
    default:
      return Legality::kTooLarge;
  }
}

// The state of a conjunction of facts: whether all facts hold, all of their terms have values, and
// all values fit in 128 bits.
struct Conjunction {
  bool holds = true, defined = true, computed = true;
};

Conjunction AllHold(llvm::ArrayRef<BoundPattern> facts, llvm::ArrayRef<int128> values) {
  Conjunction r;
  for (const BoundPattern& f : facts) {
    for (const Term* t :
         {&f.expr, f.lower_infinite ? nullptr : &f.lower, f.upper_infinite ? nullptr : &f.upper}) {
      if (!t) continue;
      Legality legality = LegalityOf(*t, values);
      r.defined &= legality != Legality::kIllegal;
      r.computed &= legality != Legality::kTooLarge;
    }
    r.holds &= Holds(f, values).value_or(false);
  }
  return r;
}

InstanceState CheckSides(const Rule& rule, llvm::ArrayRef<int128> values) {
  if (!rule.is_constraint_rule) {
    TermValue l = Evaluate(rule.lhs, values);
    if (l.state == TermValue::kUndefined) return InstanceState::kOutside;
    TermValue r = Evaluate(rule.rhs, values);
    if (l.state == TermValue::kTooLarge || r.state == TermValue::kTooLarge)
      return InstanceState::kNotComputed;
    if (r.state == TermValue::kUndefined) return InstanceState::kBroken;
    return l.value == r.value ? InstanceState::kHolds : InstanceState::kBroken;
  }
  Conjunction before = AllHold(rule.premises, values);
  if (!before.defined) return InstanceState::kOutside;
  Conjunction after = AllHold(rule.conclusions, values);
  if (!before.computed || !after.computed) return InstanceState::kNotComputed;
  if (!after.defined) return InstanceState::kBroken;
  bool conclusion = !rule.concludes_false && after.holds;
  return before.holds == conclusion ? InstanceState::kHolds : InstanceState::kBroken;
}

// The instances of a rule, built up one metavariable at a time: constants first, then expressions.
// Each condition is checked as soon as all of its metavariables have values.
class Instances {
 public:
  explicit Instances(const Rule& rule) : rule_(rule), values_(rule.metavariables.size()) {
    std::vector<const Condition*> waiting;
    std::vector<bool> known(rule.metavariables.size());
    waiting.reserve(rule.when.size());
    for (const Condition& c : rule.when) waiting.push_back(&c);
    auto settle = [&](Step& step) {
      // Definitions give values; other conditions are checked as soon as they can be.
      for (bool again = true; again;) {
        again = false;
        for (const Condition*& c : waiting) {
          if (!c) continue;
          if (Definition d = DefinitionIn(*c, known); d.value) {
            step.checks.push_back({c, d});
            known[d.metavariable] = true;
            c = nullptr;
            again = true;
          } else if (Known(c->lhs, known) && Known(c->rhs, known) && Known(c->lower, known) &&
                     Known(c->upper, known)) {
            step.checks.push_back({c, {}});
            c = nullptr;
          }
        }
      }
    };
    settle(first_);
    // Constants first, then expressions; last the constants whose definitions form a cycle.
    enum { kConstants, kExpressions, kRest };
    for (int round : {kConstants, kExpressions, kRest})
      for (size_t s = 0; s < rule.metavariables.size(); ++s) {
        if (known[s] || rule.metavariables[s].is_expr != (round == kExpressions)) continue;
        if (round != kRest && HasDefinition(static_cast<int>(s))) continue;
        known[s] = true;
        Step step;
        step.metavariable = static_cast<int>(s);
        settle(step);
        steps_.push_back(std::move(step));
      }
  }

  size_t num_steps() const { return steps_.size(); }
  const Metavariable& MetavariableOf(size_t step) const {
    return rule_.metavariables[steps_[step].metavariable];
  }
  llvm::ArrayRef<int128> values() const { return values_; }
  bool Start() { return Checks(first_); }
  bool Assign(size_t step, int128 v) {
    values_[steps_[step].metavariable] = v;
    return Checks(steps_[step]);
  }

 private:
  // The metavariable that a condition sets to the value of a term; no term when it sets none.
  struct Definition {
    int metavariable = -1;
    const Term* value = nullptr;
  };
  struct Check {
    const Condition* condition;
    Definition definition;
  };
  struct Step {
    int metavariable = -1;
    std::vector<Check> checks;
  };

  static bool Known(const Term& t, const std::vector<bool>& known) {
    if (t.kind == TermKind::kMetavariable) return t.metavariable >= 0 && known[t.metavariable];
    return std::all_of(t.ops.begin(), t.ops.end(),
                       [&](const Term& op) { return Known(op, known); });
  }

  // `let k = ..`, and k == .. either way around.
  static bool IsEquation(const Condition& c) {
    return (c.kind == ConditionKind::kLet && c.defines) ||
           (c.kind == ConditionKind::kCompare && c.op == CompareOp::kEq);
  }

  bool IsConstantName(const Term& t) const {
    return t.kind == TermKind::kMetavariable && !rule_.metavariables[t.metavariable].is_expr;
  }

  Definition DefinitionIn(const Condition& c, const std::vector<bool>& known) const {
    if (!IsEquation(c)) return {};
    auto defines = [&](const Term& name, const Term& value) {
      return IsConstantName(name) && !known[name.metavariable] && Known(value, known);
    };
    if (defines(c.lhs, c.rhs)) return {c.lhs.metavariable, &c.rhs};
    if (defines(c.rhs, c.lhs)) return {c.rhs.metavariable, &c.lhs};
    return {};
  }

  bool HasDefinition(int metavariable) const {
    return std::any_of(rule_.when.begin(), rule_.when.end(), [&](const Condition& c) {
      auto names = [&](const Term& t) {
        return IsConstantName(t) && t.metavariable == metavariable;
      };
      return IsEquation(c) && (names(c.lhs) || names(c.rhs));
    });
  }

  bool Checks(const Step& step) {
    for (const Check& check : step.checks) {
      if (check.definition.value) {
        TermValue v = Evaluate(*check.definition.value, values_);
        if (!v.ok()) return false;
        values_[check.definition.metavariable] = v.value;
      } else if (!Holds(*check.condition, values_).value_or(false)) {
        return false;
      }
    }
    return true;
  }

  const Rule& rule_;
  std::vector<int128> values_;
  Step first_;
  std::vector<Step> steps_;
};

class SmallestFirst {
 public:
  SmallestFirst(Instances& instances, int64_t limit,
                llvm::function_ref<bool(llvm::ArrayRef<int128>)> visit)
      : instances_(instances), left_(limit), visit_(visit) {}

  // False when the visitor stopped.
  bool Run() {
    if (instances_.num_steps() == 0) return visit_(instances_.values());
    for (int64_t weight = 0; left_ > 0 && weight <= kMaxWeight && going_; ++weight)
      Assign(0, weight);
    return going_;
  }

 private:
  static constexpr int64_t kMaxWeight = 400;

  void Assign(size_t step, int64_t weight) {
    bool last = step + 1 == instances_.num_steps();
    for (int64_t size = last ? weight : 0; size <= weight; ++size) {
      for (int64_t v : {size, -size}) {
        if (!going_ || --left_ < 0) return;
        if (instances_.Assign(step, v)) {
          if (last)
            going_ = visit_(instances_.values());
          else
            Assign(step + 1, weight - size);
        }
        if (size == 0) break;
      }
    }
  }

  Instances& instances_;
  int64_t left_;
  llvm::function_ref<bool(llvm::ArrayRef<int128>)> visit_;
  bool going_ = true;
};

// The SplitMix64 generator, which gives the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  int64_t In(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(Next() % static_cast<uint64_t>(hi - lo + 1));
  }

 private:
  uint64_t state_;
};

}  // namespace

InstanceState Check(const Rule& rule, llvm::ArrayRef<int128> values) {
  for (const Condition& c : rule.when)
    if (!Holds(c, values).value_or(false)) return InstanceState::kOutside;
  return CheckSides(rule, values);
}

void ForEachInstance(const Rule& rule, const SearchLimits& limits,
                     llvm::function_ref<bool(llvm::ArrayRef<int128>)> visit) {
  Instances instances(rule);
  if (!instances.Start()) return;
  if (!SmallestFirst(instances, limits.small_instances, visit).Run()) return;
  if (instances.num_steps() == 0) return;
  Random random(limits.seed);
  for (int64_t i = 0; i < limits.random_instances; ++i) {
    bool inside = true;
    llvm::SmallVector<int64_t, 8> before;
    for (size_t step = 0; step < instances.num_steps() && inside; ++step) {
      bool expr = instances.MetavariableOf(step).is_expr;
      int64_t v = expr ? random.In(-20, 20) : random.In(-6, 12);
      // Conditions such as "a divides c" want multiples and equal values.
      if (!before.empty() && random.In(0, 2) == 0) {
        int64_t other = before[random.Next() % before.size()];
        v = random.In(0, 1) ? other : other * random.In(-2, 4);
      }
      before.push_back(v);
      inside = instances.Assign(step, v);
    }
    if (inside && !visit(instances.values())) return;
  }
}

SearchResult Search(const Rule& rule, const SearchLimits& limits) {
  SearchResult result;
  ForEachInstance(rule, limits, [&](llvm::ArrayRef<int128> values) {
    InstanceState state = CheckSides(rule, values);
    if (state == InstanceState::kOutside || state == InstanceState::kNotComputed) return true;
    if (!result.satisfied) result.satisfied = values.vec();
    if (state != InstanceState::kBroken) return true;
    result.broken = Shrink(rule, values.vec());
    return false;
  });
  return result;
}

std::vector<int128> Shrink(const Rule& rule, std::vector<int128> values) {
  auto broken = [&](const std::vector<int128>& v) {
    return Check(rule, v) == InstanceState::kBroken;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (int128& v : values) {
      int128 old = v;
      if (old == 0) continue;
      for (int128 next : {int128{0}, old / 2, old > 0 ? old - 1 : old + 1}) {
        if (next == old) continue;
        v = next;
        if (broken(values)) {
          smaller = true;
          break;
        }
        v = old;
      }
    }
  }
  return values;
}

}  // namespace affirm::rules
