// The renderings of an audit report.
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/rules/audit.h"

namespace affirm {
namespace {

const char* Status(const RuleReport& r) {
  if (r.verdict.verdict == Verdict::kProved && r.verdict.vacuous) return "vacuous";
  return Name(r.verdict.verdict);
}

// What is wrong with a rule: a kind and a sentence.
struct Finding {
  const char* kind = "";
  std::string text = {};
};

std::vector<Finding> Findings(const RuleReport& r) {
  std::vector<Finding> list;
  auto add = [&](const char* kind, const std::string& text) {
    Finding& finding = list.emplace_back();
    finding.kind = kind;
    finding.text = text;
  };
  if (r.verdict.counterexample) add("refuted", r.verdict.counterexample->ToString());
  if (r.verdict.verdict == Verdict::kUnknown) add("unknown", r.verdict.reason);
  if (r.verdict.vacuous) add("vacuous", "the conditions can't hold");
  for (const std::string& why : r.unmatchable) add("unmatchable", why);
  if (!r.reduction_order.lowers) add("raises-reduction-order", r.reduction_order.reason);
  return list;
}

struct MutantCounts {
  size_t refuted = 0, sound = 0, vacuous = 0, unknown = 0;
};

MutantCounts CountMutants(const RuleReport& r) {
  MutantCounts n;
  for (const MutantReport& m : r.mutants) {
    if (m.verdict.verdict == Verdict::kRefuted)
      ++n.refuted;
    else if (m.verdict.verdict == Verdict::kUnknown)
      ++n.unknown;
    else
      ++(m.verdict.vacuous ? n.vacuous : n.sound);
  }
  return n;
}

std::string Summary(const AuditReport& report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  size_t good = 0;
  for (const RuleReport& r : report.rules) good += r.Good();
  os << report.rules.size() << " rules: " << report.Count(Verdict::kProved) << " proved, "
     << report.Count(Verdict::kRefuted) << " refuted, " << report.Count(Verdict::kUnknown)
     << " unknown; " << report.rules.size() - good << " with findings";
  if (!report.with_mutants) return text;
  MutantCounts all;
  for (const RuleReport& r : report.rules) {
    MutantCounts n = CountMutants(r);
    all.refuted += n.refuted;
    all.sound += n.sound;
    all.vacuous += n.vacuous;
    all.unknown += n.unknown;
  }
  os << "\nmutants: " << all.refuted << " refuted, " << all.sound << " rules in their own right, "
     << all.vacuous << " vacuous, " << all.unknown << " unknown";
  return text;
}

// Calls fn for each mutant that was not refuted: it "survives", as mutation testing says.
template <typename Fn>
void ForEachSurvivor(const RuleReport& r, Fn fn) {
  for (const MutantReport& m : r.mutants) {
    if (m.verdict.verdict == Verdict::kRefuted) continue;
    fn(m.verdict.vacuous ? "vacuous" : Name(m.verdict.verdict), m);
  }
}

void RenderText(const AuditReport& report, llvm::raw_ostream& os) {
  for (const RuleReport& r : report.rules) {
    os << r.rule.where << ": " << r.rule.name << ": " << Status(r) << '\n';
    for (const Finding& f : Findings(r)) os << "  " << f.kind << ": " << f.text << '\n';
    if (!report.with_mutants) continue;
    os << "  mutants: " << CountMutants(r).refuted << " of " << r.mutants.size() << " refuted\n";
    ForEachSurvivor(r, [&](const char* status, const MutantReport& m) {
      os << "    " << status << ": " << m.what << '\n';
    });
  }
  os << Summary(report) << '\n';
}

// Text in a cell of a table.
std::string Cell(llvm::StringRef text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') {
      out += ' ';
      continue;
    }
    if (c == '|' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void RenderMarkdown(const AuditReport& report, llvm::raw_ostream& os) {
  os << "# Audit of rules\n\n" << Summary(report) << "\n\n";
  os << "| rule | verdict | findings |" << (report.with_mutants ? " mutants refuted |" : "")
     << '\n';
  os << "|---|---|---|" << (report.with_mutants ? "---|" : "") << '\n';
  for (const RuleReport& r : report.rules) {
    os << "| `" << r.rule.name << "` | " << Status(r) << " | ";
    bool first = true;
    for (const Finding& f : Findings(r)) {
      os << (first ? "" : "; ") << f.kind << ": " << Cell(f.text);
      first = false;
    }
    os << " |";
    if (report.with_mutants)
      os << ' ' << CountMutants(r).refuted << " of " << r.mutants.size() << " |";
    os << '\n';
  }
  if (!report.with_mutants) return;
  os << "\n## Mutants that hold or stayed open\n\n";
  for (const RuleReport& r : report.rules)
    ForEachSurvivor(r, [&](const char* status, const MutantReport& m) {
      os << "- `" << r.rule.name << "`: " << m.what << ": " << status << '\n';
    });
}

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

void RenderJson(const AuditReport& report, llvm::raw_ostream& os) {
  llvm::json::Array rules;
  for (const RuleReport& r : report.rules) rules.push_back(ToJson(r, report.with_mutants));
  llvm::json::Value document =
      llvm::json::Object{{"rules", std::move(rules)},
                         {"proved", static_cast<int64_t>(report.Count(Verdict::kProved))},
                         {"refuted", static_cast<int64_t>(report.Count(Verdict::kRefuted))},
                         {"unknown", static_cast<int64_t>(report.Count(Verdict::kUnknown))},
                         {"status", ExitStatus(report)}};
  os << llvm::formatv("{0:2}", document) << '\n';
}

// SARIF 2.1.0: one result for each finding, at the line of the rule.
llvm::json::Object SarifResult(const RuleReport& r, const Finding& f) {
  auto [file, line_text] = llvm::StringRef(r.rule.where).rsplit(':');
  int64_t line = 1;
  if (line_text.getAsInteger(10, line) || line < 1) line = 1;
  llvm::json::Object place{
      {"physicalLocation",
       llvm::json::Object{{"artifactLocation", llvm::json::Object{{"uri", file}}},
                          {"region", llvm::json::Object{{"startLine", line}}}}}};
  bool error =
      llvm::StringRef(f.kind) == "refuted" || llvm::StringRef(f.kind) == "raises-reduction-order";
  return llvm::json::Object{{"ruleId", f.kind},
                            {"level", error ? "error" : "warning"},
                            {"message", llvm::json::Object{{"text", r.rule.name + ": " + f.text}}},
                            {"locations", llvm::json::Array{std::move(place)}}};
}

void RenderSarif(const AuditReport& report, llvm::raw_ostream& os) {
  static constexpr std::pair<const char*, const char*> kKinds[] = {
      {"refuted", "The rule is wrong: an instance is given at which its sides differ."},
      {"unknown", "The rule is neither proved nor refuted."},
      {"vacuous", "The conditions of the rule can't hold."},
      {"unmatchable", "Nothing can match the rule, or a match would not determine its names."},
      {"raises-reduction-order",
       "The rule does not lower the reduction order, so rewriting may not end."}};
  llvm::json::Array kinds, results;
  for (const auto& [id, text] : kKinds)
    kinds.push_back(
        llvm::json::Object{{"id", id}, {"shortDescription", llvm::json::Object{{"text", text}}}});
  for (const RuleReport& r : report.rules)
    for (const Finding& f : Findings(r)) results.push_back(SarifResult(r, f));
  llvm::json::Object driver{{"name", "affirm"}, {"rules", std::move(kinds)}};
  llvm::json::Object run{{"tool", llvm::json::Object{{"driver", std::move(driver)}}},
                         {"results", std::move(results)}};
  llvm::json::Value document =
      llvm::json::Object{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                         {"version", "2.1.0"},
                         {"runs", llvm::json::Array{std::move(run)}}};
  os << llvm::formatv("{0:2}", document) << '\n';
}

}  // namespace

std::string Render(const AuditReport& report, ReportFormat format) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (format) {
    case ReportFormat::kText:
      RenderText(report, os);
      break;
    case ReportFormat::kJson:
      RenderJson(report, os);
      break;
    case ReportFormat::kMarkdown:
      RenderMarkdown(report, os);
      break;
    case ReportFormat::kSarif:
      RenderSarif(report, os);
      break;
  }
  return text;
}

}  // namespace affirm
