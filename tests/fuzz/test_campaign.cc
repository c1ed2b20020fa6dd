// Campaigns: isolated processes, crash buckets, shards, reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>

#include "core/hlo/text.h"
#include "driver/campaign/campaign.h"
#include "driver/campaign/isolated_process.h"

namespace affirm::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Isolate, EveryEndingIsAnAnswer) {
  std::vector<std::string> endings;
  RunIsolated(
      5, 1,
      [](uint64_t i) {
        if (i == 1) raise(SIGSEGV);
        if (i == 3) {
          for (std::atomic<uint64_t> n = 0;; ++n) continue;
        }
        return "done " + std::to_string(i);
      },
      [&](uint64_t i, const ProcessOutcome& outcome) {
        EXPECT_EQ(i, endings.size());
        endings.push_back(outcome.kind == ProcessOutcome::Kind::kHang ? "hang" : outcome.text);
        return true;
      });
  ASSERT_EQ(endings.size(), 5u);
  EXPECT_EQ(endings[0], "done 0");
  EXPECT_THAT(endings[1], HasSubstr("signal"));
  EXPECT_EQ(endings[2], "done 2");
  EXPECT_EQ(endings[3], "hang");
  EXPECT_EQ(endings[4], "done 4");
}

TEST(Isolate, StopsWhenAskedTo) {
  uint64_t seen = 0;
  RunIsolated(
      1000, 1, [](uint64_t) { return std::string("x"); },
      [&](uint64_t, const ProcessOutcome&) { return ++seen < 10; });
  EXPECT_EQ(seen, 10u);
}

// Other ops or limits make other inputs of the same seed.
TEST(Campaign, ReplaysHaveTheOptionsOfTheInputs) {
  CampaignReport report{.target = "hlo", .asked = " --ops add --max-ops 3", .seed = 7};
  const Bucket bucket{.kind = Outcome::Kind::kFinding, .count = 1, .first = 12};
  report.buckets[{bucket.kind, "cause"}] = bucket;
  EXPECT_EQ(report.ReplayOf(bucket),
            "affirm fuzz hlo --seed 7 --first 12 --runs 1 --ops add --max-ops 3");
  auto again = CampaignFromJson(*ToJson(report).getAsObject());
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(again->ReplayOf(bucket), report.ReplayOf(bucket));
  CampaignReport other = report;
  EXPECT_FALSE(Merge(other, report));
  other.asked = " --ops add";
  EXPECT_THAT(llvm::toString(Merge(other, report)), HasSubstr("reports of different runs"));
  EXPECT_NE(FingerprintsOf(ToRunReport(other)), FingerprintsOf(ToRunReport(report)));
}

TEST(BucketOf, LeavesOutWhatDiffers) {
  EXPECT_EQ(
      BucketOf("graph.hlo:3:7: map of pad 'pad.4' for operand 0: d0 = 12: lhs {(1)}, rhs {(2)}"),
      BucketOf("graph.hlo:11:3: map of pad 'pad.17' for operand 1: d0 = 3: lhs {(7)}, rhs {}"));
  EXPECT_EQ(
      BucketOf("kernel of 'f' failed: f_kernel_1_operand reads argument 0 out of bounds: index "
               "-1 of dimension 0, whose size is 9"),
      BucketOf("kernel of 'f.2' failed: reduce_7_kernel_0_output reads argument 3 out of "
               "bounds: index 12 of dimension 1, whose size is 4"));
  EXPECT_EQ(BucketOf("the kernels of 'f' together, output 0 at [0, 1]: the interpreter says true, "
                     "the kernel false; 1 of 2 elements differ"),
            BucketOf("the kernels of 'g' together, output 1 at []: the interpreter says -0.5, the "
                     "kernel 3 (77 ULP); 1 of 1 elements differ"));
  EXPECT_NE(BucketOf("kernel of 'f', output 0 at [0]: the interpreter says 1"),
            BucketOf("the module as a whole, output 0 at [0]: the interpreter says 1"));
  EXPECT_EQ(BucketOf("map of reduce-window 'a' from output 1 for operand 0: it is not"),
            BucketOf("map of reduce-window 'a' for operand 0: it is not"));
  EXPECT_EQ(BucketOf("kernel: /tmp/dumps-3fa/9c1/m.0.ll:61:1: error: unknown: a function"),
            BucketOf("kernel: /tmp/dumps-a/b2/jit_g.12.ll:7:3: error: unknown: a function"));
  EXPECT_NE(BucketOf("no kernel for sort"), BucketOf("no kernel for scatter"));
}

// Numbers in decimal: those with a 7 are wrong, multiples of 50 crash, of 40 are open.
class FakeTarget : public FuzzTarget {
 public:
  std::string Generate(llvm::ArrayRef<uint8_t> bytes) const override {
    return std::to_string(bytes.empty() ? 0 : bytes[0]);
  }
  Outcome Check(const std::string& text) override {
    int n = std::stoi(text);
    if (n > 0 && n % 50 == 0) raise(SIGABRT);
    if (n > 0 && n % 40 == 0) return {Outcome::Kind::kUnknown, "open", text};
    if (text.find('7') != std::string::npos) return {Outcome::Kind::kFinding, "seven", text};
    Outcome fine;
    if (n % 2 != 0) fine.notes = {"odd", n > 100 ? "large" : "small"};
    return fine;
  }
  std::string Replay(const std::string&) const override { return ""; }
};

std::string TextOf(const CampaignReport& report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintReport(report, os);
  return text;
}

CampaignOptions Options(uint64_t runs) {
  CampaignOptions options;
  options.target = "fake";
  options.seed = 3;
  options.runs = runs;
  return options;
}

TEST(Campaign, CountsReducesAndRepeats) {
  FakeTarget target;
  CampaignReport report = RunCampaign(target, Options(400));
  EXPECT_EQ(report.runs, 400);
  EXPECT_EQ(report.status(), 1);
  EXPECT_EQ(report.buckets.size(), 3u);
  EXPECT_GT(report.Count(Outcome::Kind::kCrash), 0);
  EXPECT_EQ(report.fine + report.Count(Outcome::Kind::kFinding) +
                report.Count(Outcome::Kind::kCrash) + report.Count(Outcome::Kind::kUnknown),
            400);
  const Bucket& seven = report.buckets.at({Outcome::Kind::kFinding, "seven"});
  EXPECT_THAT(seven.text, HasSubstr("7"));
  EXPECT_GT(report.notes.at("odd"), report.notes.at("large"));
  EXPECT_EQ(report.notes.at("odd"), report.notes.at("large") + report.notes.at("small"));
  EXPECT_THAT(TextOf(report), HasSubstr(std::to_string(report.notes.at("odd")) + " odd"));
  EXPECT_EQ(TextOf(report), TextOf(RunCampaign(target, Options(400))));
}

TEST(Campaign, ShardsMergeToTheWhole) {
  FakeTarget target;
  CampaignOptions options = Options(300);
  CampaignReport whole = RunCampaign(target, options);
  CampaignReport merged;
  for (uint64_t i = 0; i < 3; ++i) {
    options.shard = {i, 3};
    llvm::json::Value json = ToJson(RunCampaign(target, options));
    auto part = CampaignFromJson(*json.getAsObject());
    ASSERT_TRUE(!!part);
    if (i == 0) {
      merged = *part;
    } else {
      EXPECT_FALSE(!!Merge(merged, *part));
    }
  }
  EXPECT_EQ(TextOf(merged), TextOf(whole));
}

TEST(ShardNumbers, AreThoseThatTheShardHas) {
  for (uint64_t first = 0; first < 7; ++first) {
    for (uint64_t runs = 0; runs < 12; ++runs) {
      for (uint64_t count = 1; count < 6; ++count) {
        for (uint64_t index = 0; index < count; ++index) {
          const Shard shard{index, count};
          std::vector<uint64_t> expected, found;
          for (uint64_t i = first; i < first + runs; ++i)
            if (shard.Has(i)) expected.push_back(i);
          const ShardNumbers numbers(shard, first, runs);
          for (uint64_t k = 0; k < numbers.size(); ++k) found.push_back(numbers[k]);
          EXPECT_EQ(found, expected) << first << " " << runs << " " << index << "/" << count;
        }
      }
    }
  }
  const uint64_t most = INT64_MAX;
  const ShardNumbers all({}, most, most);
  EXPECT_EQ(all.size(), most);
  EXPECT_EQ(all[most - 1], 2 * most - 1);
  EXPECT_EQ(ShardNumbers({most, UINT64_MAX}, 5, most - 5).size(), 0u);
  EXPECT_EQ(ShardNumbers({most, UINT64_MAX}, 5, most)[0], most);
}

// Numbers of inputs that are never reached take no memory and no time.
TEST(Campaign, AsManyRunsAsAnIntegerHoldsEndAtTheFirstFinding) {
  FakeTarget target;
  CampaignOptions options = Options(INT64_MAX);
  options.max_findings = 1;
  const CampaignReport report = RunCampaign(target, options);
  EXPECT_EQ(report.Count(Outcome::Kind::kFinding) + report.Count(Outcome::Kind::kCrash), 1);
}

TEST(Campaign, ReportsOfDifferentRunsDoNotMerge) {
  CampaignReport a, b;
  b.seed = 1;
  llvm::Error error = Merge(a, b);
  EXPECT_THAT(llvm::toString(std::move(error)), HasSubstr("different runs"));
}

TEST(Shard, ReadsAndRefuses) {
  auto shard = ParseShard("2/4");
  ASSERT_TRUE(!!shard);
  EXPECT_TRUE(shard->Has(6));
  EXPECT_FALSE(shard->Has(7));
  for (const char* wrong : {"4/4", "1", "a/2", "1/0", "-1/2"}) {
    auto refused = ParseShard(wrong);
    EXPECT_FALSE(!!refused) << wrong;
    llvm::consumeError(refused.takeError());
  }
}

}  // namespace
}  // namespace affirm::driver
