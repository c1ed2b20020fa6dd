// affirm merge: one report from those of the shards of fuzz, audit or equiv --jsonl.
#include <algorithm>

#include "core/symbolic/error.h"
#include "driver/campaign/campaign.h"
#include "driver/campaign/mutants.h"
#include "llvm/Support/FormatVariadic.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

struct Options {
  std::vector<std::string> files;
  bool json = false;
};

// The part of the work behind a report, which the report says itself.
struct Part {
  std::string file;
  uint64_t shard = 0;
  Object object;
};

llvm::Error Refuse(const std::string& file, const llvm::Twine& why) {
  return MakeError(file + ":1:1: error: " + why);
}

// One report of the parts: `read` makes a report of an object, Merge adds it to those before.
template <typename Report>
int MergeReports(const std::vector<Part>& parts, bool json,
                 llvm::Expected<Report> (*read)(const Object&)) {
  std::optional<Report> whole;
  for (const Part& part : parts) {
    auto report = read(part.object);
    if (!report) return cli::Report(Refuse(part.file, MessageOf(report.takeError())));
    if (!whole) {
      whole = std::move(*report);
    } else if (llvm::Error error = Merge(*whole, *report)) {
      return cli::Report(Refuse(part.file, MessageOf(std::move(error))));
    }
  }
  if (json) {
    llvm::outs() << llvm::formatv("{0:2}", driver::ToJson(*whole)) << "\n";
  } else {
    driver::PrintReport(*whole, llvm::outs());
  }
  return whole->status();
}

// Which verb, and which target of `fuzz`, a report is of.
enum class Kind : uint8_t { kAudit, kFuzz, kMutants };

Kind KindOf(const Object& object) {
  if (object.getArray("rules")) return Kind::kAudit;
  return object.getString("target") == "mutants" ? Kind::kMutants : Kind::kFuzz;
}

// Rules in the order of the whole: number k of shard i of n was number k * n + i.
int MergeAudits(std::vector<Part> parts) {
  llvm::stable_sort(parts, [](const Part& a, const Part& b) { return a.shard < b.shard; });
  Array rules;
  int64_t counts[3] = {};
  const char* const kCounts[3] = {"proved", "refuted", "unknown"};
  int64_t status = kSuccess;
  for (size_t k = 0, added = 1; added > 0; ++k) {
    added = 0;
    for (Part& part : parts) {
      Array* from = part.object.getArray("rules");
      if (!from || k >= from->size()) continue;
      rules.push_back(std::move((*from)[k]));
      ++added;
    }
  }
  for (const Part& part : parts) {
    for (int i = 0; i < 3; ++i) counts[i] += part.object.getInteger(kCounts[i]).value_or(0);
    int64_t its = part.object.getInteger("status").value_or(kBadInput);
    status = Worse(static_cast<int>(status), static_cast<int>(std::clamp<int64_t>(its, 0, 3)));
  }
  Value document = Object{{"rules", std::move(rules)},
                          {kCounts[0], counts[0]},
                          {kCounts[1], counts[1]},
                          {kCounts[2], counts[2]},
                          {"status", status}};
  llvm::outs() << llvm::formatv("{0:2}", document) << "\n";
  return static_cast<int>(status);
}

int StatusOfAnswer(const Object& answer) {
  llvm::StringRef verdict = answer.getString("verdict").value_or("");
  if (verdict == "different") return kDifferent;
  if (verdict == "unknown") return kUnknown;
  return verdict.empty() ? kBadInput : kSuccess;
}

// Answers in the order of the lines that were asked.
int MergeAnswers(std::vector<Object> answers) {
  llvm::stable_sort(answers, [](const Object& a, const Object& b) {
    return a.getInteger("line").value_or(0) < b.getInteger("line").value_or(0);
  });
  int status = kSuccess;
  for (Object& answer : answers) {
    status = Worse(status, StatusOfAnswer(answer));
    answer.erase("line");
    llvm::outs() << Value(std::move(answer)) << "\n";
  }
  return status;
}

// The objects of a file: one document, or a line each.
llvm::Expected<std::vector<Object>> ReadObjects(const std::string& file) {
  auto input = ReadInput(file, "a report in JSON");
  if (!input) return input.takeError();
  std::vector<Object> objects;
  auto add = [&](llvm::StringRef text, int64_t line) -> llvm::Error {
    auto value = llvm::json::parse(text);
    std::string place = input->name + ":" + std::to_string(line) + ":1: error: ";
    if (!value) return MakeError(place + "not JSON: " + MessageOf(value.takeError()));
    if (!value->getAsObject()) return MakeError(place + "expected a JSON object");
    objects.push_back(std::move(*value->getAsObject()));
    return llvm::Error::success();
  };
  // A document begins with a line that is no object of its own.
  auto [head, rest] = llvm::StringRef(input->text).trim().split('\n');
  if (head.trim() == "{" || rest.empty()) {
    if (llvm::Error error = add(input->text, 1)) return error;
    return objects;
  }
  int64_t line = 0;
  for (llvm::StringRef left = input->text; !left.empty();) {
    auto [text, more] = left.split('\n');
    ++line;
    left = more;
    if (text.trim().empty()) continue;
    if (llvm::Error error = add(text, line)) return error;
  }
  return objects;
}

uint64_t ShardOf(const Object& object) {
  auto shard = driver::ParseShard(object.getString("shard").value_or(""));
  if (shard) return shard->index;
  llvm::consumeError(shard.takeError());
  return 0;
}

int Run(const Options& options) {
  std::vector<Part> parts;
  std::vector<Object> answers;
  for (const std::string& file : options.files) {
    auto objects = ReadObjects(file);
    if (!objects) return Report(objects.takeError());
    for (Object& object : *objects) {
      if (object.get("id")) {
        answers.push_back(std::move(object));
      } else {
        parts.push_back({file, ShardOf(object), std::move(object)});
      }
    }
  }
  if (!answers.empty() && !parts.empty()) {
    return Report(Refuse(parts.front().file, "a report among answers, expected one kind"));
  }
  if (!answers.empty()) return MergeAnswers(std::move(answers));
  const Kind kind = KindOf(parts.front().object);
  for (const Part& part : parts) {
    if (KindOf(part.object) != kind)
      return Report(Refuse(part.file, "a report of another kind of run, expected one kind"));
  }
  switch (kind) {
    case Kind::kAudit:
      return MergeAudits(std::move(parts));
    case Kind::kMutants:
      return MergeReports(parts, options.json, driver::MutantsFromJson);
    case Kind::kFuzz:
      break;
  }
  return MergeReports(parts, options.json, driver::CampaignFromJson);
}

}  // namespace

void AddMerge(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("merge", "One report from those of the shards of a run");
  verb.Option("FILES", options->files,
              "What `fuzz --json`, `audit --json` or `equiv --jsonl` printed, each with "
              "another --shard")
      .Required();
  verb.Flag("--json", options->json, "Print JSON (audit and equiv: always)");
  verb.Footer(
      "Example:\n"
      "  $ affirm fuzz hlo --runs 1000 --shard 0/2 --json > a.json\n"
      "  $ affirm fuzz hlo --runs 1000 --shard 1/2 --json > b.json\n"
      "  $ affirm merge a.json b.json");
  verb.Run([options] { return Run(*options); });
}

}  // namespace affirm::cli
