// What queries share changes no answer: loops of the corpus and random ones, asked in either order.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "tests/loop_modules.h"

namespace affirm {
namespace {

using testing::CorpusLoops;
using testing::CorpusModule;
using testing::ParseOrFail;
using testing::RandomLoop;

std::vector<const hlo::Instruction*> AllOf(const hlo::Module& module, bool backwards) {
  std::vector<const hlo::Instruction*> all;
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) all.push_back(op.get());
  }
  if (backwards) std::reverse(all.begin(), all.end());
  return all;
}

void ExpectSameAnswers(const hlo::Module& module, const std::string& name) {
  for (const bool backwards : {false, true}) {
    Context context;
    IndexingMemo memo(context);
    for (const hlo::Instruction* op : AllOf(module, backwards)) {
      for (const bool exact : {false, true}) {
        const IndexingOptions options{.exact = exact};
        for (int64_t leaf = hlo::NumLeaves(op->shape); leaf-- > 0;) {
          EXPECT_EQ(OutputToInput(*op, leaf, memo, options).maps,
                    OutputToInput(*op, leaf, context, options).maps)
              << name << ": " << op->name << ", output " << leaf << ", exact " << exact;
        }
        for (int64_t k = 0; k < std::ssize(op->operands); ++k) {
          EXPECT_EQ(InputToOutput(*op, k, memo, options).maps,
                    InputToOutput(*op, k, context, options).maps)
              << name << ": " << op->name << ", operand " << k << ", exact " << exact;
        }
      }
    }
  }
}

TEST(IndexingMemo, ChangesNoAnswerOnLoopsOfTheCorpus) {
  const std::vector<std::string> names = CorpusLoops();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) ExpectSameAnswers(*CorpusModule(name), name);
}

TEST(IndexingMemo, ChangesNoAnswerOnRandomLoops) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto module = ParseOrFail(RandomLoop(seed).Text());
    ASSERT_NE(module, nullptr);
    ExpectSameAnswers(*module, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace affirm
