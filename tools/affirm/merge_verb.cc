// affirm merge: one report from those of the shards of fuzz, audit, xla or equiv --jsonl.
#include <algorithm>
#include <map>
#include <set>
#include <type_traits>

#include "core/symbolic/bounded_json.h"
#include "core/symbolic/error.h"
#include "driver/campaign/campaign.h"
#include "driver/campaign/mutants.h"
#include "driver/dump/dump.h"
#include "driver/oracle/rules_report.h"
#include "llvm/Support/FormatVariadic.h"
#include "tools/affirm/cli.h"
#include "tools/affirm/report_options.h"
#include "tools/affirm/verbs.h"

namespace affirm::cli {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

struct Options {
  std::vector<std::string> files;
  ReportFlags report;
};

// The part of the work behind a report, which the report says itself.
struct Part {
  std::string file;
  uint64_t shard = 0, count = 1;
  Object object;
};

// A string that the report says; empty where it does not.
std::string StringOf(const Part& part, llvm::StringRef key) {
  return part.object.getString(key).value_or("").str();
}

llvm::Error Refuse(const std::string& file, const llvm::Twine& why) {
  return MakeError(file + ":1:1: error: " + why);
}

// One report of the parts: `read` makes a report of an object, Merge adds it to those before.
template <typename Report>
int MergeReports(Options& options, const std::vector<Part>& parts,
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
  if (options.report.json()) {
    llvm::outs() << llvm::formatv("{0:2}", driver::ToJson(*whole)) << "\n";
  } else if (options.report.text()) {
    driver::PrintReport(*whole, llvm::outs());
  }
  driver::RunReport report = driver::ToRunReport(*whole);
  options.report.Compare(report);
  return options.report.Finish({std::move(report)});
}

// Which verb, and which target of `fuzz`, a report is of.
enum class Kind : uint8_t { kAudit, kDump, kFuzz, kMutants, kOther };

Kind KindOf(const Object& object) {
  if (object.getArray("rules")) return Kind::kAudit;
  if (object.getArray("passes") && object.getArray("kernels")) return Kind::kDump;
  if (object.getString("target") == "mutants") return Kind::kMutants;
  return object.getString("target") || !object.get("reports") ? Kind::kFuzz : Kind::kOther;
}

// The shards of a whole run, each once: a report of fewer would look like one of all.
llvm::Error CheckComplete(const std::vector<Part>& parts) {
  std::map<uint64_t, std::string> files;
  for (const Part& part : parts) {
    if (part.count != parts.front().count) {
      return Refuse(part.file, "is of " + llvm::Twine(part.count) + " shards, " +
                                   parts.front().file + " of " + llvm::Twine(parts.front().count));
    }
    auto [known, is_new] = files.emplace(part.shard, part.file);
    if (!is_new && part.count > 1)
      return Refuse(part.file, "is of the same shard as " + known->second);
  }
  for (uint64_t shard = 0; shard < parts.front().count; ++shard) {
    if (files.contains(shard)) continue;
    return Refuse(parts.front().file, "the report of shard " + llvm::Twine(shard) + "/" +
                                          llvm::Twine(parts.front().count) + " is missing");
  }
  return llvm::Error::success();
}

std::vector<Part> ByShard(std::vector<Part> parts) {
  llvm::stable_sort(parts, [](const Part& a, const Part& b) { return a.shard < b.shard; });
  return parts;
}

// Prints a whole document, or what is rendered from its reports. Answers its status.
int PrintDocument(Options& options, Object document) {
  auto reports = driver::ReportsFrom(document);
  if (!reports) return Report(reports.takeError());
  // Until there was another format to ask for, what is no text came as JSON.
  if (options.report.text()) {
    llvm::outs() << llvm::formatv("{0:2}", Value(std::move(document))) << "\n";
    return options.report.Finish(std::move(*reports));
  }
  return options.report.Print(
      std::move(*reports), [](llvm::raw_ostream&) {},
      [&](llvm::json::OStream& json) {
        for (const auto& [key, value] : document) {
          if (key != "reports") json.attribute(key, value);
        }
      });
}

// The records of rules, in the order of the rules.
void SortRecords(const Array& rules, driver::RunReport& report) {
  std::map<std::string, size_t> places;
  for (const auto& [k, rule] : llvm::enumerate(rules)) {
    const Object* object = rule.getAsObject();
    if (object == nullptr) continue;
    places.emplace(
        (object->getString("where").value_or("") + " " + object->getString("rule").value_or(""))
            .str(),
        k);
  }
  auto place = [&](const driver::ReportRecord& record) {
    const auto found = places.find(record.where.file + ":" + std::to_string(record.where.line) +
                                   " " + record.subject);
    return found == places.end() ? places.size() : found->second;
  };
  llvm::stable_sort(report.records,
                    [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

// Where no rule claims anything, each shard says so; the whole says it once.
void AddRecords(std::vector<driver::ReportRecord>& from, std::vector<driver::ReportRecord>& to) {
  auto is_of_all = [](const driver::ReportRecord& record) {
    return record.claim == driver::kExactRule;
  };
  if (llvm::any_of(to, is_of_all)) llvm::erase_if(from, is_of_all);
  llvm::append_range(to, from);
}

// An error where the parts are not those of one audit: of the same rules, and of as many of them as
// each shard has.
llvm::Error CheckAudits(const std::vector<Part>& parts) {
  auto audited = [](const Part& part) {
    const Array* reports = part.object.getArray("reports");
    const Object* report = reports && !reports->empty() ? reports->front().getAsObject() : nullptr;
    return report ? report->getString("file").value_or("") : "";
  };
  auto size = [](const Part& part) { return part.object.getArray("rules")->size(); };
  auto has_mutants = [](const Part& part) {
    const Object* counts = part.object.getObject("counts");
    return counts != nullptr && counts->get("mutants") != nullptr;
  };
  size_t all = 0;
  const Part* counted = nullptr;  // the first that has rules
  for (const Part& part : parts) {
    all += size(part);
    if (audited(part) != audited(parts.front())) {
      return Refuse(part.file,
                    "reports of different rules: " + audited(parts.front()) + ", " + audited(part));
    }
    if (StringOf(part, "input") != StringOf(parts.front(), "input"))
      return Refuse(part.file, "is of other rules than " + parts.front().file);
    if (size(part) == 0) continue;
    if (counted == nullptr) counted = &part;
    if (has_mutants(part) != has_mutants(*counted))
      return Refuse(part.file, "reports of different options: --mutants in one of them");
  }
  for (const Part& part : parts) {
    const size_t expected = (all + part.count - 1 - part.shard) / part.count;
    if (size(part) == expected) continue;
    return Refuse(part.file, "reports of different rules: shard " + llvm::Twine(part.shard) + "/" +
                                 llvm::Twine(part.count) + " of " + llvm::Twine(all) + " has " +
                                 llvm::Twine(expected) + " of them, found " +
                                 llvm::Twine(size(part)));
  }
  return llvm::Error::success();
}

// Rules in the order of the whole: number k of shard i of n was number k * n + i.
int MergeAudits(Options& options, std::vector<Part> parts) {
  parts = ByShard(std::move(parts));
  if (llvm::Error error = CheckAudits(parts)) return Report(std::move(error));
  Array rules;
  int64_t sums[3] = {};
  const char* const kCounts[3] = {"proved", "refuted", "unknown"};
  for (size_t k = 0, added = 1; added > 0; ++k) {
    added = 0;
    for (Part& part : parts) {
      Array* from = part.object.getArray("rules");
      if (!from || k >= from->size()) continue;
      rules.push_back(std::move((*from)[k]));
      ++added;
    }
  }
  driver::Counts counts;
  driver::RunReport report;
  for (const Part& part : parts) {
    for (int i = 0; i < 3; ++i) sums[i] += part.object.getInteger(kCounts[i]).value_or(0);
    counts.Add(driver::Counts::From(part.object.getObject("counts")));
    auto reports = driver::ReportsFrom(part.object);
    if (!reports) return Report(Refuse(part.file, MessageOf(reports.takeError())));
    for (driver::RunReport& one : *reports) {
      if (report.verb.empty()) {
        report = std::move(one);
      } else {
        AddRecords(one.records, report.records);
        report.outcome = Meet(report.outcome, one.outcome);
        report.accepted = std::max(report.accepted, one.accepted);
      }
    }
  }
  SortRecords(rules, report);
  driver::AddRulesCoverage(counts, report);
  return PrintDocument(options, Object{{"rules", std::move(rules)},
                                       {kCounts[0], sums[0]},
                                       {kCounts[1], sums[1]},
                                       {kCounts[2], sums[2]},
                                       {"counts", counts.ToJson()},
                                       {"status", report.status()},
                                       {"reports", Array{driver::ToJson(report)}}});
}

int MergeDumpShards(Options& options, std::vector<Part> parts) {
  std::vector<driver::DumpShard> shards;
  const std::string file = parts.front().file;
  for (Part& part : ByShard(std::move(parts)))
    shards.push_back({part.shard, part.count, std::move(part.object)});
  auto merged = driver::MergeDumps(shards);
  if (!merged) return Report(Refuse(file, MessageOf(merged.takeError())));
  return PrintDocument(options, std::move(*merged));
}

// One report alone, in another format.
int Convert(Options& options, Part part) { return PrintDocument(options, std::move(part.object)); }

int StatusOfAnswer(const Object& answer) {
  llvm::StringRef verdict = answer.getString("verdict").value_or("");
  if (verdict == "different") return kDifferent;
  if (verdict == "unknown") return kUnknown;
  return verdict.empty() ? kBadInput : kSuccess;
}

// The ends of shards of equiv --jsonl, which say how many lines were asked and answered.
bool IsEndOfAnswers(const Object& object) {
  return object.getInteger("lines") && object.getInteger("answers");
}

// An error where the ends are not those of one run: of one input, by the same options.
llvm::Error CheckOneRun(const std::vector<Part>& ends) {
  const Part& first = ends.front();
  for (const Part& end : ends) {
    if (end.object.getInteger("lines") != first.object.getInteger("lines"))
      return Refuse(end.file, "is of another number of lines than " + first.file);
    if (StringOf(end, "asked") != StringOf(first, "asked")) {
      return Refuse(end.file, "reports of different options: " + StringOf(first, "asked") + ", " +
                                  StringOf(end, "asked"));
    }
    if (StringOf(end, "input") != StringOf(first, "input"))
      return Refuse(end.file, "is of other lines than " + first.file);
  }
  return llvm::Error::success();
}

// An error if a line has two answers, or a shard has another number of answers than its end says.
llvm::Error CheckLines(const std::vector<Object>& answers, const std::vector<Part>& ends) {
  std::set<int64_t> lines;
  std::map<uint64_t, int64_t> of_shard;
  for (const Object& answer : answers) {
    const int64_t line = answer.getInteger("line").value_or(0);
    if (line < 1 || line > *ends.front().object.getInteger("lines"))
      return Refuse(ends.front().file, "an answer to a line that was not asked");
    if (!lines.insert(line).second)
      return Refuse(ends.front().file, "two answers to line " + llvm::Twine(line));
    ++of_shard[static_cast<uint64_t>(line - 1) % ends.front().count];
  }
  for (const Part& end : ends) {
    const int64_t found = of_shard[end.shard], expected = *end.object.getInteger("answers");
    if (found != expected)
      return Refuse(end.file, "found " + llvm::Twine(found) + " answers, expected " +
                                  llvm::Twine(expected) + " of shard " + llvm::Twine(end.shard) +
                                  "/" + llvm::Twine(end.count));
  }
  return llvm::Error::success();
}

// Whether these are all answers of a run: each line once, and of shards all, to their ends.
llvm::Error CheckAnswers(const std::vector<Object>& answers, const std::vector<Part>& ends,
                         const std::string& file) {
  const bool is_sharded =
      llvm::any_of(answers, [](const Object& answer) { return answer.get("line") != nullptr; });
  if (ends.empty() && is_sharded)
    return Refuse(file, "the end of its shard is missing, so that answers may be");
  if (ends.empty()) return llvm::Error::success();
  for (auto check : {CheckComplete, CheckOneRun}) {
    if (llvm::Error error = check(ends)) return error;
  }
  return CheckLines(answers, ends);
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
    auto value = ParseJson(text);
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

driver::Shard ShardOf(const Object& object) {
  auto shard = driver::ParseShard(object.getString("shard").value_or(""));
  if (shard) return *shard;
  llvm::consumeError(shard.takeError());
  return {};
}

int Run(Options& options) {
  if (llvm::Error error = options.report.Begin()) return Report(std::move(error));
  std::vector<Part> parts, ends;
  std::vector<Object> answers;
  for (const std::string& file : options.files) {
    auto objects = ReadObjects(file);
    if (!objects) return Report(objects.takeError());
    for (Object& object : *objects) {
      if (object.get("id")) {
        answers.push_back(std::move(object));
      } else {
        const driver::Shard shard = ShardOf(object);
        std::vector<Part>& to = IsEndOfAnswers(object) ? ends : parts;
        to.push_back({file, shard.index, shard.count, std::move(object)});
      }
    }
  }
  const bool are_answers = !answers.empty() || !ends.empty();
  if (are_answers && !parts.empty()) {
    return Report(Refuse(parts.front().file, "a report among answers, expected one kind"));
  }
  if (are_answers) {
    if (llvm::Error error = CheckAnswers(answers, ends, options.files.front()))
      return Report(std::move(error));
    if (options.report.wants_records()) {
      return Report(Refuse(options.files.front(),
                           "answers have no reports, expected no --format, --report or baseline: "
                           "`equiv --jsonl` has these options"));
    }
    return MergeAnswers(std::move(answers));
  }
  const Kind kind = KindOf(parts.front().object);
  for (const Part& part : parts) {
    if (KindOf(part.object) != kind)
      return Report(Refuse(part.file, "a report of another kind of run, expected one kind"));
  }
  if (llvm::Error error = CheckComplete(parts)) return Report(std::move(error));
  switch (kind) {
    case Kind::kAudit:
      return MergeAudits(options, std::move(parts));
    case Kind::kDump:
      return MergeDumpShards(options, std::move(parts));
    case Kind::kMutants:
      return MergeReports(options, parts, driver::MutantsFromJson);
    case Kind::kFuzz:
      return MergeReports(options, parts, driver::CampaignFromJson);
    case Kind::kOther:
      break;
  }
  if (parts.size() == 1) return Convert(options, std::move(parts.front()));
  return Report(Refuse(parts[1].file, "reports of this verb are not those of shards"));
}

}  // namespace

void AddMerge(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Verb verb = line.Add("merge", "One report from those of the shards of a run");
  verb.Option("FILES", options->files,
              "What `fuzz --json`, `audit --json`, `xla --json` or `equiv --jsonl` printed, each "
              "with another --shard; or one report of --json of any verb, for another format")
      .Required();
  options->report.AddTo(verb);
  verb.Footer(
      "Example:\n"
      "  $ affirm fuzz hlo --runs 1000 --shard 0/2 --json > a.json\n"
      "  $ affirm fuzz hlo --runs 1000 --shard 1/2 --json > b.json\n"
      "  $ affirm merge a.json b.json\n"
      "Without --format, reports of `audit` and `xla` come as JSON, those of `fuzz` as text. "
      "Answers "
      "of `equiv --jsonl` are lines of JSON, always.");
  verb.Run([options] { return options->report.Complete("merge", Run(*options)); });
}

}  // namespace affirm::cli
