// A set of rules, ready for the engine.
#ifndef AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_
#define AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_

#include <memory>
#include <vector>

#include "core/simplify/pattern.h"
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
  // The expression rules whose left side has this head, and the constraint rules, in the order of
  // the table. Rules that the engine can't match (CompiledRule::problem) are not among them.
  llvm::ArrayRef<const CompiledRule*> ForHead(ExprKind head) const {
    return by_head_[static_cast<int>(head)];
  }
  llvm::ArrayRef<const CompiledRule*> constraint_rules() const { return constraint_rules_; }
  const std::vector<CompiledRule>& compiled() const { return compiled_; }

 private:
  std::vector<Rule> rules_;
  std::vector<CompiledRule> compiled_;
  std::vector<const CompiledRule*> by_head_[9];
  std::vector<const CompiledRule*> constraint_rules_;
};

// The files that make up the built-in table: name and text, for docs and errors.
struct RuleFile {
  llvm::StringRef name;
  llvm::StringRef text;
};
llvm::ArrayRef<RuleFile> BuiltinRuleFiles();

}  // namespace affirm

#endif  // AFFIRM_CORE_SIMPLIFY_RULE_TABLE_H_
