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

// The merged reports of the shards of a run.
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

// Answers have no records, so that nothing else can be made of them.
TEST(MergeTest, MakesNoReportsOfAnswers) {
  const TemporaryFile answers("a.jsonl", RunAffirm({"equiv", "--jsonl"}, Queries(4)).out);
  const TemporaryFolder folder;
  for (const std::vector<std::string>& option :
       std::vector<std::vector<std::string>>{{"--report", folder.path() + "/r.xml"},
                                             {"--write-baseline", folder.path() + "/k.json"},
                                             {"--format", "sarif"}}) {
    std::vector<std::string> merge = {"merge", answers.path()};
    merge.insert(merge.end(), option.begin(), option.end());
    const RunResult run = RunAffirm(merge);
    EXPECT_EQ(run.status, 3) << option[0];
    EXPECT_THAT(run.err, HasSubstr("have no reports"));
  }
  EXPECT_EQ(RunAffirm({"merge", answers.path(), "--json"}).status, 1);
}

TEST(MergeTest, RefusesAnswersThatAreNotAll) {
  std::vector<std::string> shards;
  for (int i = 0; i < 3; ++i)
    shards.push_back(
        RunAffirm({"equiv", "--jsonl", "--shard", std::to_string(i) + "/3"}, Queries(4)).out);
  auto merged = [](const std::vector<std::string>& texts) {
    std::vector<std::unique_ptr<TemporaryFile>> files;
    std::vector<std::string> merge = {"merge"};
    for (const std::string& text : texts) {
      files.push_back(std::make_unique<TemporaryFile>("shard.json", text));
      merge.push_back(files.back()->path());
    }
    const RunResult run = RunAffirm(merge);
    return run.status == 3 ? run.err : "merged";
  };
  const std::string first = shards[0], end = first.substr(first.rfind("\n", first.size() - 2) + 1);
  EXPECT_EQ(merged(shards), "merged");
  EXPECT_THAT(merged({shards[0], shards[2]}), HasSubstr("the report of shard 1/3 is missing"));
  EXPECT_THAT(merged({shards[0], shards[0], shards[1], shards[2]}), HasSubstr("of the same shard"));
  EXPECT_THAT(merged({first.substr(0, first.size() - end.size())}),
              HasSubstr("the end of its shard is missing"));
  EXPECT_THAT(merged({end, shards[1], shards[2]}), HasSubstr("answers, expected"));
  // A shard without a line is one, too.
  EXPECT_THAT(RunAffirm({"equiv", "--jsonl", "--shard", "7/9"}, Queries(4)).out,
              HasSubstr("\"answers\":0"));
}

// Shards of two runs of equiv --jsonl are none of one.
TEST(MergeTest, RefusesAnswersOfOtherRuns) {
  auto shard = [](const std::string& which, const std::vector<std::string>& options,
                  const std::string& input) {
    std::vector<std::string> equiv = {"equiv", "--jsonl", "--shard", which};
    equiv.insert(equiv.end(), options.begin(), options.end());
    return RunAffirm(equiv, input).out;
  };
  const std::string asked = Queries(4), first = shard("0/2", {}, asked);
  auto merged = [&](const std::string& other) {
    const TemporaryFile one("0.jsonl", first), two("1.jsonl", other);
    const RunResult run = RunAffirm({"merge", one.path(), two.path()});
    return std::to_string(run.status) + run.err;
  };
  EXPECT_EQ(merged(shard("1/2", {}, asked)).front(), '1');
  // How many threads there are decides nothing.
  EXPECT_EQ(merged(shard("1/2", {"--jobs", "3"}, asked)).front(), '1');
  EXPECT_THAT(merged(shard("1/2", {"--relation", "covers"}, asked)),
              HasSubstr("reports of different options: --relation equal, --relation covers"));
  EXPECT_THAT(merged(shard("1/2", {"--cross-check"}, asked)),
              HasSubstr("reports of different options"));
  // As many lines, one of them another one, in either shard; and the same lines in another order.
  for (const size_t line : {0, 1, 3}) {
    std::string other = asked;
    other.replace(other.find("\"id\": " + std::to_string(line)), 7, "\"id\": 7");
    EXPECT_THAT(merged(shard("1/2", {}, other)), HasSubstr("is of other lines than")) << line;
  }
  const size_t end = asked.find('\n') + 1;
  EXPECT_THAT(merged(shard("1/2", {}, asked.substr(end) + asked.substr(0, end))),
              HasSubstr("is of other lines than"));
  // One line twice, and another one not at all.
  std::string twice = shard("1/2", {}, asked);
  const size_t at = twice.find("\"line\":4");
  ASSERT_NE(at, std::string::npos) << twice;
  EXPECT_THAT(merged(std::string(twice).replace(at, 8, "\"line\":2")),
              HasSubstr("two answers to line 2"));
  EXPECT_THAT(merged(std::string(twice).replace(at, 8, "\"line\":5")),
              HasSubstr("a line that was not asked"));
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

// Rules that claim no equality, alone and beside one that does; some shards have no rule.
TEST(MergeTest, ReportsOfRulesThatClaimNothing) {
  auto rule = [](const std::string& name, const std::string& of_class) {
    return "rule " + name + ": x + y  =>  y + x\n  with x, y : f8e5m2\n  class " + of_class +
           "\n  why a test\n";
  };
  const std::string claimless = rule("a", "licensed") + rule("b", "defined");
  for (const std::string& text : {claimless, claimless + rule("c", "exact")}) {
    const std::vector<std::string> audit = {"audit", "-", "--json"};
    const RunResult whole = RunAffirm(audit, text);
    EXPECT_EQ(whole.status, text == claimless ? 2 : 0) << whole.out;
    for (int shards : {2, 3, 5}) {
      RunResult merged = Merged(audit, text, shards);
      // Which is not written by `merge`.
      const std::regex nothing(R"re("claims nothing":\d+,)re");
      EXPECT_EQ(Normal(merged.out), std::regex_replace(Normal(whole.out), nothing, ""));
      EXPECT_EQ(merged.status, whole.status) << merged.err;
    }
  }
}

// Modules may have been added to the folder of a dump between its shards.
TEST(MergeTest, RefusesShardsOfADumpThatHasGrown) {
  auto add = [](const TemporaryFolder& dump, int number) {
    dump.Add("module_000" + std::to_string(number) + ".f.cpu_after_optimizations.txt",
             "HloModule f, is_scheduled=true\nENTRY e { ROOT x = f32[8] parameter(0) }\n");
  };
  const TemporaryFolder dump;
  for (const int number : {1, 2}) add(dump, number);
  auto shard = [&](const std::string& which) {
    return RunAffirm({"xla", dump.path(), "--kernels", "--json", "--shard", which}).out;
  };
  const TemporaryFile first("0.json", shard("0/2")), second("1.json", shard("1/2"));
  EXPECT_NE(RunAffirm({"merge", first.path(), second.path()}).status, 3);
  for (const int number : {3, 4}) add(dump, number);
  const TemporaryFile grown("1.json", shard("1/2"));
  const RunResult run = RunAffirm({"merge", first.path(), grown.path()});
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("reports of different dumps: module 2 of them is in no report"));
}

// Shards of two dumps in folders of one name, of other files of one, or of other questions.
TEST(MergeTest, RefusesShardsOfOtherDumps) {
  const TemporaryFolder folder;
  auto write = [&](const std::string& op) {
    for (const std::string name : {"module_0001.f", "module_0002.g"})
      folder.Add(
          name + ".cpu_after_optimizations.txt",
          "HloModule f, is_scheduled=true\nENTRY e { x = f32[8] parameter(0) ROOT y = f32[8] " +
              op + "(x) }\n");
  };
  auto shard = [&](const std::string& which, const std::string& seed, const std::string& what) {
    return RunAffirm({"xla", folder.path(), what, "--json", "--shard", which, "--seed", seed}).out;
  };
  auto merged = [](const std::string& one, const std::string& other) {
    const TemporaryFile first("0.json", one), second("1.json", other);
    const RunResult run = RunAffirm({"merge", first.path(), second.path()});
    return std::to_string(run.status) + run.err;
  };
  write("negate");
  const std::string first = shard("0/2", "0", "--kernels");
  EXPECT_THAT(merged(first, shard("1/2", "0", "--kernels")),
              ::testing::Not(HasSubstr("different runs")));
  EXPECT_THAT(merged(first, shard("1/2", "7", "--kernels")), HasSubstr("of different runs"));
  EXPECT_THAT(merged(first, shard("1/2", "0", "--passes")), HasSubstr("of different runs"));
  write("abs");
  EXPECT_THAT(merged(first, shard("1/2", "0", "--kernels")), HasSubstr("of different runs"));
  // The same file by its name, with another meaning of a library call.
  const TemporaryFolder meanings;
  auto with_meaning = [&](const std::string& which, const std::string& op) {
    meanings.Add("f.hlo", "HloModule f\nENTRY e { x = f32[8] parameter(0) ROOT y = f32[8] " + op +
                              "(x) }\n");
    return RunAffirm({"xla", folder.path(), "--kernels", "--json", "--shard", which, "--meaning",
                      "f=" + meanings.path() + "/f.hlo"})
        .out;
  };
  const std::string negated = with_meaning("0/2", "negate");
  EXPECT_THAT(merged(negated, with_meaning("1/2", "abs")), HasSubstr("of different runs"));
  EXPECT_THAT(merged(negated, with_meaning("1/2", "negate")),
              ::testing::Not(HasSubstr("different runs")));
}

// Shards of two audits are none of one.
TEST(MergeTest, RefusesReportsOfOtherRules) {
  auto right = [](const std::string& name) {
    return "rule " + name +
           ": (x floordiv c) floordiv d  =>  x floordiv (c * d)\n  when c > 0, d > 0\n"
           "  why  a test\n";
  };
  const std::string zero = right("zero"), one = right("one"),
                    three_rules = zero + one + right("two"),
                    wrong =
                        "rule wrong: (x + y) floordiv c  =>  x floordiv c + y floordiv c\n"
                        "  when c > 0\n  why  a test\n";
  const TemporaryFile a("a.rules", zero + wrong), b("b.rules", zero + one);
  auto shard = [](std::vector<std::string> audit, const std::string& which) {
    audit.insert(audit.end(), {"--json", "--shard", which});
    return RunAffirm(audit).out;
  };
  auto merged = [](const std::string& one, const std::string& other) {
    const TemporaryFile first("0.json", one), second("1.json", other);
    return RunAffirm({"merge", first.path(), second.path()});
  };
  const std::string of_a = shard({"audit", a.path()}, "0/2");
  EXPECT_EQ(merged(of_a, shard({"audit", a.path()}, "1/2")).status, 1);
  RunResult run = merged(of_a, shard({"audit", b.path()}, "1/2"));
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("reports of different rules: " + a.path() + ", " + b.path()));
  run = merged(of_a, shard({"audit", a.path(), "--mutants"}, "1/2"));
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("reports of different options"));
  // The file of one name was written again between the two.
  auto of_input = [](const std::string& text, const std::string& which) {
    return RunAffirm({"audit", "-", "--json", "--shard", which}, text).out;
  };
  const std::string three = of_input(three_rules, "0/2");
  run = merged(three, of_input(three_rules, "1/2"));
  EXPECT_EQ(run.status, 0) << run.err;
  // Reports without a digest of the rules have no other numbers of them than the shards of one.
  auto without_digest = [](const std::string& report) {
    return std::regex_replace(report, std::regex(R"re("input": ?"\w+")re"), R"("input": "")");
  };
  run = merged(without_digest(three), without_digest(of_input(zero, "1/2")));
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_THAT(run.err, HasSubstr("reports of different rules: shard"));
  // Other rules, as many or not.
  for (const std::string& other : {zero, zero + wrong + right("two"), zero + right("two") + one}) {
    run = merged(three, of_input(other, "1/2"));
    EXPECT_EQ(run.status, 3) << run.out;
    EXPECT_THAT(run.err, HasSubstr("is of other rules than"));
  }
}

TEST(MergeTest, ReportsOfMutants) {
  const std::vector<std::string> fuzz = {"fuzz",
                                         "mutants",
                                         "--json",
                                         "--modules",
                                         "corpus/hlo/reverse_rank_4.hlo",
                                         "corpus/hlo/compare_total_order.hlo",
                                         "--seed",
                                         "4",
                                         "--runs",
                                         "20"};
  RunResult whole = RunAffirm(fuzz), merged;
  std::vector<std::unique_ptr<TemporaryFile>> reports;
  std::vector<std::string> merge = {"merge", "--json"};
  for (const char* shard : {"2/3", "0/3", "1/3"}) {
    std::vector<std::string> part = fuzz;
    part.insert(part.end(), {"--shard", shard});
    reports.push_back(std::make_unique<TemporaryFile>("shard.json", RunAffirm(part).out));
    merge.push_back(reports.back()->path());
  }
  merged = RunAffirm(merge);
  EXPECT_THAT(whole.out, HasSubstr("killed"));
  EXPECT_EQ(Normal(merged.out), Normal(whole.out));
  EXPECT_EQ(merged.status, whole.status) << merged.err;
  merge = {"merge", reports[0]->path(), reports[1]->path(), reports[2]->path()};
  EXPECT_THAT(RunAffirm(merge).out, HasSubstr("mutants of 2 kernels (seed 4)"));
  merge.pop_back();
  merged = RunAffirm(merge);
  EXPECT_EQ(merged.status, 3) << merged.out;
  EXPECT_THAT(merged.err, HasSubstr("the report of shard 1/3 is missing"));
  // Mutants of another file with as many kernels, and those that no proof was tried of.
  auto refused = [&](std::vector<std::string> part) {
    part.insert(part.end(), {"--shard", "1/3"});
    const TemporaryFile other("other.json", RunAffirm(part).out);
    const RunResult run =
        RunAffirm({"merge", reports[0]->path(), reports[1]->path(), other.path()});
    EXPECT_EQ(run.status, 3) << run.out;
    EXPECT_THAT(run.err, HasSubstr("reports of different runs"));
  };
  std::vector<std::string> part = fuzz;
  part.push_back("--no-proofs");
  refused(part);
  const TemporaryFile copy("copy.hlo", ReadFile(part[5]));
  part = fuzz;
  part[5] = copy.path();
  refused(part);
}

TEST(MergeTest, RefusesReportsOfMutantsThatDoNotFit) {
  const std::string listed = R"("listed": [{"verdict": "survivor", "number": 3}])";
  auto report = [&](const std::string& seed, const std::string& more) {
    return R"({"target": "mutants", "seed": )" + seed +
           R"(, "runs": 1, "kernels": 1, "killed_by": {}, "survived_by": {}, )" + more + "}";
  };
  const std::string good = R"("counts": {"mask": {"survivor": 1}}, )" + listed;
  TemporaryFile one("1.json", report("1", good)), two("2.json", report("2", good)),
      none("n.json", report("1", listed)),
      odd("o.json", report("1", R"("counts": {"mask": {"lost": 1}}, )" + listed));
  auto refused = [](const std::vector<std::string>& files) {
    std::vector<std::string> merge = {"merge"};
    merge.insert(merge.end(), files.begin(), files.end());
    RunResult run = RunAffirm(merge);
    EXPECT_EQ(run.status, 3);
    EXPECT_THAT(run.err, HasSubstr(files.back() + ":1:1: error: "));
    return run.err;
  };
  EXPECT_EQ(RunAffirm({"merge", one.path()}).status, 2);
  EXPECT_THAT(refused({one.path(), two.path()}), HasSubstr("reports of different runs"));
  EXPECT_THAT(refused({one.path(), one.path()}), HasSubstr("mutant 3 is in two reports"));
  EXPECT_THAT(refused({none.path()}), HasSubstr("expected seed, runs, kernels, counts"));
  EXPECT_THAT(refused({odd.path()}), HasSubstr("'lost' is no verdict of a mutant"));
}

// A part of the shards is not the whole, and a shard twice is none.
TEST(MergeTest, RefusesAPartOfTheShards) {
  const std::vector<std::string> audit = {"audit", "--json", "corpus/rules/right/residues.rules"};
  std::vector<std::unique_ptr<TemporaryFile>> reports;
  for (const char* shard : {"0/3", "1/3", "2/3"}) {
    std::vector<std::string> part = audit;
    part.insert(part.end(), {"--shard", shard});
    reports.push_back(std::make_unique<TemporaryFile>("shard.json", RunAffirm(part).out));
  }
  auto merged = [&](const std::vector<int>& which) {
    std::vector<std::string> merge = {"merge"};
    for (int k : which) merge.push_back(reports[k]->path());
    return RunAffirm(merge);
  };
  EXPECT_NE(merged({2, 0, 1}).status, 3);
  RunResult run = merged({0, 2});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("the report of shard 1/3 is missing"));
  run = merged({0, 1, 1, 2});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("is of the same shard as "));
}

// The summary of the shards counts what that of one run counts.
TEST(MergeTest, MergedReportsHaveEveryFormat) {
  const std::vector<std::string> audit = {"audit", "--json", "corpus/rules/wrong/residues.rules"};
  std::vector<std::unique_ptr<TemporaryFile>> reports;
  std::vector<std::string> merge = {"merge", "--format", "markdown"};
  for (const char* shard : {"1/2", "0/2"}) {
    std::vector<std::string> part = audit;
    part.insert(part.end(), {"--shard", shard});
    reports.push_back(std::make_unique<TemporaryFile>("shard.json", RunAffirm(part).out));
    merge.push_back(reports.back()->path());
  }
  const RunResult whole = RunAffirm({"audit", "--format", "markdown", audit[2]});
  const RunResult merged = RunAffirm(merge);
  auto without_times = [](const std::string& text) {
    return std::regex_replace(text, std::regex(R"(\| [0-9.]+ \|\n)"), "");
  };
  EXPECT_EQ(without_times(merged.out), without_times(whole.out)) << merged.err;
  EXPECT_EQ(merged.status, whole.status);
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
