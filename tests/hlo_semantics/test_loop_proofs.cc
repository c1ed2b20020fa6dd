// The invariants that core/analysis finds for loops are proved, and wrong ones are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "tests/loop_modules.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/loops.h"

namespace affirm {
namespace {

class LoopProofs : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    module_ = testing::CorpusModule(GetParam());
    ASSERT_TRUE(module_);
    loop_ = &testing::LoopOf(*module_);
    ASSERT_EQ(loop_->opcode, hlo::Opcode::kWhile);
    leaves_.resize(hlo::NumLeaves(loop_->shape));
    std::iota(leaves_.begin(), leaves_.end(), 0);
  }

  // How many of the claims that follow from the invariants are not proved.
  int64_t NotProved(const CarriedMaps& carried) {
    CallProofs proofs(context_);
    const LoopProof proof(*loop_, carried, proofs);
    int64_t count = 0;
    for (int64_t output : leaves_) {
      for (int64_t leaf : leaves_) {
        std::vector<LabeledMap> maps;
        const auto found = carried.maps.find(output);
        if (found == carried.maps.end()) continue;
        for (LabeledMap m : found->second) {
          if (m.leaf != leaf) continue;
          m.map = AfterAllTrips(carried, m.map);
          maps.push_back(std::move(m));
        }
        count += proof.Prove(output, leaf, maps).verdict != Verdict::kProved;
      }
    }
    return count;
  }

  std::unique_ptr<hlo::Module> module_;
  const hlo::Instruction* loop_ = nullptr;
  std::vector<int64_t> leaves_;
  Context context_;
};

TEST_P(LoopProofs, InvariantsAreProved) {
  EXPECT_EQ(NotProved(AnalyzeCarried(*loop_, leaves_, context_)), 0);
  for (int64_t id : leaves_) {
    const InstructionIndexing indexing = OutputToInput(*loop_, id, context_);
    const std::vector<MapProofResult> answers = ProveFusion(*loop_, id, indexing.maps, context_);
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].verdict, Verdict::kProved) << id << ": " << answers[0].reason;
  }
}

TEST_P(LoopProofs, OtherTripCountsAreNot) {
  const CarriedMaps right = AnalyzeCarried(*loop_, leaves_, context_);
  if (!right.trips) return;
  for (int64_t wrong : {*right.trips - 1, *right.trips + 1}) {
    CarriedMaps carried = right;
    carried.trips = wrong;
    EXPECT_GT(NotProved(carried), 0) << wrong;
  }
}

TEST_P(LoopProofs, OtherValuesInATripAreNot) {
  const CarriedMaps right = AnalyzeCarried(*loop_, leaves_, context_);
  for (size_t i = 0; i < right.values.size(); ++i) {
    CarriedMaps carried = right;
    carried.values[i].value = carried.values[i].value + context_.Dim(0);
    // In a single trip, 0, this is the same value.
    if (*right.trips > 1) {
      EXPECT_GT(NotProved(carried), 0) << i;
    }
  }
}

// Without one of its maps an invariant leaves something out, unless the others contain it.
TEST_P(LoopProofs, MissingExactMapsAreNoticed) {
  const CarriedMaps right = AnalyzeCarried(*loop_, leaves_, context_);
  for (const auto& [output, maps] : right.maps) {
    for (size_t k = 0; k < maps.size(); ++k) {
      if (maps[k].exactness != Exactness::kExact) continue;
      auto covers = [&](const LabeledMap& m) {
        return &m != &maps[k] && m.leaf == maps[k].leaf &&
               ProveSuperset(m.map, maps[k].map).verdict == Verdict::kProved;
      };
      if (std::any_of(maps.begin(), maps.end(), covers)) continue;
      CarriedMaps carried = right;
      carried.maps[output].erase(carried.maps[output].begin() + static_cast<int64_t>(k));
      EXPECT_GT(NotProved(carried), 0) << output << ": " << maps[k].map.ToString();
    }
  }
}

// Every element moved by one along the first dim.
TEST_P(LoopProofs, MovedMapsAreNoticed) {
  const CarriedMaps right = AnalyzeCarried(*loop_, leaves_, context_);
  for (const auto& [output, maps] : right.maps) {
    for (size_t k = 0; k < maps.size(); ++k) {
      if (maps[k].map.results().empty() || maps[k].exactness != Exactness::kExact) continue;
      CarriedMaps carried = right;
      IndexingMap& map = carried.maps[output][k].map;
      map.SetResult(0, map.results()[0] + 1);
      EXPECT_GT(NotProved(carried), 0) << output << ": " << map.ToString();
    }
  }
}

// An element that may be read is not one that is read for certain.
TEST_P(LoopProofs, WiderMapsAreNotExact) {
  const CarriedMaps right = AnalyzeCarried(*loop_, leaves_, context_);
  int64_t wider = 0;
  CarriedMaps carried = right;
  for (auto& [output, maps] : carried.maps) {
    for (LabeledMap& m : maps) {
      wider += m.exactness == Exactness::kOverApproximate;
      m.exactness = Exactness::kExact;
    }
  }
  if (wider > 0) {
    EXPECT_GT(NotProved(carried), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, LoopProofs, ::testing::ValuesIn(testing::CorpusLoops()),
                         [](const auto& info) { return info.param; });

// AFFIRM_SWEEP loops, from AFFIRM_SWEEP_FROM on.
TEST(RandomLoopProofs, MapsAreProved) {
  const char *count = std::getenv("AFFIRM_SWEEP"), *from = std::getenv("AFFIRM_SWEEP_FROM");
  const uint64_t first = from ? std::strtoull(from, nullptr, 10) : 0;
  const uint64_t loops = count ? std::strtoull(count, nullptr, 10) : 60;
  for (uint64_t number = first; number < first + loops; ++number) {
    const std::string text = testing::RandomLoop(number).Text();
    const auto module = testing::ParseOrFail(text);
    ASSERT_TRUE(module);
    const hlo::Instruction& loop = *module->entry->root;
    Context context;
    CallProofs proofs(context);
    for (int64_t id = 0; id < hlo::NumLeaves(loop.shape); ++id) {
      const InstructionIndexing indexing = OutputToInput(loop, id, context);
      const std::vector<MapProofResult> answers = ProveFusion(loop, id, indexing.maps, proofs);
      ASSERT_EQ(answers.size(), 1U);
      EXPECT_EQ(answers[0].verdict, Verdict::kProved)
          << "loop " << number << ", leaf " << id << ": " << answers[0].reason << "\n"
          << text;
    }
  }
}

}  // namespace
}  // namespace affirm
