// At least three mutants of each exact rule about values are seen to be wrong.
#include <gtest/gtest.h>

#include "driver/oracle/value_rules_report.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/value_rules/table.h"

namespace affirm::driver {
namespace {

TEST(ValueRuleMutants, AreRefuted) {
  for (const value_rules::ValueRule& rule : value_rules::BuiltinRules()) {
    if (rule.of_class != value_rules::RuleClass::kExact) continue;
    // The rule itself is proved by the test value_rules_audit.
    auto report =
        AuditValueRule(rule, /*mutants=*/true, {.z3_rlimit = 10'000'000, .wall_ms = 10'000});
    ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
    const auto refuted = llvm::count_if(report->mutants, [](const ValueMutantReport& mutant) {
      return mutant.verdict == Verdict::kRefuted;
    });
    EXPECT_GE(refuted, 3) << rule.name;
  }
}

}  // namespace
}  // namespace affirm::driver
