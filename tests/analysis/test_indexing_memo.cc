// State that queries share changes no answer: loops of the corpus and random ones, in either order.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/simplify/simplify.h"
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

// Arrays on the way to the root that are copies of one another share their maps: those of each
// parameter are what following it by itself gives.
TEST(IndexingMemo, ParametersThatLeadToOneArrayHaveTheirOwnMaps) {
  const auto module = ParseOrFail(R"(HloModule m
with_reversed {
  x = f32[6] parameter(0)
  y = f32[6] parameter(1)
  z = f32[6] reverse(y), dimensions={0}
  ROOT w = f32[6] add(x, z)
}
and_reversed {
  x = f32[6] parameter(0)
  y = f32[6] reverse(x), dimensions={0}
  ROOT t = (f32[6], f32[6]) tuple(x, y)
}
fused {
  a = f32[4] parameter(0)
  b = f32[6] parameter(1)
  c = f32[6] parameter(2)
  d = f32[2,3] parameter(3)
  e = (f32[6], f32[6]) parameter(4)
  g = f32[6] parameter(5)
  zero = f32[] constant(0)
  padded = f32[6] pad(a, zero), padding=0_2
  sliced = f32[4] slice(b), slice={[0:4]}
  widened = f32[6] pad(sliced, zero), padding=0_2
  both = f32[6] call(c, c), to_apply=with_reversed
  flat = f32[6] reshape(d)
  e0 = f32[6] get-tuple-element(e), index=0
  e1 = f32[6] get-tuple-element(e), index=1
  back = f32[6] reverse(e1), dimensions={0}
  s0 = f32[6] add(padded, widened)
  s1 = f32[6] add(s0, both)
  s2 = f32[6] add(s1, flat)
  s3 = f32[6] add(s2, e0)
  s4 = f32[6] add(s3, back)
  results = (f32[6], f32[6]) call(g), to_apply=and_reversed
  g0 = f32[6] get-tuple-element(results), index=0
  g1 = f32[6] get-tuple-element(results), index=1
  h = f32[6] multiply(g0, g1)
  s5 = f32[6] add(s4, h)
  twice = f32[6] reverse(s5), dimensions={0}
  ROOT r = (f32[6], f32[6]) tuple(twice, s5)
}
ENTRY entry {
  a = f32[4] parameter(0)
  b = f32[6] parameter(1)
  c = f32[6] parameter(2)
  d = f32[2,3] parameter(3)
  e = (f32[6], f32[6]) parameter(4)
  g = f32[6] parameter(5)
  ROOT f = (f32[6], f32[6]) fusion(a, b, c, d, e, g), kind=kLoop, calls=fused
})");
  ASSERT_NE(module, nullptr);
  const hlo::Instruction& fusion = *module->entry->root;
  const hlo::Instruction& root = *fusion.called[0]->root;
  Context context;
  IndexingMemo memo(context);
  for (int64_t k = 0; k < std::ssize(fusion.operands); ++k) {
    const InstructionIndexing maps = InputToOutput(fusion, k, memo);
    for (int64_t leaf = 0; leaf < hlo::NumLeaves(fusion.operands[k]->shape); ++leaf) {
      GroupedIndexing alone = ConsumerIndexing(fusion, k, leaf, context);
      for (int64_t result = 0; result < std::ssize(maps.maps); ++result) {
        std::vector<IndexingMap> together, apart;
        for (const LabeledMap& m : maps.maps[result]) {
          if (m.leaf == leaf) together.push_back(m.map);
        }
        for (const LabeledMap& m : alone[&root]) {
          if (m.leaf == result) apart.push_back(Simplify(m.map));
        }
        EXPECT_FALSE(together.empty());
        EXPECT_EQ(together, apart) << "operand " << k << ", leaf " << leaf << ", output " << result;
      }
    }
  }
}

}  // namespace
}  // namespace affirm
