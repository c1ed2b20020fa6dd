// affirm audit: proves or refutes rules, for all constants and all values; or holds the simplifier
// of another implementation against the oracle.
#include "core/simplify/rule_table.h"
#include "core/symbolic/error.h"
#include "driver/oracle/program_audit.h"
#include "driver/oracle/rules_report.h"
#include "driver/oracle/value_rules_report.h"
#include "driver/parallel.h"
#include "driver/shard.h"
#include "driver/shell_command.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/limit_options.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"
#include "verify/rules/audit.h"
#include "verify/rules/coq_attempts.h"
#include "verify/value_rules/coq.h"
#include "verify/value_rules/table.h"

namespace affirm::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  bool builtin = false, values = false, mutants = false, coq = false;
  ReportFlags report;
  LimitFlags memory;
  std::string shard;
  unsigned jobs = 1;
  // --program
  std::optional<std::string> command;
  driver::ProgramAuditOptions program;
  std::optional<uint64_t> runs;
  std::string maps, terms = "affine", save;
  bool no_idempotence = false;
};

// The files, each read once: one may be the standard input.
llvm::Expected<std::vector<driver::Input>> ReadFiles(const Options& options) {
  std::vector<driver::Input> files;
  for (const std::string& file : options.files) {
    auto input = driver::ReadRuleFile(file);
    if (!input) return input.takeError();
    files.push_back(std::move(*input));
  }
  return files;
}

// By what `merge` sees that shards are of the same rules: the part, and the rules in the files.
void WriteShard(llvm::json::OStream& json, const std::string& shard,
                llvm::ArrayRef<driver::Input> files) {
  if (shard.empty()) return;
  driver::InputDigest input;
  for (const driver::Input& file : files) input.Add(file.text);
  json.attribute("shard", shard);
  json.attribute("input", input.text());
}

llvm::Expected<std::vector<Rule>> Gather(const Options& options,
                                         llvm::ArrayRef<driver::Input> files) {
  std::vector<Rule> rules;
  if (options.builtin || files.empty()) rules = RuleTable::Builtin().rules();
  for (const driver::Input& file : files) {
    auto more = ParseRules(file.text, file.name);
    if (!more) return more.takeError();
    rules.insert(rules.end(), more->begin(), more->end());
  }
  return rules;
}

llvm::Expected<std::vector<value_rules::ValueRule>> GatherValueRules(
    const Options& options, llvm::ArrayRef<driver::Input> files) {
  std::vector<value_rules::ValueRule> rules;
  if (options.values) rules = value_rules::BuiltinRules();
  for (const driver::Input& file : files) {
    auto more = value_rules::ParseValueRules(file.text, file.name);
    if (!more) return more.takeError();
    rules.insert(rules.end(), more->begin(), more->end());
  }
  return rules;
}

// Whether the rules are about values; an error where some are, and some are about maps.
llvm::Expected<bool> AreAboutValues(const Options& options, llvm::ArrayRef<driver::Input> files) {
  std::string of_values, of_maps;
  for (const driver::Input& file : files)
    (value_rules::HasValueRules(file.text) ? of_values : of_maps) = file.name;
  if (options.values && of_values.empty()) of_values = "--values";
  if (options.builtin && of_maps.empty()) of_maps = "--builtin";
  if (!of_values.empty() && !of_maps.empty()) {
    return MakeError(of_maps + " has rules about maps, and " + of_values +
                     " about values: expected one of both");
  }
  return !of_values.empty();
}

// The rules of one shard, by their numbers.
template <typename Rule>
std::vector<Rule> PartOf(const std::vector<Rule>& rules, driver::Shard shard) {
  std::vector<Rule> part;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (shard.Has(i)) part.push_back(rules[i]);
  }
  return part;
}

// "a.rules, b.rules", and the command that audits them.
std::string FilesOf(const Options& options, const char* between, bool quoted) {
  std::string files;
  if (options.values)
    files = quoted ? "--values" : "the built-in rules about values";
  else if (options.builtin || options.files.empty())
    files = quoted ? "--builtin" : "the built-in rules";
  for (const std::string& file : options.files)
    files += (files.empty() ? "" : between) + (quoted ? driver::ShellQuoted(file) : file);
  return files;
}

// Given maps, generated ones, or both: which of them when nothing is said.
uint64_t NumRuns(const Options& options) {
  if (options.runs) return *options.runs;
  if (!options.maps.empty()) return 0;
  return options.program.limits.max_seconds > 0 ? UINT64_MAX : driver::ProgramAuditOptions().runs;
}

int RunProgram(Options& options) {
  if (options.report.format() == "sarif") {
    return Report(MakeError("--format: a program has no lines, expected another than sarif"));
  }
  driver::ProgramAuditOptions& how = options.program;
  how.command = *options.command;
  if (llvm::StringRef(how.command).trim().empty()) {
    return Report(MakeError("--program: expected a shell command"));
  }
  if (!options.maps.empty()) {
    auto input = ReadInput(options.maps, "maps");
    if (!input) return Report(input.takeError());
    auto maps = driver::MapTexts(input->text, input->name);
    if (!maps) return Report(maps.takeError());
    how.maps = std::move(*maps);
  }
  how.runs = NumRuns(options);
  if (how.runs == 0 && how.maps.empty()) {
    return Report(MakeError("--runs: expected at least one map, generated or of --maps"));
  }
  how.jobs = options.jobs;
  how.idempotence = !options.no_idempotence;
  if (options.terms == "all") how.language = fuzz::TermLanguage::kAll;
  Progress progress;
  how.progress = [&](const std::string& what) { progress.Show(what); };
  auto report = driver::AuditProgram(how);
  progress.Clear();
  if (!report) return Report(report.takeError());
  if (!options.save.empty()) {
    if (llvm::Error error = driver::SaveFindings(*report, options.save)) {
      return Report(std::move(error));
    }
  }
  driver::RunReport run = driver::ToRunReport(*report);
  if (options.report.format() == "markdown") {
    driver::PrintMarkdown(*report, llvm::outs());
    return report->status();
  }
  // The summary is the whole: causes are few, and each has its map.
  if (options.report.text()) {
    driver::PrintReport(*report, llvm::outs());
    options.report.Compare(run);
    if (options.report.has_baseline()) options.report.PrintText(run, llvm::outs());
    return options.report.Finish({run});
  }
  return options.report.Print(
      {run}, [](llvm::raw_ostream&) {},
      [&](llvm::json::OStream& json) { driver::WriteAttributes(json, *report); });
}

int RunValueRules(Options& options, llvm::ArrayRef<driver::Input> files, driver::Shard shard) {
  auto rules = GatherValueRules(options, files);
  if (!rules) return Report(rules.takeError());
  driver::ValueAuditReport report{.rules = {},
                                  .with_mutants = options.mutants,
                                  .claims_equality = llvm::any_of(*rules, driver::ClaimsEquality)};
  *rules = PartOf(*rules, shard);
  Progress progress;
  std::optional<llvm::Error> failed;
  using Result = std::shared_ptr<llvm::Expected<driver::ValueRuleReport>>;
  driver::OrderedParallelFor<Result>(
      options.jobs, std::ssize(*rules),
      [&](int64_t i) {
        return std::make_shared<llvm::Expected<driver::ValueRuleReport>>(
            driver::AuditValueRule((*rules)[static_cast<size_t>(i)], options.mutants));
      },
      [&](Result& one) {
        if (*one) {
          report.rules.push_back(std::move(**one));
        } else if (!failed) {
          failed.emplace(one->takeError());
        } else {
          llvm::consumeError(one->takeError());
        }
        progress.Show("rule " + llvm::Twine(report.rules.size()) + " of " +
                      llvm::Twine(rules->size()));
      });
  progress.Clear();
  if (failed) return Report(std::move(*failed));
  return options.report.Print(
      {driver::ToRunReport(report, FilesOf(options, ", ", false),
                           "affirm audit " + FilesOf(options, " ", true))},
      [&](llvm::raw_ostream& os) {
        driver::PrintReport(report, os, options.report.verbosity() > 1);
      },
      [&](llvm::json::OStream& json) {
        for (auto& [key, value] : ToJson(report)) json.attribute(key, value);
        WriteShard(json, options.shard, files);
      });
}

int PrintCoq(llvm::ArrayRef<Rule> rules) {
  auto text = rules::CoqAttempts(rules);
  if (!text) return Report(text.takeError());
  llvm::outs() << *text;
  return kSuccess;
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  if (options.command) return RunProgram(options);
  auto shard = driver::ParseShard(options.shard);
  if (!shard) return Report(shard.takeError());
  auto files = ReadFiles(options);
  if (!files) return Report(files.takeError());
  auto of_values = AreAboutValues(options, *files);
  if (!of_values) return Report(of_values.takeError());
  if (*of_values && options.coq) {
    auto rules = GatherValueRules(options, *files);
    if (!rules) return Report(rules.takeError());
    llvm::outs() << value_rules::CoqFileOf(PartOf(*rules, *shard));
    return kSuccess;
  }
  if (*of_values) return RunValueRules(options, *files, *shard);
  auto rules = Gather(options, *files);
  if (!rules) return Report(rules.takeError());
  *rules = PartOf(*rules, *shard);
  if (options.coq) return PrintCoq(*rules);
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
  return options.report.Print(
      {driver::ToRunReport(report, FilesOf(options, ", ", false),
                           "affirm audit " + FilesOf(options, " ", true))},
      [&](llvm::raw_ostream& os) {
        driver::PrintReport(report, os, options.report.verbosity() > 1);
      },
      [&](llvm::json::OStream& json) {
        for (auto& [key, value] : ToJson(report)) json.attribute(key, value);
        json.attribute("counts", driver::CountsOf(report).ToJson());
        WriteShard(json, options.shard, *files);
      });
}

}  // namespace

void AddProgramOptions(Verb& verb, Options& options) {
  OptionHandle program = verb.Find("--program");
  driver::ProgramAuditOptions& how = options.program;
  for (const char* of_rules : {"FILES", "--builtin", "--values", "--mutants", "--coq", "--shard"}) {
    program.Excludes(verb.Find(of_rules));
  }
  verb.Option("--maps", options.maps,
              "--program: a file of maps to ask about, or -; no others, unless --runs says so")
      .Needs(program);
  verb.Option(
          "--runs", options.runs,
          "--program: how many generated maps (10000; with --maps none; with --max-time as many "
          "as there is time for)")
      .Within(0, INT64_MAX)
      .Needs(program);
  verb.Option("--seed", how.seed, "--program: of the generated maps").Needs(program).ShowDefault();
  verb.Option("--terms", options.terms,
              "--program: affine: + - * floordiv mod; all: also ceildiv, min, max, products")
      .OneOf({"affine", "all"})
      .Needs(program)
      .ShowDefault();
  verb.Option("--timeout", how.limits.timeout_seconds,
              "--program: seconds after which one start of it, for a batch of maps, hangs")
      .Above(0)
      .Needs(program)
      .ShowDefault();
  verb.Option("--max-time,--time-limit", how.limits.max_seconds,
              "--program: stop after this many seconds (0: don't)")
      .AtLeast(0)
      .Needs(program)
      .ShowDefault();
  verb.Flag("--no-idempotence", options.no_idempotence,
            "--program: do not ask it about its own answers")
      .Needs(program);
  verb.Option("--save", options.save, "--program: a folder for findings, a file each")
      .Needs(program);
}

void AddAudit(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb =
      line.Add("audit", "Prove or refute rewrite rules, or what another simplifier answers");
  verb.Option("FILES", options->files, "Rule files, or - (default: the built-in rules)");
  verb.Flag("--builtin", options->builtin, "The built-in rules, too");
  verb.Flag("--values", options->values, "The built-in rules about values (affirm rules --values)");
  verb.Flag("--mutants", options->mutants, "Also break each rule: the mutants must fall");
  options->report.AddTo(verb);
  verb.Flag("--coq", options->coq,
            "Print the rules as propositions for Coq, with attempts to prove them, instead")
      .Excludes(verb.Find("--mutants"))
      .Excludes(verb.Find("--json"))
      .Excludes(verb.Find("--report"));
  options->memory.AddTo(verb, /*with_time=*/false);
  AddJobs(verb, options->jobs);
  verb.Option("--shard", options->shard, "I/N: only the rules whose number is I modulo N");
  verb.Option("--program", options->command,
              "A shell command that reads maps, blank lines between them, and prints them "
              "simplified: audit that instead of rules");
  AddProgramOptions(verb, *options);
  verb.Footer(
      "Example:\n"
      "  $ affirm audit - <<'END'\n"
      "  rule wrong: (x + y) floordiv c  =>  x floordiv c + y floordiv c\n"
      "    when c > 0\n"
      "    why  it is not so\n"
      "  END\n"
      "  $ affirm audit - <<'END'\n"
      "  rule wrong: x + 0.0  =>  x\n"
      "    with  x : T for T in {f16, f32}\n"
      "    class exact\n"
      "    why   it is not so of -0.0\n"
      "  END\n"
      "  $ affirm audit --coq mine.rules > mine.v && coqc mine.v\n"
      "  $ affirm audit --program other-simplify --runs 20000 --format markdown > findings.md");
  verb.Run([options] {
    return options->memory.Run("audit", FilesOf(*options, ", ", false), options->jobs,
                               options->report, [&] { return Run(*options); });
  });
}

}  // namespace affirm::cli
