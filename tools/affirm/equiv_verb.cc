// affirm equiv: are two maps the same function into sets?
#include "core/symbolic/error.h"
#include "driver/reports/equiv.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string map_a, map_b, shard;
  bool jsonl = false, mlir = false, json = false;
  driver::EquivQuery query;
  DecideFlags decide;
};

int Single(const Options& options) {
  const driver::EquivQuery& query = options.query;
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
  MapProofResult answer = query.Ask(*a, *b);
  if (options.json) {
    llvm::outs() << driver::AnswerLine(nullptr, query, answer);
    return StatusOf(answer.verdict);
  }
  llvm::outs() << query.VerdictName(answer.verdict) << " (" << Name(answer.engine) << ", "
               << Fixed(answer.ms, 1) << " ms)\n";
  if (answer.counterexample) llvm::outs() << "  " << answer.counterexample->ToString(*a) << "\n";
  if (answer.verdict == Verdict::kUnknown) llvm::outs() << "  " << answer.reason << "\n";
  return StatusOf(answer.verdict);
}

int Run(Options& options) {
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  auto shard = driver::ParseShard(options.shard);
  if (!shard) return Report(shard.takeError());
  options.query.decide = *decide;
  options.query.shard = *shard;
  if (options.jsonl) return driver::EquivStream(options.query);
  if (options.mlir) return driver::EquivMlir(options.query, options.files, options.json);
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
  verb.Flag("--json", options->json, "Print JSON");
  AddJobs(verb, options->query.jobs);
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
