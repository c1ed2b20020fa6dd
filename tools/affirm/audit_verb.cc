// affirm audit: proves or refutes rules, for all constants and all values.
#include "core/simplify/rule_table.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/verbs.h"
#include "verify/rules/audit.h"

namespace affirm::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  bool builtin = false, mutants = false, json = false;
  std::string format = "text";
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

int Run(const Options& options) {
  auto rules = Gather(options);
  if (!rules) return Report(rules.takeError());
  Progress progress;
  AuditOptions how;
  how.mutants = options.mutants;
  how.progress = [&](size_t done, size_t total) {
    progress.Show("rule " + llvm::Twine(done) + " of " + llvm::Twine(total));
  };
  AuditReport report = Audit(*rules, how);
  progress.Clear();
  auto format = ParseReportFormat(options.json ? "json" : options.format);
  llvm::outs() << Render(report, format.value_or(ReportFormat::kText));
  return ExitStatus(report);
}

}  // namespace

void AddAudit(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("audit", "Prove or refute rewrite rules");
  verb->add_option("FILES", options->files, "Rule files, or - (default: the built-in rules)");
  verb->add_flag("--builtin", options->builtin, "The built-in rules, too");
  verb->add_flag("--mutants", options->mutants, "Also break each rule: the mutants must fall");
  verb->add_option("--format", options->format, "Of the report")
      ->check(CLI::IsMember({"text", "json", "markdown", "sarif"}))
      ->capture_default_str();
  verb->add_flag("--json", options->json, "The same as --format json");
  verb->footer(
      "Example:\n"
      "  $ affirm audit - <<'END'\n"
      "  rule wrong: (x + y) floordiv c  =>  x floordiv c + y floordiv c\n"
      "    when c > 0\n"
      "    why  it is not so\n"
      "  END");
  verb->callback([options, &status] { status = Run(*options); });
}

}  // namespace affirm::cli
