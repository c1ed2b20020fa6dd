#include "core/simplify/pattern.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

ExprKind KindOf(TermKind kind) {
  switch (kind) {
    case TermKind::kFloorDiv:
      return ExprKind::kFloorDiv;
    case TermKind::kCeilDiv:
      return ExprKind::kCeilDiv;
    case TermKind::kMod:
      return ExprKind::kMod;
    case TermKind::kMin:
      return ExprKind::kMin;
    case TermKind::kMax:
      return ExprKind::kMax;
    default:
      return ExprKind::kAdd;
  }
}

class Compiler {
 public:
  explicit Compiler(const Rule& rule) : rule_(rule), bound_(rule.slots.size()) {}

  const std::string& problem() const { return problem_; }
  void MarkBound(const Term& end) {
    if (end.kind == TermKind::kSlot) bound_[end.slot] = true;
  }
  bool IsScheduled(const Condition& c) const { return llvm::is_contained(scheduled_, &c); }

  Pattern Compile(const Term& t) {
    Pattern p;
    p.term = &t;
    p.kind = KindOf(t.kind);
    if (!HasExpr(t)) {
      p.op = Pattern::Op::kConstant;
      if (t.kind == TermKind::kSlot) {
        bound_[t.slot] = true;
        Schedule(p);
      } else if (!AllBound(t)) {
        Problem("the constant '" + ToString(t, rule_) + "' is matched before its names are known");
      }
      return p;
    }
    switch (t.kind) {
      case TermKind::kSlot:
        p.op = bound_[t.slot] ? Pattern::Op::kSame : Pattern::Op::kBind;
        p.slot = t.slot;
        bound_[t.slot] = true;
        return p;
      case TermKind::kFloorDiv:
      case TermKind::kCeilDiv:
      case TermKind::kMod:
        // The divisor first: what it binds steers the numerator.
        p.op = Pattern::Op::kQuotient;
        p.parts.push_back(Compile(t.ops[1]));
        p.parts.push_back(Compile(t.ops[0]));
        return p;
      case TermKind::kMin:
      case TermKind::kMax:
        p.op = Pattern::Op::kLattice;
        for (const Term& op : t.ops) p.parts.push_back(Compile(op));
        return p;
      case TermKind::kAdd:
        return CompileSum(t.ops, p);
      case TermKind::kMul:
        return CompileSum(t, p);
      default:
        Problem("'" + ToString(t, rule_) + "' can't stand in a pattern");
        return p;
    }
  }

 private:
  void Problem(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }

  // Conditions on constants that have all their names by now and are not checked earlier.
  void Schedule(Pattern& p) {
    for (const Condition& c : rule_.when) {
      bool constant = c.kind == ConditionKind::kCompare || c.kind == ConditionKind::kDivides;
      if (!constant || llvm::is_contained(scheduled_, &c)) continue;
      if (HasExpr(c.lhs) || HasExpr(c.rhs) || !AllBound(c.lhs) || !AllBound(c.rhs)) continue;
      p.checks.push_back(&c);
      scheduled_.push_back(&c);
    }
  }

  bool HasExpr(const Term& t) const {
    if (t.kind == TermKind::kSlot) return rule_.slots[t.slot].is_expr;
    return llvm::any_of(t.ops, [&](const Term& op) { return HasExpr(op); });
  }

  bool AllBound(const Term& t) const {
    if (t.kind == TermKind::kSlot) return bound_[t.slot];
    return llvm::all_of(t.ops, [&](const Term& op) { return AllBound(op); });
  }

  // Splits K * core; the one factor with an expression is the core.
  SumOperand Decompose(const Term& t, const Term*& core) {
    SumOperand o;
    core = &t;
    if (t.kind != TermKind::kMul) return o;
    core = nullptr;
    for (const Term& f : t.ops) {
      if (!HasExpr(f)) {
        o.factors.push_back(&f);
      } else if (core) {
        Problem("a product of two expressions can't stand in a pattern");
      } else {
        core = &f;
      }
    }
    return o;
  }

  // At most one free constant name among the factors, which the coefficient then determines.
  void FindFreeFactor(SumOperand& o) {
    for (const Term* f : o.factors) {
      if (AllBound(*f)) continue;
      if (f->kind != TermKind::kSlot || o.free_factor >= 0) {
        Problem("the factor '" + ToString(*f, rule_) + "' can't be solved for");
        continue;
      }
      o.free_factor = f->slot;
    }
  }

  Pattern CompileSum(llvm::ArrayRef<Term> terms, Pattern p) {
    p.op = Pattern::Op::kSum;
    struct Pending {
      SumOperand operand;
      const Term* core;
    };
    std::vector<Pending> pending;
    for (const Term& t : terms) {
      const Term* core;
      SumOperand o = HasExpr(t) ? Decompose(t, core) : (core = nullptr, SumOperand());
      if (!core) o.factors = {&t};
      pending.push_back({std::move(o), core});
    }
    auto take = [&](SumOperand::Op op, auto pred) {
      for (size_t i = 0; i < pending.size();) {
        if (!pred(pending[i])) {
          ++i;
          continue;
        }
        Pending next = std::move(pending[i]);
        pending.erase(pending.begin() + i);
        p.operands.push_back(Finish(op, std::move(next.operand), next.core));
        i = 0;  // what it bound may make others ready
      }
    };
    auto is_name = [](const Pending& x) { return x.core && x.core->kind == TermKind::kSlot; };
    take(SumOperand::Op::kPick,
         [&](const Pending& x) { return x.core && KindOf(x.core->kind) != ExprKind::kAdd; });
    take(SumOperand::Op::kSubtract,
         [&](const Pending& x) { return is_name(x) && bound_[x.core->slot]; });
    take(SumOperand::Op::kSplit,
         [&](const Pending& x) { return is_name(x) && !x.operand.factors.empty(); });
    take(SumOperand::Op::kConstant, [](const Pending& x) { return !x.core; });
    take(SumOperand::Op::kRest, [&](const Pending& x) { return is_name(x); });
    if (!pending.empty()) Problem("a sum within a sum can't be matched");
    CheckRest(p);
    return p;
  }

  Pattern CompileSum(const Term& product, Pattern p) {
    return CompileSum(llvm::ArrayRef<Term>(product), std::move(p));
  }

  SumOperand Finish(SumOperand::Op op, SumOperand o, const Term* core) {
    o.op = op;
    if (op == SumOperand::Op::kPick) {
      o.core_known = AllBound(*core);
      o.factors_known = llvm::all_of(o.factors, [&](const Term* f) { return AllBound(*f); });
      // The factors are solved once the core is matched, so its names count as bound.
      o.core = Compile(*core);
    } else if (core) {
      o.slot = core->slot;
    }
    FindFreeFactor(o);
    if (o.free_factor >= 0) bound_[o.free_factor] = true;
    if (core && core->kind == TermKind::kSlot) bound_[core->slot] = true;
    return o;
  }

  void CheckRest(const Pattern& p) {
    int rests = 0, splits = 0;
    for (const SumOperand& o : p.operands) {
      rests += o.op == SumOperand::Op::kRest;
      splits += o.op == SumOperand::Op::kSplit;
    }
    if (rests > 1) Problem("a sum has two names for the rest");
    if (splits > 1) Problem("a sum is split twice");
  }

  const Rule& rule_;
  std::vector<bool> bound_;
  std::vector<const Condition*> scheduled_;
  std::string problem_;
};

// The kinds that the picks of a sum ask for.
uint16_t PickedKinds(const Pattern& p) {
  uint16_t kinds = 0;
  if (p.op != Pattern::Op::kSum) return 0;
  for (const SumOperand& o : p.operands) {
    if (o.op == SumOperand::Op::kPick) kinds |= 1u << static_cast<unsigned>(o.core.kind);
  }
  return kinds;
}

}  // namespace

CompiledRule Compile(const Rule& rule) {
  CompiledRule out;
  out.rule = &rule;
  if (rule.slots.size() > kMaxSlots) {
    out.problem = "more than " + std::to_string(kMaxSlots) + " names";
    return out;
  }
  Compiler compiler(rule);
  if (!rule.is_constraint_rule) {
    out.lhs = compiler.Compile(rule.lhs);
    out.picked_kinds = PickedKinds(out.lhs);
  }
  for (const BoundPattern& premise : llvm::reverse(rule.premises)) {
    out.premises.push_back(compiler.Compile(premise.expr));
    // The ends bind their names as well; nothing is checked there.
    compiler.MarkBound(premise.lower);
    compiler.MarkBound(premise.upper);
  }
  std::reverse(out.premises.begin(), out.premises.end());
  for (const Condition& c : rule.when) {
    if (!compiler.IsScheduled(c)) out.conditions.push_back(&c);
  }
  out.uses_ranges = llvm::any_of(rule.when, [](const Condition& c) {
    return c.kind == ConditionKind::kWithin || c.kind == ConditionKind::kIs ||
           (c.kind == ConditionKind::kLet && !c.defines);
  });
  out.problem = compiler.problem();
  return out;
}

}  // namespace affirm
