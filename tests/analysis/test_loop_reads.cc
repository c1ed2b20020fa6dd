// The maps of loops are what the interpreter was seen to read, trip after trip: those of the
// corpus, in both directions, and exact where nothing but the number of the trip decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "core/analysis/between.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "fuzz/properties/observed_reads.h"
#include "tests/loop_modules.h"

namespace affirm {
namespace {

using testing::CorpusModule;
using testing::LoopOf;

// The reads of a trip depend on values there, or on more than the trip's number.
const std::set<std::string> kOverApproximate = {
    "loop_bound_from_parameter", "loop_branch_by_counter", "loop_counter_in_branch",
    "loop_counter_wraps",        "loop_reads_earlier",     "loop_shared_body",
    "loop_two_updates",          "loop_update_clamped"};

class Loops : public ::testing::TestWithParam<std::string> {};

TEST_P(Loops, MapsAreWhatIsRead) {
  const auto module = CorpusModule(GetParam());
  ASSERT_TRUE(module);
  int64_t claims = 0;
  for (uint64_t seed : {1, 2, 3}) {
    auto run = fuzz::Observe(*module, LoopOf(*module), seed);
    ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError());
    for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      EXPECT_EQ(fuzz::Disagreement(*run, direction, {}, claims), "") << "seed " << seed;
    }
  }
  EXPECT_GT(claims, 0);
}

TEST_P(Loops, MapsAreExactWhereTheTripDecides) {
  const auto module = CorpusModule(GetParam());
  ASSERT_TRUE(module);
  const hlo::Instruction& loop = LoopOf(*module);
  Context context;
  Exactness weakest = Exactness::kExact;
  for (int64_t id = 0; id < hlo::NumLeaves(loop.shape); ++id) {
    const InstructionIndexing indexing = OutputToInput(loop, id, context);
    ASSERT_EQ(indexing.maps.size(), 1U);
    for (const LabeledMap& m : indexing.maps[0]) weakest = std::max(weakest, m.exactness);
  }
  const bool is_exact = !kOverApproximate.contains(GetParam());
  EXPECT_EQ(weakest, is_exact ? Exactness::kExact : Exactness::kOverApproximate);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Loops, ::testing::ValuesIn(testing::CorpusLoops()),
                         [](const auto& info) { return info.param; });

std::vector<std::string> MapsFromRoot(const hlo::Module& module, const std::string& to,
                                      int64_t id) {
  Context context;
  auto maps = MapsBetween(*module.entry->root, id, *module.entry->Find(to),
                          Direction::kOutputToInput, context);
  std::vector<std::string> texts;
  if (!maps) return {llvm::toString(maps.takeError())};
  for (const LabeledMap& m : *maps) texts.push_back(m.map.ToString());
  return texts;
}

using Texts = std::vector<std::string>;

TEST(LoopMaps, RowsOfAScanReadTheRowsBefore) {
  const auto module = CorpusModule("loop_scan");
  const std::string rest = ", domain: d0 in [0, 9], d1 in [0, 3]";
  EXPECT_EQ(MapsFromRoot(*module, "xs", 1),
            (Texts{"(d0, d1) -> (d0, d1)" + rest,
                   "(d0, d1)[s0] -> (s0, d1)" + rest + ", s0 in [0, 9], d0 - s0 in [1, 10]"}));
  EXPECT_EQ(MapsFromRoot(*module, "carry", 1), (Texts{"(d0, d1) -> (d1)" + rest}));
  // The array that holds the results is overwritten in full.
  EXPECT_EQ(MapsFromRoot(*module, "ys", 1), Texts{});
}

TEST(LoopMaps, ArraysThatChangePlacesAreFollowed) {
  const auto module = CorpusModule("loop_swap");
  EXPECT_EQ(MapsFromRoot(*module, "x", 0), Texts{"(d0) -> (d0), domain: d0 in [0, 8]"});
  EXPECT_EQ(MapsFromRoot(*module, "y", 0), Texts{});
}

TEST(LoopMaps, AnElementAtTwoCountersIsAnyElement) {
  const auto module = CorpusModule("loop_nested");
  EXPECT_EQ(MapsFromRoot(*module, "x", 0),
            Texts{"()[s0, s1] -> (s1, s0), domain: s0 in [0, 3], s1 in [0, 2]"});
}

TEST(LoopMaps, WhatIsClaimedOfTheTripsIsNotBelieved) {
  const auto module = CorpusModule("loop_claimed_trips");
  EXPECT_EQ(MapsFromRoot(*module, "x", 0), Texts{"(d0) -> (d0), domain: d0 in [0, 6]"});
}

// AFFIRM_SWEEP loops, from AFFIRM_SWEEP_FROM on.
TEST(RandomLoops, MapsAreWhatIsRead) {
  const char *count = std::getenv("AFFIRM_SWEEP"), *from = std::getenv("AFFIRM_SWEEP_FROM");
  const uint64_t first = from ? std::strtoull(from, nullptr, 10) : 0;
  const uint64_t loops = count ? std::strtoull(count, nullptr, 10) : 150;
  int64_t claims = 0, exact = 0, wider = 0;
  for (uint64_t number = first; number < first + loops; ++number) {
    const std::string text = testing::RandomLoop(number).Text();
    const auto module = testing::ParseOrFail(text);
    ASSERT_TRUE(module);
    Context context;
    for (int64_t id = 0; id < hlo::NumLeaves(module->entry->root->shape); ++id) {
      const InstructionIndexing indexing = OutputToInput(*module->entry->root, id, context);
      for (const LabeledMap& m : indexing.maps[0]) {
        (m.exactness == Exactness::kExact ? exact : wider) += 1;
      }
    }
    for (uint64_t seed : {1, 2}) {
      auto run = fuzz::Observe(*module, *module->entry->root, seed);
      ASSERT_TRUE(bool(run)) << number << ": " << llvm::toString(run.takeError()) << "\n" << text;
      for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
        ASSERT_EQ(fuzz::Disagreement(*run, direction, {}, claims), "")
            << "loop " << number << ", seed " << seed << "\n"
            << text;
      }
    }
  }
  EXPECT_GT(claims, 0);
  EXPECT_GT(exact, wider);
  RecordProperty("exact", std::to_string(exact));
  RecordProperty("over_approximate", std::to_string(wider));
}

}  // namespace
}  // namespace affirm
