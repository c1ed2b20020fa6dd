// affirm equiv: are two maps the same function into sets?
#include "core/symbolic/error.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/equiv.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {

MapAnswer EquivQuestion::Ask(const IndexingMap& a, const IndexingMap& b) const {
  return relation == "covers" ? ProveCovers(a, b, decide) : ProveEqual(a, b, decide);
}

const char* EquivQuestion::VerdictName(Verdict verdict) const {
  switch (verdict) {
    case Verdict::kProved:
      return relation == "covers" ? "covers" : "equal";
    case Verdict::kRefuted:
      return "different";
    case Verdict::kUnknown:
      break;
  }
  return "unknown";
}

std::string AnswerLine(const llvm::json::Value& id, const EquivQuestion& question,
                       const MapAnswer& answer, int64_t line) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("id", id);
    json.attribute("verdict", question.VerdictName(answer.verdict));
    if (answer.counterexample) {
      json.attributeBegin("counterexample");
      WriteCounterexample(json, *answer.counterexample);
      json.attributeEnd();
    }
    if (answer.verdict == Verdict::kUnknown) json.attribute("reason", JsonText(answer.reason));
    json.attribute("engine", Name(answer.engine));
    json.attributeBegin("ms");
    json.rawValue(Fixed(answer.ms, 3));
    json.attributeEnd();
    if (line > 0) json.attribute("line", line);
  });
  return text + "\n";
}

std::string ErrorLine(const llvm::json::Value& id, llvm::StringRef message, int64_t line) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("id", id);
    json.attribute("error", JsonText(message));
    if (line > 0) json.attribute("line", line);
  });
  return text + "\n";
}

namespace {

struct Options {
  std::vector<std::string> files;
  std::string map_a, map_b, shard;
  bool jsonl = false, mlir = false, json = false;
  EquivQuestion question;
  DecideFlags decide;
};

int Single(const Options& options) {
  const EquivQuestion& question = options.question;
  std::vector<std::string> arguments = options.files;
  if (!options.map_a.empty()) arguments.insert(arguments.begin(), options.map_a);
  if (!options.map_b.empty()) arguments.push_back(options.map_b);
  if (arguments.size() != 2) {
    return Report(MakeError("equiv: expected two maps, found " + llvm::Twine(arguments.size())));
  }
  Context context;
  auto a = ReadMap(arguments[0], context);
  if (!a) return Report(a.takeError());
  auto b = ReadMap(arguments[1], context);
  if (!b) return Report(b.takeError());
  MapAnswer answer = question.Ask(*a, *b);
  if (options.json) {
    llvm::outs() << AnswerLine(nullptr, question, answer);
    return StatusOf(answer.verdict);
  }
  llvm::outs() << question.VerdictName(answer.verdict) << " (" << Name(answer.engine) << ", "
               << Fixed(answer.ms, 1) << " ms)\n";
  if (answer.counterexample) llvm::outs() << "  " << answer.counterexample->ToString(*a) << "\n";
  if (answer.verdict == Verdict::kUnknown) llvm::outs() << "  " << answer.reason << "\n";
  return StatusOf(answer.verdict);
}

int Run(Options& options) {
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  auto shard = ParseShard(options.shard);
  if (!shard) return Report(shard.takeError());
  options.question.decide = *decide;
  options.question.shard = *shard;
  if (options.jsonl) return EquivStream(options.question);
  if (options.mlir) return EquivMlir(options.question, options.files, options.json);
  return Single(options);
}

}  // namespace

void AddEquiv(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("equiv", "Decide whether two maps are the same");
  OptionHandle maps =
      verb.Option("MAPS", options->files,
                  "Two files with a map each (- for standard input), or map texts; with --mlir "
                  "MLIR files")
          .Count(0, 2);
  verb.Option("--map-a", options->map_a, "The first map, as text");
  verb.Option("--map-b", options->map_b, "The second map, as text");
  verb.Option("--relation", options->question.relation,
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
  verb.Flag("--json", options->json, "Print JSON");
  AddJobs(verb, options->question.jobs);
  verb.Option("--shard", options->shard, "--jsonl: I/N, only every Nth line, from line I on");
  options->decide.AddTo(verb);
  verb.Footer(
      "Example:\n"
      "  $ affirm equiv --map-a '(d0) -> (d0 mod 4), domain: d0 in [0, 7]' \\\n"
      "                 --map-b '(d0) -> (d0), domain: d0 in [0, 7]'\n"
      "  different (enumeration, 0.1 ms)\n"
      "    d0 = 4: lhs {(0)}, rhs {(4)}");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
