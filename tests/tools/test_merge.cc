// affirm merge: the reports of the shards of audit and equiv --jsonl say what one run says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "llvm/Support/JSON.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::HasSubstr;

// JSON, one document or one a line, with its keys in order and without times.
std::string Normal(const std::string& text) {
  std::string normal;
  auto add = [&](llvm::StringRef json) {
    auto value = llvm::json::parse(json);
    ASSERT_TRUE(static_cast<bool>(value)) << json.str();
    llvm::raw_string_ostream(normal) << *value << "\n";
  };
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, false);
  if (!lines.empty() && lines[0] == "{") {
    add(text);
  } else {
    for (llvm::StringRef line : lines) add(line);
  }
  static const std::regex times(R"re("ms":[0-9.e+-]+)re");
  return std::regex_replace(normal, times, "T");
}

std::string Queries(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    std::string modulus = std::to_string(i % 7 + 1);
    lines += "{\"id\": " + std::to_string(i) + ", \"lhs\": \"(d0) -> (d0 mod " + modulus +
             "), domain: d0 in [0, 4]\", \"rhs\": \"(d0) -> (d0), domain: d0 in [0, 4]\"}\n";
  }
  return lines;
}

// What the shards of a run say, merged.
RunResult Merged(const std::vector<std::string>& arguments, const std::string& input, int shards) {
  std::vector<std::unique_ptr<TemporaryFile>> reports;
  std::vector<std::string> merge = {"merge"};
  for (int i = shards - 1; i >= 0; --i) {  // in any order
    std::vector<std::string> shard = arguments;
    shard.insert(shard.end(), {"--shard", std::to_string(i) + "/" + std::to_string(shards)});
    reports.push_back(std::make_unique<TemporaryFile>("shard.json", RunAffirm(shard, input).out));
    merge.push_back(reports.back()->path());
  }
  return RunAffirm(merge);
}

TEST(MergeTest, AnswersOfEquiv) {
  for (int count : {4, 20}) {
    RunResult whole = RunAffirm({"equiv", "--jsonl"}, Queries(count));
    RunResult merged = Merged({"equiv", "--jsonl"}, Queries(count), 3);
    EXPECT_EQ(Normal(merged.out), Normal(whole.out));
    EXPECT_EQ(merged.status, whole.status) << merged.err;
  }
}

TEST(MergeTest, ReportsOfAudit) {
  for (const char* file :
       {"corpus/rules/wrong/residues.rules", "corpus/rules/right/residues.rules"}) {
    std::vector<std::string> audit = {"audit", "--format", "json", file};
    RunResult whole = RunAffirm(audit), merged = Merged(audit, "", 2);
    EXPECT_EQ(Normal(merged.out), Normal(whole.out));
    EXPECT_EQ(merged.status, whole.status) << merged.err;
  }
}

TEST(MergeTest, RefusesWhatDoesNotFit) {
  TemporaryFile nothing("n.json", "{}"), text("t.json", "what?\n");
  for (const TemporaryFile* file : {&nothing, &text}) {
    RunResult run = RunAffirm({"merge", file->path()});
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr(file->path() + ":1:1: error: "));
  }
}

TEST(EquivTest, JsonLinesComeFromStandardInputOnly) {
  TemporaryFile pairs("pairs.jsonl", Queries(2));
  RunResult run = RunAffirm({"equiv", "--jsonl", pairs.path()});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("--jsonl"));
}

}  // namespace
}  // namespace affirm::testing
