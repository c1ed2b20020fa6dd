#include "core/simplify/rule_table.h"

#include "llvm/Support/ErrorHandling.h"

namespace affirm {
namespace {

// Which kinds of expressions the left side can match at its root; a bare name matches all.
std::vector<ExprKind> Heads(const Term& lhs) {
  switch (lhs.kind) {
    case TermKind::kFloorDiv:
      return {ExprKind::kFloorDiv};
    case TermKind::kCeilDiv:
      return {ExprKind::kCeilDiv};
    case TermKind::kMod:
      return {ExprKind::kMod};
    case TermKind::kMin:
      return {ExprKind::kMin};
    case TermKind::kMax:
      return {ExprKind::kMax};
    case TermKind::kAdd:
    case TermKind::kMul:
      return {ExprKind::kAdd};
    default:
      return {ExprKind::kVariable, ExprKind::kAdd, ExprKind::kMul, ExprKind::kFloorDiv,
              ExprKind::kCeilDiv,  ExprKind::kMod, ExprKind::kMin, ExprKind::kMax};
  }
}

std::vector<Rule> ReadBuiltin() {
  std::vector<Rule> all;
  for (const RuleFile& file : BuiltinRuleFiles()) {
    auto rules = ParseRules(file.text, file.name);
    // The text is part of the program; the build's tests read it.
    if (!rules) llvm::report_fatal_error(rules.takeError());
    all.insert(all.end(), rules->begin(), rules->end());
  }
  return all;
}

}  // namespace

RuleTable::RuleTable(std::vector<Rule> rules) : rules_(std::move(rules)) {
  for (const Rule& rule : rules_) compiled_.push_back(Compile(rule));
  for (const CompiledRule& rule : compiled_) {
    if (!rule.problem.empty()) continue;
    if (rule.rule->is_constraint_rule) {
      constraint_rules_.push_back(&rule);
      continue;
    }
    for (ExprKind head : Heads(rule.rule->lhs)) by_head_[static_cast<int>(head)].push_back(&rule);
  }
}

const RuleTable& RuleTable::Builtin() {
  static const RuleTable table(ReadBuiltin());
  return table;
}

const Rule* RuleTable::Find(llvm::StringRef name) const {
  for (const Rule& rule : rules_) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

}  // namespace affirm
