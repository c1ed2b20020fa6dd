// The rules about values of this project, values.rules: read once.
#ifndef AFFIRM_VERIFY_VALUE_RULES_TABLE_H_
#define AFFIRM_VERIFY_VALUE_RULES_TABLE_H_

#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "verify/value_rules/value_rule.h"

namespace affirm::value_rules {

struct RuleFile {
  llvm::StringLiteral name, text;
};
llvm::ArrayRef<RuleFile> BuiltinFiles();

const std::vector<ValueRule>& BuiltinRules();

}  // namespace affirm::value_rules

#endif  // AFFIRM_VERIFY_VALUE_RULES_TABLE_H_
