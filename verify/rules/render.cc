// An audit report as JSON.
#include "llvm/Support/JSON.h"
#include "verify/rules/audit.h"

namespace affirm {
namespace {

llvm::json::Value ToJson(const RuleCounterexample& c) {
  llvm::json::Object values;
  for (const auto& [name, value] : c.values) values[name] = value;
  return llvm::json::Object{{"values", std::move(values)}, {"left", c.left}, {"right", c.right}};
}

llvm::json::Value ToJson(const MutantReport& m) {
  llvm::json::Object o{{"what", m.what},
                       {"text", m.text},
                       {"verdict", Name(m.verdict.verdict)},
                       {"vacuous", m.verdict.vacuous}};
  if (m.verdict.counterexample) o["counterexample"] = ToJson(*m.verdict.counterexample);
  return o;
}

llvm::json::Value ToJson(const RuleReport& r, bool with_mutants) {
  llvm::json::Object o{{"rule", r.rule.name},
                       {"where", r.rule.where},
                       {"text", ToString(r.rule)},
                       {"why", r.rule.why},
                       {"verdict", Name(r.verdict.verdict)},
                       {"vacuous", r.verdict.vacuous},
                       {"unmatchable", llvm::json::Array(r.unmatchable)},
                       {"lowers_measure", r.reduction_order.lowers},
                       {"ms", r.verdict.ms}};
  if (!r.verdict.reason.empty()) o["reason"] = r.verdict.reason;
  if (r.verdict.counterexample) o["counterexample"] = ToJson(*r.verdict.counterexample);
  if (!r.reduction_order.lowers) o["measure"] = r.reduction_order.reason;
  if (with_mutants) {
    llvm::json::Array mutants;
    for (const MutantReport& m : r.mutants) mutants.push_back(ToJson(m));
    o["mutants"] = std::move(mutants);
  }
  return o;
}

}  // namespace

llvm::json::Object ToJson(const AuditReport& report) {
  llvm::json::Array rules;
  for (const RuleReport& r : report.rules) rules.push_back(ToJson(r, report.with_mutants));
  return llvm::json::Object{{"rules", std::move(rules)},
                            {"proved", static_cast<int64_t>(report.Count(Verdict::kProved))},
                            {"refuted", static_cast<int64_t>(report.Count(Verdict::kRefuted))},
                            {"unknown", static_cast<int64_t>(report.Count(Verdict::kUnknown))},
                            {"status", StatusOf(VerdictOf(report))}};
}

}  // namespace affirm
