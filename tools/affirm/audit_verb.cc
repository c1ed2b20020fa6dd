// affirm audit: proves or refutes rules, for all constants and all values.
#include "core/simplify/rule_table.h"
#include "driver/parallel.h"
#include "driver/shard.h"
#include "llvm/Support/FormatVariadic.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/verbs.h"
#include "verify/rules/audit.h"

namespace affirm::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  bool builtin = false, mutants = false, json = false;
  std::string format = "text";
  std::string shard;
  unsigned jobs = 1;
};

llvm::Expected<std::vector<Rule>> Gather(const Options& options) {
  std::vector<Rule> rules;
  if (options.builtin || options.files.empty()) rules = RuleTable::Builtin().rules();
  for (const std::string& file : options.files) {
    auto input = ReadInput(file, "rules");
    if (!input) return input.takeError();
    auto more = ParseRules(input->text, input->name);
    if (!more) return more.takeError();
    rules.insert(rules.end(), more->begin(), more->end());
  }
  return rules;
}

// The rules of one shard, by their numbers.
std::vector<Rule> PartOf(const std::vector<Rule>& rules, driver::Shard shard) {
  std::vector<Rule> part;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (shard.Has(i)) part.push_back(rules[i]);
  }
  return part;
}

// A JSON report that says which shard it is of.
std::string WithShard(const std::string& report, const std::string& shard) {
  auto document = llvm::json::parse(report);
  if (!document) {
    llvm::consumeError(document.takeError());
    return report;
  }
  (*document->getAsObject())["shard"] = shard;
  return llvm::formatv("{0:2}", *document).str() + "\n";
}

int Run(const Options& options) {
  auto shard = driver::ParseShard(options.shard);
  if (!shard) return Report(shard.takeError());
  auto rules = Gather(options);
  if (!rules) return Report(rules.takeError());
  *rules = PartOf(*rules, *shard);
  Progress progress;
  AuditOptions how;
  how.mutants = options.mutants;
  AuditReport report;
  report.with_mutants = options.mutants;
  driver::OrderedParallelFor<AuditReport>(
      options.jobs, static_cast<int64_t>(rules->size()),
      [&](int64_t i) { return Audit({(*rules)[i]}, how); },
      [&](AuditReport& one) {
        report.rules.push_back(std::move(one.rules.front()));
        progress.Show("rule " + llvm::Twine(report.rules.size()) + " of " +
                      llvm::Twine(rules->size()));
      });
  progress.Clear();
  auto format = ParseReportFormat(options.json ? "json" : options.format);
  std::string text = Render(report, format.value_or(ReportFormat::kText));
  bool names_shard = !shard->IsWhole() && format == ReportFormat::kJson;
  llvm::outs() << (names_shard ? WithShard(text, options.shard) : text);
  return ExitStatus(report);
}

}  // namespace

void AddAudit(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("audit", "Prove or refute rewrite rules");
  verb.Option("FILES", options->files, "Rule files, or - (default: the built-in rules)");
  verb.Flag("--builtin", options->builtin, "The built-in rules, too");
  verb.Flag("--mutants", options->mutants, "Also break each rule: the mutants must fall");
  verb.Option("--format", options->format, "Of the report")
      .OneOf({"text", "json", "markdown", "sarif"})
      .ShowDefault();
  verb.Flag("--json", options->json, "The same as --format json");
  AddJobs(verb, options->jobs);
  verb.Option("--shard", options->shard, "I/N: only the rules whose number is I modulo N");
  verb.Footer(
      "Example:\n"
      "  $ affirm audit - <<'END'\n"
      "  rule wrong: (x + y) floordiv c  =>  x floordiv c + y floordiv c\n"
      "    when c > 0\n"
      "    why  it is not so\n"
      "  END");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
