// affirm equiv: are two maps the same function into sets? Do two HLO modules compute the same?
#include <array>

#include "core/hlo/verifier.h"
#include "core/symbolic/error.h"
#include "driver/equivalence/equivalence.h"
#include "driver/reports/affine_text.h"
#include "driver/reports/equiv.h"
#include "driver/shell_command.h"
#include "llvm/ADT/StringExtras.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/lemma_options.h"
#include "tools/affirm/limit_options.h"
#include "tools/affirm/meaning_options.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string map_a, map_b, shard, allow;
  bool jsonl = false, mlir = false, hlo = false;
  ReportFlags report;
  driver::EquivalenceOptions equivalence;
  driver::EquivQuery query;
  DecideFlags decide;
  MeaningFlags meanings;
  LimitFlags limits{600};  // of one pair of maps or modules
  LemmaFlags lemmas;
};

// A map that was named: a text, or a file that holds one.
struct MapArgument {
  std::string option;  // of a text: --map-a or --map-b
  std::string given;

  // Where an error of its map stands.
  std::string Where() const {
    if (!option.empty()) return option == "--map-a" ? "<first>:1:1" : "<second>:1:1";
    return (given == "-" ? "<stdin>" : given) + ":1:1";
  }
  // Standard input is gone when the answer is there: then the map as it was read.
  std::string Replay(const IndexingMap& map, const char* as) const {
    if (option.empty() && given != "-") return " " + driver::ShellQuoted(given);
    return std::string(" ") + as + " " +
           driver::ShellQuoted(option.empty() ? map.ToString() : given);
  }
};

using MapArguments = std::array<MapArgument, 2>;

// An error unless there are two.
llvm::Expected<MapArguments> ArgumentsOf(const Options& options) {
  std::vector<MapArgument> arguments;
  if (!options.map_a.empty()) arguments.push_back({"--map-a", options.map_a});
  for (const std::string& given : options.files) {
    const char* option = arguments.empty() ? "--map-a" : "--map-b";
    const bool is_text = driver::IsMapText(given) || driver::LooksAffine(given);
    arguments.push_back({is_text ? option : "", given});
  }
  if (!options.map_b.empty()) arguments.push_back({"--map-b", options.map_b});
  if (arguments.size() == 2) return MapArguments{arguments[0], arguments[1]};
  return MakeError("equiv: expected two maps, each a text or a file of its own, found " +
                   llvm::Twine(arguments.size()));
}

llvm::Expected<driver::AffinePair> ReadPair(const MapArguments& arguments, Context& context) {
  const auto& [first, second] = arguments;
  if (driver::LooksAffine(first.given) || driver::LooksAffine(second.given))
    return driver::ReadAffinePair(first.given, second.given, context, "<first>", "<second>");
  auto read = [&](const MapArgument& of) {
    return of.option.empty() ? ReadMap(of.given, context) : driver::ReadMapText(of.given, context);
  };
  auto a = read(first);
  if (!a) return a.takeError();
  auto b = read(second);
  if (!b) return b.takeError();
  if (llvm::Error error = driver::CheckSamePoints(*a, *b, second.Where())) return error;
  return driver::AffinePair{std::move(*a), std::move(*b), ""};
}

// The answer as a report.
driver::RunReport ReportOf(const driver::EquivQuery& query, const MapProofResult& answer,
                           const driver::AffinePair& maps, const MapArguments& arguments) {
  const auto& [first, second] = arguments;
  driver::ReportRecord record = driver::RecordOf(query.relation, answer, maps.a, second.given, {});
  // A file may hold another map the next time.
  record.aspect = maps.a.ToString() + " and " + maps.b.ToString();
  record.replay = "affirm equiv --relation " + query.relation + first.Replay(maps.a, "--map-a") +
                  second.Replay(maps.b, "--map-b");
  const std::string verdict = query.VerdictName(answer.verdict);
  return {.verb = "equiv",
          .file = first.given,
          .headline = first.given + " and " + second.given,
          .coverage = {{"maps", "one pair, relation " + query.relation, answer.ms}},
          .records = {std::move(record)},
          .verdict = verdict,
          .verdict_line = verdict,
          .outcome = answer.verdict};
}

int Single(Options& options) {
  const driver::EquivQuery& query = options.query;
  auto arguments = ArgumentsOf(options);
  if (!arguments) return Report(arguments.takeError());
  Context context;
  auto maps = ReadPair(*arguments, context);
  if (!maps) return Report(maps.takeError());
  const auto& [a, b, reading] = *maps;
  MapProofResult answer = query.Ask(a, b);
  if (llvm::Error error = driver::WriteCertificate(query, query.relation, answer, a, b))
    return Report(std::move(error));
  driver::RunReport report = ReportOf(query, answer, *maps, *arguments);
  if (options.report.json()) {
    llvm::outs() << driver::AnswerLine(nullptr, query, answer, 0, reading);
  } else if (options.report.text()) {
    llvm::outs() << query.VerdictName(answer.verdict) << " (" << Name(answer.engine) << ", "
                 << Fixed(answer.ms, 1) << " ms)\n";
    if (!reading.empty()) llvm::outs() << "  " << reading << "\n";
    if (answer.counterexample) llvm::outs() << "  " << answer.counterexample->ToString(a) << "\n";
    if (answer.verdict == Verdict::kUnknown) llvm::outs() << "  " << answer.reason << "\n";
  }
  options.report.Compare(report);
  return options.report.Finish({report});
}

// The options that say when two modules are equal.
std::string EqualityOptions(const Options& options) {
  std::string text;
  if (options.equivalence.ulp > 0) text += " --ulp " + std::to_string(options.equivalence.ulp);
  if (options.equivalence.rounding) text += " --rounding";
  if (!options.allow.empty()) text += " --allow " + driver::ShellQuoted(options.allow);
  return text + options.meanings.ToString();
}

// The command that gives the same answer again.
std::string ReplayOf(const Options& options) {
  return "affirm equiv --hlo " + driver::ShellQuoted(options.files[0]) + " " +
         driver::ShellQuoted(options.files[1]) + " --seed " +
         std::to_string(options.equivalence.seed) + EqualityOptions(options);
}

int Modules(Options& options) {
  for (llvm::StringRef law : llvm::split(options.allow, ',')) {
    if (!law.trim().empty()) options.equivalence.allowed_laws.push_back(law.trim().str());
  }
  if (options.files.size() != 2) {
    return Report(
        MakeError("equiv --hlo: expected two files, found " + llvm::Twine(options.files.size())));
  }
  auto meanings = options.meanings.Get();
  if (!meanings) return Report(meanings.takeError());
  std::vector<std::unique_ptr<hlo::Module>> modules;
  for (const std::string& file : options.files) {
    auto read = ReadOneExpandedModule(file, *meanings, UnknownOpcodes::kAllow);
    if (!read) return Report(read.takeError());
    if (llvm::Error error = hlo::VerifyArguments(**read, file)) return Report(std::move(error));
    modules.push_back(std::move(*read));
  }
  auto equivalence = driver::CompareModules(*modules[0], *modules[1], options.equivalence);
  if (!equivalence) {
    return Report(MakeError(options.files[1] + ":1:1: error: against " + options.files[0] + ": " +
                            MessageOf(equivalence.takeError())));
  }
  const std::string replay = ReplayOf(options);
  driver::RunReport report =
      driver::ToRunReport(*equivalence, options.files[0], options.files[1], replay);
  report.asked = "--hlo " + options.files[0] + EqualityOptions(options);
  if (options.report.text()) {
    // A line for each result is a summary.
    driver::PrintReport(llvm::outs(), *equivalence, replay);
    options.report.Compare(report);
    return options.report.Finish({report});
  }
  return options.report.Print(
      {report}, [](llvm::raw_ostream&) {},
      [&](llvm::json::OStream& json) { driver::WriteAttributes(json, *equivalence, replay); });
}

std::string NameOfPair(const Options& options) {
  std::vector<std::string> names = options.files;
  if (!options.map_a.empty()) names.insert(names.begin(), options.map_a);
  if (!options.map_b.empty()) names.push_back(options.map_b);
  return names.empty() ? "<stdin>" : llvm::join(names, " and ");
}

// Many pairs: a line for each as it is answered, or, in any other format, all at the end.
int Pairs(Options& options) {
  const bool lines = options.report.text() || options.report.json();
  std::vector<driver::ReportRecord> records;
  auto keep = [&](driver::ReportRecord record) {
    if (options.report.wants_records()) records.push_back(std::move(record));
  };
  int status = kSuccess;
  if (options.jsonl) {
    status = driver::EquivStream(options.query, lines, keep);
  } else {
    status = driver::EquivMlir(options.query, options.files, options.report.output(), keep);
  }
  if (!options.report.wants_records()) return status;
  std::string names;
  for (const std::string& file : options.files) names += (names.empty() ? "" : " and ") + file;
  driver::RunReport report =
      driver::ReportOfPairs(options.query, options.jsonl ? "<stdin>" : names, std::move(records));
  report.bad_input = status == kBadInput;
  if (report.bad_input) report.verdict_line = "bad input; of the others: " + report.verdict_line;
  options.report.Compare(report);
  // The status of findings, of which a baseline may know some; and of what could not be read.
  return options.report.Finish({std::move(report)});
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  if (options.hlo) return Modules(options);
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  auto shard = driver::ParseShard(options.shard);
  if (!shard) return Report(shard.takeError());
  options.query.decide = *decide;
  options.query.shard = *shard;
  if (options.jsonl || options.mlir) return Pairs(options);
  return Single(options);
}

}  // namespace

void AddEquiv(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("equiv", "Decide whether two maps, or two HLO modules, are the same");
  OptionHandle maps = verb.Option("MAPS", options->files,
                                  "Two files with a map each (- for standard input), or texts of "
                                  "maps, affine_map<...>\n"
                                  "or affine_set<...>; with --mlir "
                                  "MLIR files, with --hlo two HLO files")
                          .Count(0, 2);
  verb.Option("--map-a", options->map_a, "The first map, as text");
  verb.Option("--map-b", options->map_b, "The second map, as text");
  verb.Option("--relation", options->query.relation,
              "equal: the same sets; covers: each set of B lies inside A's")
      .OneOf({"equal", "covers"})
      .ShowDefault();
  OptionHandle jsonl =
      verb.Flag("--jsonl", options->jsonl,
                "Read lines {id, lhs, rhs} from standard input, print {id, verdict, "
                "counterexample?, engine, ms}")
          .Excludes(maps);
  verb.Flag("--mlir", options->mlir,
            "Two files: their #xla.indexing_map attributes, in order. One file: those before "
            "and after each pass, as -mlir-print-ir-before-all and -after-all print them")
      .Excludes(jsonl);
  OptionHandle hlo =
      verb.Flag("--hlo", options->hlo,
                "Two HLO modules: each result is proved equal for all arguments, or both are "
                "executed on directed arguments; what is executed without a difference is unknown")
          .Excludes(jsonl);
  verb.Option("--seed", options->equivalence.seed, "--hlo: of the arguments").Needs(hlo);
  verb.Option("--ulp", options->equivalence.ulp,
              "--hlo: how many units in the last place executed floats may lie apart")
      .Within(0, INT64_MAX)
      .ShowDefault()
      .Needs(hlo);
  verb.Flag("--rounding", options->equivalence.rounding,
            "--hlo: executed floats may lie apart as far as the roundings of both modules bring "
            "them (docs/equivalence.md)")
      .Needs(hlo);
  verb.Option("--allow", options->allow,
              "--hlo: laws that change roundings and hold all the same, with commas, such as "
              "add.reassociate (docs/equivalence.md)")
      .Needs(hlo);
  options->report.AddTo(verb);
  options->limits.AddTo(verb);
  options->lemmas.AddTo(verb, hlo);
  AddJobs(verb, options->query.jobs);
  verb.Option("--certificates", options->query.certificates,
              "Write a certificate of each proved pair of maps to this folder, for affirm-check")
      .Excludes(hlo);
  verb.Option("--shard", options->shard, "--jsonl: I/N, only every Nth line, from line I on");
  options->meanings.AddTo(verb);
  options->decide.AddTo(verb);
  verb.Footer(
      "Example:\n"
      "  $ affirm equiv --map-a '(d0) -> (d0 mod 4), domain: d0 in [0, 7]' \\\n"
      "                 --map-b '(d0) -> (d0), domain: d0 in [0, 7]'\n"
      "  different (enumeration, 0.1 ms)\n"
      "    d0 = 4: lhs {(0)}, rhs {(4)}\n"
      "  $ affirm equiv --hlo before.hlo after.hlo\n"
      "  result 0  f32[8,4]  proved (terms, 0.2 ms)\n"
      "  verdict: equal");
  verb.Run([options] {
    options->lemmas.Begin();
    // Each of many pairs has a budget of its own.
    const bool many = options->jsonl || options->mlir;
    const LimitFlags limits = many ? options->limits.OfMemory() : options->limits;
    return limits.Run("equiv", NameOfPair(*options), options->query.jobs, options->report,
                      [&] { return Run(*options); });
  });
}

}  // namespace affirm::cli
