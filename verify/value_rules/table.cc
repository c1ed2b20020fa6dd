#include "verify/value_rules/table.h"

#include "llvm/Support/ErrorHandling.h"

namespace affirm::value_rules {

const std::vector<ValueRule>& BuiltinRules() {
  static const std::vector<ValueRule> kRules = [] {
    std::vector<ValueRule> all;
    for (const RuleFile& file : BuiltinFiles()) {
      auto rules = ParseValueRules(file.text, file.name);
      // The text is part of the program; a test reads it.
      if (!rules) llvm::report_fatal_error(rules.takeError());
      all.insert(all.end(), rules->begin(), rules->end());
    }
    return all;
  }();
  return kRules;
}

}  // namespace affirm::value_rules
