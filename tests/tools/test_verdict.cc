// The one lattice of verdicts: its laws, its words, its exit statuses, and that the sources hold no
// second one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "verify/verdict.h"

namespace affirm {
namespace {

namespace fs = std::filesystem;

constexpr Verdict kAll[] = {Verdict::kRefuted, Verdict::kUnknown, Verdict::kExecuted,
                            Verdict::kProved};

RC_GTEST_PROP(Verdict, MeetIsTheLeastOfAll, ()) {
  const auto verdicts = *rc::gen::nonEmpty(rc::gen::container<std::vector<Verdict>>(
      rc::gen::elementOf(std::vector<Verdict>(std::begin(kAll), std::end(kAll)))));
  const Verdict meet = MeetOfAll(verdicts, [](Verdict verdict) { return verdict; });
  RC_ASSERT(meet == *std::min_element(verdicts.begin(), verdicts.end()));
  for (Verdict verdict : verdicts) RC_ASSERT(Meet(meet, verdict) == meet);
}

TEST(Verdict, OneRefutedPartRefutesAndProvedNeedsAll) {
  for (Verdict other : kAll) {
    EXPECT_EQ(Meet(Verdict::kRefuted, other), Verdict::kRefuted);
    EXPECT_EQ(Meet(Verdict::kProved, other), other);
  }
}

TEST(Verdict, AnEmptyRangeIsUnknown) {
  EXPECT_EQ(MeetOfAll(std::vector<Verdict>(), [](Verdict verdict) { return verdict; }),
            Verdict::kUnknown);
}

TEST(Verdict, WordsReadBackAndAreDistinct) {
  std::set<std::string> words;
  for (Verdict verdict : kAll) {
    EXPECT_EQ(VerdictFromName(Name(verdict)), verdict);
    words.insert(Name(verdict));
  }
  EXPECT_EQ(words.size(), std::size(kAll));
  EXPECT_EQ(VerdictFromName("Proved"), std::nullopt);
}

TEST(Verdict, ExecutionIsNoEquality) {
  EXPECT_STREQ(EqualityName(Verdict::kExecuted), "unknown");
  EXPECT_STREQ(EqualityName(Verdict::kProved), "equal");
  EXPECT_STREQ(EqualityName(Verdict::kRefuted), "different");
}

TEST(Verdict, ExitStatuses) {
  EXPECT_EQ(StatusOf(Verdict::kProved), 0);
  EXPECT_EQ(StatusOf(Verdict::kExecuted), 2);
  EXPECT_EQ(StatusOf(Verdict::kUnknown), 2);
  EXPECT_EQ(StatusOf(Verdict::kRefuted), 1);
  EXPECT_EQ(StatusOf(Verdict::kExecuted, Verdict::kExecuted), 0);
  EXPECT_EQ(StatusOf(Verdict::kUnknown, Verdict::kExecuted), 2);
  EXPECT_EQ(StatusOf(Verdict::kRefuted, Verdict::kExecuted), 1);
}

// Signs of a second lattice. Each pattern is shown to match what it is meant to find.
struct Sign {
  const char* what;
  std::regex pattern;
  const char* example;
};

const std::vector<Sign>& Signs() {
  static const std::vector<Sign> signs = {
      {"a second type of verdicts", std::regex(R"(enum class \w*Verdict\b)"),
       "enum class ClaimVerdict : uint8_t {"},
      {"a second type of verdicts",
       std::regex(R"(enum class \w+[^;]*\b(kProved|kEqual)\b[^;]*\b(kRefuted|kDifferent)\b[^;]*;)"),
       "enum class Outcome { kProved, kOpen, kRefuted };"},
      {"a second meet", std::regex(R"(\bVerdict \w+\(Verdict \w+, Verdict \w+\))"),
       "Verdict Worst(Verdict a, Verdict b) {"},
      {"a rank of verdicts",
       std::regex(R"(\((affirm::)?Verdict \w+\)\s*\{\s*(return|switch)[^}]*\b[0-3]\b)"),
       "auto rank = [](Verdict v) { return v == Verdict::kProved ? 0 : 1; };"},
      {"a second exit status", std::regex(R"(Verdict::kRefuted\s*\?\s*(kDifferent|1)\b)"),
       "return verdict == Verdict::kRefuted ? kDifferent : kSuccess;"},
      {"words of verdicts in an order",
       std::regex(R"re(\(\s*"(proved|refuted)",\s*"(executed|unknown)",\s*"(executed|unknown)")re"),
       R"(_WORST = ("proved", "executed", "unknown", "refuted"))"},
      {"exit statuses by word", std::regex(R"re("proved":\s*0)re"), R"(_STATUS = {"proved": 0})"},
  };
  return signs;
}

std::string SourceText(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Verdict, SignsMatchTheirExamples) {
  for (const Sign& sign : Signs()) {
    EXPECT_TRUE(std::regex_search(std::string(sign.example), sign.pattern)) << sign.what;
  }
}

TEST(Verdict, SourcesHoldNoSecondLattice) {
  const std::set<std::string> kHome = {"verify/verdict.h", "verify/verdict.cc",
                                       "python/affirm/verdicts.py"};
  int64_t files = 0;
  for (const char* folder : {"core", "verify", "emit", "fuzz", "driver", "tools", "python"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string path = entry.path().string(), extension = entry.path().extension().string();
      if (extension != ".cc" && extension != ".h" && extension != ".py") continue;
      if (kHome.contains(path)) continue;
      ++files;
      const std::string text = SourceText(path);
      // A file without these words has no verdict, and regular expressions are slow.
      if (text.find("erdict") == std::string::npos && text.find("proved") == std::string::npos &&
          text.find("kProved") == std::string::npos)
        continue;
      for (const Sign& sign : Signs()) {
        std::smatch match;
        EXPECT_FALSE(std::regex_search(text, match, sign.pattern))
            << path << ": " << sign.what << ": " << match.str();
      }
    }
  }
  EXPECT_GT(files, 500);
}

}  // namespace
}  // namespace affirm
