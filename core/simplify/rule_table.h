// A set of rules, ready for the engine.
#ifndef AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_
#define AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_

#include <memory>
#include <vector>

#include "core/simplify/program.h"
#include "core/simplify/rule.h"
#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace affirm {

class RuleTable {
 public:
  explicit RuleTable(std::vector<Rule> rules);
  RuleTable(RuleTable&&) = default;
  RuleTable(const RuleTable&) = delete;
  // The rules of core/simplify/rules/*.rules; read once, immutable.
  static const RuleTable& Builtin();

  const std::vector<Rule>& rules() const { return rules_; }
  const Rule* Find(llvm::StringRef name) const;
  // In the order of the table: the expression rules whose left side has this head, and the
  // constraint rules with one or two premises of which the last may have it. Rules that the engine
  // can't match (CompiledRule::problem) are not among them.
  using RuleList = llvm::ArrayRef<const CompiledRule*>;
  RuleList ForHead(ExprKind head) const { return lists_[0][static_cast<int>(head)]; }
  RuleList ForFact(ExprKind head) const { return lists_[1][static_cast<int>(head)]; }
  RuleList ForFactPair(ExprKind head) const { return lists_[2][static_cast<int>(head)]; }

 private:
  static constexpr int kNumKinds = static_cast<int>(ExprKind::kMax) + 1;

  std::vector<Rule> rules_;
  std::vector<CompiledRule> compiled_;
  std::vector<const CompiledRule*> lists_[3][kNumKinds];  // by number of premises and kind
};

// The files that make up the built-in table: name and text, for docs and errors.
struct RuleFile {
  llvm::StringRef name;
  llvm::StringRef text;
};
llvm::ArrayRef<RuleFile> BuiltinRuleFiles();

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_
