// Compiles a rule: its programs, conditions and conclusions.
#include "core/simplify/program.h"

#include "core/simplify/program_builder.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

bool HasRangeEnd(const Term& t) {
  return t.kind == TermKind::kLower || t.kind == TermKind::kUpper ||
         llvm::any_of(t.ops, HasRangeEnd);
}

bool UsesRanges(const Condition& c) {
  return c.kind == ConditionKind::kWithin || c.kind == ConditionKind::kIs || HasRangeEnd(c.lhs) ||
         HasRangeEnd(c.rhs);
}

}  // namespace

std::optional<ExprKind> AtomKind(TermKind kind) {
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
      return std::nullopt;
  }
}

CompiledRule Compile(const Rule& rule) {
  CompiledRule out;
  out.rule = &rule;
  if (rule.metavariables.size() > kMaxRegisters / 2 || rule.when.size() > kMaxConditions) {
    out.problem = "too many names or conditions";
    return out;
  }
  ProgramBuilder builder(rule);
  if (rule.is_constraint_rule) {
    if (rule.premises.size() > 2) builder.Problem("more than two premises");
    for (const BoundPattern& premise : llvm::reverse(rule.premises)) {
      out.programs.insert(out.programs.begin(), builder.Compile(premise));
    }
  } else {
    out.programs.push_back(builder.Compile(rule.lhs));
  }
  out.conditions = builder.Conditions();
  out.range_ends = builder.RangeEnds();
  if (!rule.is_constraint_rule) out.rhs = builder.Code(rule.rhs, TermValue::kExpr);
  for (const BoundPattern& p : rule.conclusions) {
    out.conclusions.push_back(
        builder.Bounds(p.expr, p.lower, p.lower_infinite, p.upper, p.upper_infinite));
  }
  out.uses_ranges = llvm::any_of(rule.when, UsesRanges);
  auto has_expr = [&](const BoundPattern& p) { return HasExpr(rule, p.expr); };
  out.same_variables =
      rule.premises.size() == 2 && llvm::all_of(rule.premises, has_expr) &&
      llvm::count_if(rule.metavariables, [](const Metavariable& s) { return s.is_expr; }) == 1;
  out.problem = builder.problem();
  return out;
}

}  // namespace affirm
