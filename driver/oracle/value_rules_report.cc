#include "driver/oracle/value_rules_report.h"

#include "driver/json_text.h"
#include "driver/oracle/rules_report.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::driver {
namespace {

using value_rules::InstanceProof;
using value_rules::RuleClass;
using value_rules::ValueRule;

// "T = f16: refuted: x = ..."
std::string TextOf(const ValueRule& rule, const InstanceProof& proof) {
  const std::string types = ToString(rule, proof.types);
  std::string text = types.empty() ? "" : types + ": ";
  text += Name(proof.verdict);
  if (proof.vacuous) text = types + (types.empty() ? "" : ": ") + "no values satisfy the condition";
  if (!proof.by.empty()) text += " by " + proof.by;
  if (!proof.reason.empty()) text += ": " + proof.reason;
  if (proof.counterexample)
    text += (proof.verdict == Verdict::kRefuted ? ": " : "; the sides differ: ") +
            proof.counterexample->ToString();
  return text;
}

double MsOf(const ValueRuleReport& report) {
  double ms = 0;
  for (const InstanceProof& proof : report.proof.instances) ms += proof.ms;
  return ms;
}

int64_t RefutedMutants(const ValueRuleReport& report) {
  return llvm::count_if(report.mutants, [](const ValueMutantReport& mutant) {
    return mutant.verdict == Verdict::kRefuted;
  });
}

Counts CountsOf(const ValueAuditReport& report) {
  Counts counts;
  for (const ValueRuleReport& rule : report.rules) {
    counts.Add("rules");
    counts.Add(ClaimsEquality(rule.proof.rule) ? std::string("rules ") + Name(rule.proof.verdict())
                                               : "rules that claim no equality");
    if (!rule.Good()) counts.Add("with findings");
    for (const ValueMutantReport& mutant : rule.mutants) {
      if (!mutant.error.empty()) continue;
      counts.Add("mutants");
      counts.Add(std::string("mutants ") + Name(mutant.verdict));
    }
  }
  return counts;
}

constexpr char kNothingClaimed[] = "no rule claims that its sides are equal: nothing is proved";

bool ClaimsNothing(const ValueAuditReport& report) {
  return !report.claims_equality && llvm::none_of(report.rules, [](const ValueRuleReport& rule) {
    return ClaimsEquality(rule.proof.rule);
  });
}

// No verdict is known of it, and none is asked for.
void NameAlone(const ValueRule& rule, ReportRecord& record) {
  record.is_claimed = false;
  record.verdict = Verdict::kUnknown;
  record.title = "NO CLAIM";
  record.text =
      ("'" + rule.name + "' is " + Name(rule.of_class) + ", and claims no equality: " + rule.why)
          .str();
  record.engine = record.replay = "";
}

}  // namespace

bool ClaimsEquality(const ValueRule& rule) { return rule.of_class == RuleClass::kExact; }

bool ValueRuleReport::Good() const {
  return !ClaimsEquality(proof.rule) || proof.verdict() == Verdict::kProved;
}

llvm::Expected<ValueRuleReport> AuditValueRule(const ValueRule& rule, bool mutants,
                                               const value_rules::ProofOptions& options) {
  auto proof = Prove(rule, options);
  if (!proof) return proof.takeError();
  ValueRuleReport report{.proof = std::move(*proof), .mutants = {}};
  if (!mutants || !ClaimsEquality(rule)) return report;
  // Less than for the rule itself: a mutant that is hard to settle is no reason to wait.
  value_rules::ProofOptions hurried = options;
  hurried.z3_rlimit /= 500;
  hurried.wall_ms /= 20;
  for (const value_rules::Mutant& mutant : value_rules::MutantsOf(rule)) {
    ValueMutantReport made{.what = mutant.what, .text = ToString(mutant.rule), .error = {}};
    std::optional<Verdict> meet;
    for (const value_rules::Types& types : TypesOf(mutant.rule)) {
      auto instance = Prove(mutant.rule, types, hurried);
      if (!instance) {
        made.error = llvm::toString(instance.takeError());
        break;
      }
      meet = Meet(meet.value_or(Verdict::kProved), instance->verdict);
      if (*meet == Verdict::kRefuted) break;
    }
    made.verdict = meet.value_or(Verdict::kUnknown);
    report.mutants.push_back(std::move(made));
  }
  return report;
}

Verdict VerdictOf(const ValueAuditReport& report) {
  std::vector<Verdict> exact;
  for (const ValueRuleReport& rule : report.rules) {
    if (ClaimsEquality(rule.proof.rule)) exact.push_back(rule.proof.verdict());
  }
  if (exact.empty() && report.claims_equality) return Verdict::kProved;
  return MeetOfAll(exact, [](Verdict verdict) { return verdict; });
}

RunReport ToRunReport(const ValueAuditReport& report, const std::string& file,
                      const std::string& replay) {
  RunReport run = AuditRunReport(file, VerdictOf(report));
  for (const ValueRuleReport& of : report.rules) {
    const ValueRule& rule = of.proof.rule;
    ReportRecord record{.verdict = Verdict::kProved,
                        .claim = "rule",
                        .where = RegionOfRule(rule.where),
                        .subject = rule.name,
                        .aspect = ToString(rule),  // a rule that says something else is another
                        .engine = "value rule prover",
                        .ms = MsOf(of),
                        .replay = replay};
    if (of.Good()) {
      record.text = rule.why;
      if (!ClaimsEquality(rule)) NameAlone(rule, record);
      run.records.push_back(record);
      continue;
    }
    record.details = {ToString(rule)};
    for (const InstanceProof& proof : of.proof.instances) {
      if (proof.verdict == Verdict::kProved && !proof.vacuous) continue;
      record.verdict = proof.vacuous ? Verdict::kRefuted : proof.verdict;
      record.title = proof.vacuous ? "VACUOUS" : llvm::StringRef(Name(proof.verdict)).upper();
      record.text = "'" + rule.name + "': " + TextOf(rule, proof);
      record.aspect = ToString(rule) + " for " + ToString(rule, proof.types);
      record.expected = proof.counterexample ? proof.counterexample->left : "";
      record.actual = proof.counterexample ? proof.counterexample->right : "";
      run.records.push_back(record);
    }
  }
  if (ClaimsNothing(report)) {
    run.records.push_back({.verdict = Verdict::kUnknown,
                           .claim = kExactRule,
                           .text = kNothingClaimed,
                           .replay = replay});
  }
  AddRulesCoverage(CountsOf(report), run);
  return run;
}

void PrintReport(const ValueAuditReport& report, llvm::raw_ostream& os, bool texts) {
  for (const ValueRuleReport& of : report.rules) {
    const ValueRule& rule = of.proof.rule;
    os << rule.where << ": " << rule.name << ": "
       << (ClaimsEquality(rule) ? llvm::StringRef(Name(of.proof.verdict())) : Name(rule.of_class))
       << '\n';
    if (texts) os << "  " << ToString(rule) << "  (" << Fixed(MsOf(of), 1) << " ms)\n";
    for (const InstanceProof& proof : of.proof.instances) {
      const bool says = texts || proof.vacuous || proof.verdict != Verdict::kProved;
      if (says) os << "  " << TextOf(rule, proof) << '\n';
    }
    if (!report.with_mutants || of.mutants.empty()) continue;
    os << "  mutants: " << RefutedMutants(of) << " of " << of.mutants.size() << " refuted\n";
    for (const ValueMutantReport& mutant : of.mutants) {
      if (mutant.verdict == Verdict::kRefuted) continue;
      os << "    " << (mutant.error.empty() ? Name(mutant.verdict) : "no rule") << ": "
         << mutant.what << '\n';
    }
  }
  RunReport summary;
  AddRulesCoverage(CountsOf(report), summary);
  for (const CoverageRow& row : summary.coverage)
    os << (row.name == "rules" ? "" : row.name + ": ") << row.text << '\n';
  if (ClaimsNothing(report)) os << Name(Verdict::kUnknown) << ": " << kNothingClaimed << '\n';
}

llvm::json::Object ToJson(const ValueAuditReport& report) {
  llvm::json::Array rules;
  for (const ValueRuleReport& of : report.rules) {
    const ValueRule& rule = of.proof.rule;
    llvm::json::Array instances;
    for (const InstanceProof& proof : of.proof.instances) {
      llvm::json::Object instance{{"types", ToString(rule, proof.types)},
                                  {"verdict", Name(proof.verdict)},
                                  {"vacuous", proof.vacuous},
                                  {"ms", proof.ms}};
      if (!proof.by.empty()) instance["by"] = proof.by;
      if (!proof.reason.empty()) instance["reason"] = proof.reason;
      if (proof.counterexample) {
        llvm::json::Object values;
        for (const auto& [name, value] : proof.counterexample->values) values[name] = value;
        instance["counterexample"] = llvm::json::Object{{"values", std::move(values)},
                                                        {"left", proof.counterexample->left},
                                                        {"right", proof.counterexample->right}};
      }
      instances.push_back(std::move(instance));
    }
    llvm::json::Object made{{"rule", rule.name},
                            {"where", rule.where},
                            {"text", ToString(rule)},
                            {"why", rule.why},
                            {"class", Name(rule.of_class)},
                            {"verdict", Name(of.proof.verdict())},
                            {"instances", std::move(instances)}};
    if (report.with_mutants) {
      llvm::json::Array mutants;
      for (const ValueMutantReport& mutant : of.mutants) {
        mutants.push_back(llvm::json::Object{
            {"what", mutant.what}, {"text", mutant.text}, {"verdict", Name(mutant.verdict)}});
      }
      made["mutants"] = std::move(mutants);
    }
    rules.push_back(std::move(made));
  }
  const Counts counts = CountsOf(report);
  return llvm::json::Object{{"rules", std::move(rules)},
                            {"proved", counts["rules proved"]},
                            {"refuted", counts["rules refuted"]},
                            {"unknown", counts["rules unknown"]},
                            {"claims nothing", counts["rules that claim no equality"]},
                            {"status", StatusOf(VerdictOf(report))},
                            {"counts", counts.ToJson()}};
}

}  // namespace affirm::driver
