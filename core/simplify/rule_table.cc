// Indexes rules by the head of what they match.
#include "core/simplify/rule_table.h"

#include <algorithm>

#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"

namespace affirm {
namespace {

// Whether a rule for `term` is to be tried at expressions of this kind. A sum of one term is a sum
// too, but only constraint rules match those: any expression is a sum of itself.
bool Fits(const Term& term, ExprKind head, bool is_constraint_rule) {
  if (head == ExprKind::kConstant) return false;
  if (auto kind = AtomKind(term.kind)) return *kind == head;
  bool is_sum = term.kind == TermKind::kAdd || term.kind == TermKind::kMul;
  return !is_sum || is_constraint_rule || head == ExprKind::kAdd;
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
    const Entry entry{RequiredBy(rule), &rule};
    const std::vector<BoundPattern>& premises = rule.rule->premises;
    const Term& matched = premises.empty() ? rule.rule->lhs : premises.back().expr;
    for (int head = 0; head < kNumKinds; ++head) {
      bool fits = Fits(matched, static_cast<ExprKind>(head), !premises.empty());
      if (!fits) continue;
      lists_[premises.size()][head].Append(entry);
    }
  }
}

void RuleTable::List::Append(Entry entry) {
  const uint64_t bit = uint64_t{1} << std::min(entries.size(), kLastBit);
  if (entries.size() < kLastBit) {
    if (entry.required & kPointFeature) points |= bit;
    if (entry.required & kOnePeriodFeature) periods |= bit;
    if (entry.required & kNearPeriodFeature) near_periods |= bit;
  }
  entries.push_back(entry);
  only_point_rules &= (entry.required & kPointFeature) != 0;
  same_variables &= entry.rule->same_variables;
  all_ |= bit;
  any_ |= entry.required;
  for (size_t feature = 0; feature < 64; ++feature) {
    if (!(entry.required >> feature & 1)) without_[feature] |= bit;
  }
}

uint64_t RuleTable::List::Admitted(Features features) const {
  uint64_t out = all_;
  for (Features missing = any_ & ~features; missing != 0; missing &= missing - 1) {
    out &= without_[llvm::countr_zero(missing)];
  }
  return out;
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
