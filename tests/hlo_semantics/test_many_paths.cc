// Computations with more paths from a result to a parameter than can be followed, and with paths
// that differ in what says nothing.
#include <gtest/gtest.h>

#include <string>

#include "core/analysis/indexing.h"
#include "core/hlo/text.h"
#include "tests/parse_module.h"
#include "verify/hlo/proof/fusion.h"

namespace affirm {
namespace {

// x of 200 elements, of which `name` is each one alone, the last one first.
std::string Reversed(const std::string& x, const std::string& name) {
  std::string text, list;
  for (int i = 199; i >= 0; --i) {
    const std::string part = name + std::to_string(i);
    text += "  " + part + " = f32[1] slice(" + x + "), slice={[" + std::to_string(i) + ":" +
            std::to_string(i + 1) + "]}\n";
    list += (list.empty() ? "" : ", ") + part;
  }
  return text + "  " + name + " = f32[200] concatenate(" + list + "), dimensions={0}\n";
}

IndexingMap Map(const std::string& text, Context& context) {
  return llvm::cantFail(ParseIndexingMap(text, context));
}

TEST(ManyPaths, OfAFusionAreAllElements) {
  const std::unique_ptr<hlo::Module> module = testing::ParseOrFail(
      "HloModule m\n"
      "f {\n  p = f32[200] parameter(0)\n" +
      Reversed("p", "s") + "  ROOT r = f32[200] negate(s)\n}\n" +
      "ENTRY e {\n  p = f32[200] parameter(0)\n"
      "  ROOT r = f32[200] fusion(p), kind=kLoop, calls=f\n}\n");
  ASSERT_TRUE(module);
  Context context;
  const hlo::Instruction& fusion = *module->entry->root;
  const InstructionIndexing indexing = OutputToInput(fusion, 0, context);
  ASSERT_EQ(indexing.maps[0].size(), 1U);
  EXPECT_EQ(indexing.maps[0][0].exactness, Exactness::kOverApproximate);
  EXPECT_EQ(ProveFusion(fusion, 0, indexing.maps, context)[0].verdict, Verdict::kProved);
  // A map that claims less may be right, as the first of these is, or not: it is neither proved nor
  // refuted.
  for (const char* text : {"(d0) -> (-d0 + 199), domain: d0 in [0, 199]",
                           "(d0)[s0] -> (s0), domain: d0 in [0, 199], s0 in [0, 198]"}) {
    for (Exactness exactness : {Exactness::kExact, Exactness::kOverApproximate}) {
      const MapProofResult answer =
          ProveFusion(fusion, 0, {{{Map(text, context), exactness, 0, {}}}}, context)[0];
      EXPECT_EQ(answer.verdict, Verdict::kUnknown) << text;
      EXPECT_EQ(answer.reason, "too many paths, or too large a map");
    }
  }
  // All elements are not read for certain.
  LabeledMap all = indexing.maps[0][0];
  all.exactness = Exactness::kExact;
  EXPECT_EQ(ProveFusion(fusion, 0, {{all}}, context)[0].verdict, Verdict::kUnknown);
}

TEST(ManyPaths, OfALoopAreAllElements) {
  const std::unique_ptr<hlo::Module> module = testing::ParseOrFail(
      "HloModule m\n"
      "b {\n  t = (s32[], f32[200], f32[200]) parameter(0)\n"
      "  i = s32[] get-tuple-element(t), index=0\n  one = s32[] constant(1)\n"
      "  x = f32[200] get-tuple-element(t), index=1\n"
      "  y = f32[200] get-tuple-element(t), index=2\n" +
      Reversed("x", "s") +
      "  z = f32[200] add(s, y)\n  n = s32[] add(i, one)\n"
      "  ROOT r = (s32[], f32[200], f32[200]) tuple(n, s, z)\n}\n"
      "c {\n  t = (s32[], f32[200], f32[200]) parameter(0)\n"
      "  i = s32[] get-tuple-element(t), index=0\n  n = s32[] constant(7)\n"
      "  ROOT r = pred[] compare(i, n), direction=LT\n}\n"
      "ENTRY e {\n  p = (s32[], f32[200], f32[200]) parameter(0)\n"
      "  ROOT w = (s32[], f32[200], f32[200]) while(p), condition=c, body=b\n}\n");
  ASSERT_TRUE(module);
  Context context;
  const hlo::Instruction& loop = *module->entry->root;
  for (int64_t id : {0, 1, 2}) {
    const InstructionIndexing indexing = OutputToInput(loop, id, context);
    const MapProofResult answer = ProveFusion(loop, id, indexing.maps, context)[0];
    EXPECT_EQ(answer.verdict, Verdict::kProved) << id << ": " << answer.reason;
    // Without what leads to x of the operand, what is read of it is missing.
    if (id == 0) continue;
    std::vector<LabeledMap> some;
    for (const LabeledMap& m : indexing.maps[0]) {
      if (m.leaf != 1) some.push_back(m);
    }
    EXPECT_LT(some.size(), indexing.maps[0].size());
    EXPECT_NE(ProveFusion(loop, id, {some}, context)[0].verdict, Verdict::kProved) << id;
  }
}

// Each layer keeps x at a place that is known at run time and reads it back. From any layer on
// there is one path to x, and not one for each way through the layers.
TEST(ManyPaths, ThroughPlacesKnownAtRunTimeAreOne) {
  std::string text =
      "HloModule m\nsum { a = f32[] parameter(0) b = f32[] parameter(1)\n"
      "  ROOT c = f32[] add(a, b) }\n"
      "ENTRY e {\n  x0 = f32[1] parameter(0)\n  kept = f32[9] parameter(1)\n"
      "  at = s32[20] parameter(2)\n  zero = f32[] constant(0)\n";
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i), x = "x" + n;
    text += "  i" + n + " = s32[1] slice(at), slice={[" + n + ":" + std::to_string(i + 1) + "]}\n";
    text += "  j" + n + " = s32[] reshape(i" + n + ")\n";
    text += "  k" + n + " = f32[9] dynamic-update-slice(kept, " + x + ", j" + n + ")\n";
    text += "  r" + n + " = f32[] reduce(k" + n + ", zero), dimensions={0}, to_apply=sum\n";
    text += "  b" + n + " = f32[1] broadcast(r" + n + "), dimensions={}\n";
    text += "  x" + std::to_string(i + 1) + " = f32[1] add(" + x + ", b" + n + ")\n";
  }
  const std::unique_ptr<hlo::Module> module =
      testing::ParseOrFail(text + "  ROOT r = f32[1] negate(x20)\n}\n");
  ASSERT_TRUE(module);
  Context context;
  CallProofs proofs(context);
  const ParameterPaths& paths = PathsInOneRun(*module->entry, 0, proofs);
  ASSERT_EQ(paths.size(), 3U);
  EXPECT_FALSE(paths[0][0].is_widened);
  ASSERT_EQ(paths[0][0].maps.size(), 1U);
  EXPECT_EQ(paths[0][0].maps[0].map.ToString(), "(d0) -> (0), domain: d0 in [0, 0]");
  EXPECT_EQ(paths[0][0].maps[0].exactness, Exactness::kExact);
}

}  // namespace
}  // namespace affirm
