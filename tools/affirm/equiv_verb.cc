// affirm equiv: are two maps the same function into sets?
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "core/symbolic/error.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/decide_options.h"
#include "tools/affirm/shard.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string map_a, map_b;
  std::string relation = "equal";
  std::string shard;
  bool jsonl = false, json = false;
  DecideFlags decide;
};

MapAnswer Ask(const Options& options, const DecideOptions& decide, const IndexingMap& a,
              const IndexingMap& b) {
  return options.relation == "covers" ? ProveCovers(a, b, decide) : ProveEqual(a, b, decide);
}

const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kProved:
      return "equal";
    case Verdict::kRefuted:
      return "different";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "unknown";
}

// {id, verdict, counterexample?, reason?, engine, ms, line?}; for `covers`, "equal" reads "covers".
// The line is that of the question, for `affirm merge`; 0: there is none.
void WriteAnswer(llvm::raw_ostream& os, const llvm::json::Value& id, const Options& options,
                 const MapAnswer& answer, int64_t line = 0) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("id", id);
    bool covers = options.relation == "covers" && answer.verdict == Verdict::kProved;
    json.attribute("verdict", covers ? "covers" : VerdictName(answer.verdict));
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
  os << "\n";
}

// llvm::json reads nested values by recursion: a line that nests deeply is refused before.
bool NestsTooDeeply(llvm::StringRef line) {
  constexpr int kMaxNesting = 100;
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxNesting) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// A line of standard input without its end; nullopt at the end of the input. Of a line longer than
// `limit` only the beginning is kept, and `too_long` is set.
std::optional<std::string> ReadLine(size_t limit, bool& too_long) {
  std::string line;
  too_long = false;
  int c;
  while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
    if (line.size() < limit) {
      line.push_back(static_cast<char>(c));
    } else {
      too_long = true;
    }
  }
  if (c == EOF && line.empty()) return std::nullopt;
  return line;
}

llvm::Expected<MapAnswer> AnswerLine(const llvm::json::Object& object, const Options& options,
                                     const DecideOptions& decide, const std::string& where) {
  auto lhs = object.getString("lhs"), rhs = object.getString("rhs");
  if (!lhs || !rhs) {
    return MakeError(where + ":1: error: expected the strings \"lhs\" and \"rhs\"");
  }
  Context context;  // per line, so that memory does not grow with the stream
  auto a = ParseIndexingMap(*lhs, context, where + ":lhs");
  if (!a) return a.takeError();
  auto b = ParseIndexingMap(*rhs, context, where + ":rhs");
  if (!b) return b.takeError();
  return Ask(options, decide, *a, *b);
}

void WriteError(const llvm::json::Value& id, llvm::StringRef message, int64_t line) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("id", id);
    json.attribute("error", JsonText(message));
    if (line > 0) json.attribute("line", line);
  });
  llvm::outs() << "\n";
  llvm::outs().flush();
}

int Stream(const Options& options, const DecideOptions& decide, Shard shard) {
  constexpr size_t kMaxLine = size_t{64} << 20;
  int status = kAllWell;
  int64_t number = 0;
  Progress progress;
  bool too_long = false;
  while (auto line = ReadLine(kMaxLine, too_long)) {
    ++number;
    if (llvm::StringRef(*line).trim().empty() || !shard.Has(number - 1)) continue;
    progress.Show("line " + llvm::Twine(number));
    std::string where = "<stdin>:" + std::to_string(number);
    llvm::json::Value id = nullptr;
    auto fail = [&](llvm::StringRef message) {
      WriteError(id, message, shard.IsWhole() ? 0 : number);
      status = kBadInput;
    };
    if (too_long || NestsTooDeeply(*line)) {
      fail(where + ":1: error: line is too long or nests too deeply, expected {id, lhs, rhs}");
      continue;
    }
    auto value = llvm::json::parse(*line);
    if (!value) {
      fail(where + ":1: error: not JSON: " + MessageOf(value.takeError()));
      continue;
    }
    const llvm::json::Object* object = value->getAsObject();
    if (!object) {
      fail(where + ":1: error: expected a JSON object {id, lhs, rhs}");
      continue;
    }
    if (const llvm::json::Value* given = object->get("id")) id = *given;
    auto answer = AnswerLine(*object, options, decide, where);
    if (!answer) {
      fail(MessageOf(answer.takeError()));
      continue;
    }
    progress.Clear();
    WriteAnswer(llvm::outs(), id, options, *answer, shard.IsWhole() ? 0 : number);
    llvm::outs().flush();
    status = Worse(status, StatusOf(answer->verdict));
  }
  return status;
}

int Single(const Options& options, const DecideOptions& decide) {
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
  MapAnswer answer = Ask(options, decide, *a, *b);
  if (options.json) {
    WriteAnswer(llvm::outs(), nullptr, options, answer);
    return StatusOf(answer.verdict);
  }
  bool covers = options.relation == "covers" && answer.verdict == Verdict::kProved;
  llvm::outs() << (covers ? "covers" : VerdictName(answer.verdict)) << " (" << Name(answer.engine)
               << ", " << Fixed(answer.ms, 1) << " ms)\n";
  if (answer.counterexample) llvm::outs() << "  " << answer.counterexample->ToString(*a) << "\n";
  if (answer.verdict == Verdict::kUnknown) llvm::outs() << "  " << answer.reason << "\n";
  return StatusOf(answer.verdict);
}

int Run(const Options& options) {
  auto decide = options.decide.Get();
  if (!decide) return Report(decide.takeError());
  auto shard = ParseShard(options.shard);
  if (!shard) return Report(shard.takeError());
  return options.jsonl ? Stream(options, *decide, *shard) : Single(options, *decide);
}

}  // namespace

void AddEquiv(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("equiv", "Decide whether two maps are the same");
  verb->add_option("MAPS", options->files,
                   "Two files with a map each (- for standard input), or "
                   "map texts")
      ->expected(0, 2);
  verb->add_option("--map-a", options->map_a, "The first map, as text");
  verb->add_option("--map-b", options->map_b, "The second map, as text");
  verb->add_option("--relation", options->relation,
                   "equal: the same sets; covers: each set of B lies inside A's")
      ->check(CLI::IsMember({"equal", "covers"}))
      ->capture_default_str();
  verb->add_flag("--jsonl", options->jsonl,
                 "Read lines {id, lhs, rhs}, print {id, verdict, counterexample?, engine, ms}");
  verb->add_flag("--json", options->json, "Print JSON");
  verb->add_option("--shard", options->shard, "--jsonl: I/N, only every Nth line, from line I on");
  options->decide.AddTo(*verb);
  verb->footer(
      "Example:\n"
      "  $ affirm equiv --map-a '(d0) -> (d0 mod 4), domain: d0 in [0, 7]' \\\n"
      "                 --map-b '(d0) -> (d0), domain: d0 in [0, 7]'\n"
      "  different (enumeration, 0.1 ms)\n"
      "    d0 = 4: lhs {(0)}, rhs {(4)}");
  verb->callback([options, &status] { status = Run(*options); });
}

}  // namespace affirm::cli
