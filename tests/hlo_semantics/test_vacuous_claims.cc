// Claims that hold vacuously, because an array has no elements: a map that does not fit the arrays
// is not proved merely because nothing is read.
#include <gtest/gtest.h>

#include <string>

#include "core/analysis/indexing.h"
#include "core/hlo/leaves.h"
#include "core/hlo/text.h"
#include "verify/hlo/proof/composition.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm {
namespace {

std::unique_ptr<hlo::Module> Parse(const std::string& text) {
  auto module = hlo::ParseModule("HloModule m\n" + text, "text");
  EXPECT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  return std::move(*module);
}

LabeledMap Map(Context& context, const std::string& text, Exactness exactness) {
  LabeledMap labeled;
  labeled.map = llvm::cantFail(ParseIndexingMap(text, context));
  labeled.exactness = exactness;
  return labeled;
}

constexpr Exactness kBoth[] = {Exactness::kExact, Exactness::kOverApproximate};

// A map between f32[0] and f32[4] has to be empty.
TEST(VacuousClaims, OfAnOperandWithoutElements) {
  auto module = Parse(
      "ENTRY e { a = f32[0] parameter(0) b = f32[4] parameter(1) "
      "ROOT c = f32[4] concatenate(a, b), dimensions={0} }");
  Context context;
  auto relation = AccessRelationOf(*module->entry->root, 0, 0, context);
  ASSERT_TRUE(relation.has_value());
  EXPECT_EQ(ProveMaps(*relation, {}, Direction::kOutputToInput).verdict, Verdict::kProved);
  for (Exactness exactness : kBoth) {
    for (const char* text :
         {"(d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0 + 7), domain: d0 in [0, 9]",
          "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 5]",
          "(d0) -> (0), domain: d0 in [2, 2]", "(d0) -> (d0), domain: d0 in [4, 7]"}) {
      EXPECT_EQ(
          ProveMap(*relation, Map(context, text, exactness), Direction::kOutputToInput).verdict,
          Verdict::kRefuted)
          << text;
      EXPECT_EQ(
          ProveMap(*relation, Map(context, text, exactness), Direction::kInputToOutput).verdict,
          Verdict::kRefuted)
          << text;
    }
    for (const char* text :
         {"(d0) -> (d0, d0), domain: d0 in [0, 3]", "(d0) -> (), domain: d0 in [0, 3]",
          "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]", "() -> (0)"}) {
      EXPECT_NE(
          ProveMap(*relation, Map(context, text, exactness), Direction::kOutputToInput).verdict,
          Verdict::kProved)
          << text;
      EXPECT_NE(
          ProveMap(*relation, Map(context, text, exactness), Direction::kInputToOutput).verdict,
          Verdict::kProved)
          << text;
    }
  }
}

// A result without elements, and one of several dims of which one is empty.
TEST(VacuousClaims, OfAResultWithoutElements) {
  auto module = Parse(
      "ENTRY e { a = f32[3,5] parameter(0) ROOT c = f32[0,5] slice(a), slice={[1:1], [0:5]} }");
  Context context;
  auto relation = AccessRelationOf(*module->entry->root, 0, 0, context);
  ASSERT_TRUE(relation.has_value());
  EXPECT_EQ(ProveMaps(*relation, {}, Direction::kOutputToInput).verdict, Verdict::kProved);
  for (Exactness exactness : kBoth) {
    for (const char* text : {"(d0, d1) -> (d0, d1), domain: d0 in [0, 0], d1 in [0, 4]",
                             "(d0, d1) -> (d0 + 9, d1), domain: d0 in [0, 2], d1 in [0, 4]"}) {
      for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
        EXPECT_EQ(ProveMap(*relation, Map(context, text, exactness), direction).verdict,
                  Verdict::kRefuted)
            << text;
      }
    }
  }
}

// An over-approximate map may give too many elements, but not at indices that the result does not
// have.
TEST(VacuousClaims, ADomainBeyondTheResult) {
  auto module = Parse("ENTRY e { a = f32[4] parameter(0) ROOT c = f32[4] negate(a) }");
  Context context;
  auto relation = AccessRelationOf(*module->entry->root, 0, 0, context);
  ASSERT_TRUE(relation.has_value());
  auto verdict = [&](const char* text, Exactness exactness) {
    return ProveMap(*relation, Map(context, text, exactness), Direction::kOutputToInput).verdict;
  };
  for (Exactness exactness : kBoth) {
    EXPECT_EQ(verdict("(d0) -> (d0), domain: d0 in [0, 3]", exactness), Verdict::kProved);
    EXPECT_EQ(verdict("(d0) -> (d0), domain: d0 in [0, 4]", exactness), Verdict::kRefuted);
    EXPECT_EQ(verdict("(d0) -> (d0), domain: d0 in [-1, 3]", exactness), Verdict::kRefuted);
    EXPECT_EQ(verdict("(d0) -> (d0), domain: d0 in [0, 2]", exactness), Verdict::kRefuted);
  }
  EXPECT_EQ(
      verdict("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]", Exactness::kOverApproximate),
      Verdict::kProved);
}

// Where what is read depends on values, no map is exact, whatever other maps there are.
TEST(VacuousClaims, AnExactMapBesideACover) {
  auto module = Parse(
      "ENTRY e { x = f32[3,10] parameter(0) "
      "ROOT r = (f32[3,4], s32[3,4]) topk(x), k=4, largest=true }");
  Context context;
  auto relation = AccessRelationOf(*module->entry->root, 0, 0, context);
  ASSERT_TRUE(relation.has_value());
  const LabeledMap cover =
      Map(context, "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 2], d1 in [0, 3], s0 in [0, 9]",
          Exactness::kOverApproximate);
  const LabeledMap exact =
      Map(context, "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]", Exactness::kExact);
  EXPECT_EQ(ProveMaps(*relation, {cover}, Direction::kOutputToInput).verdict, Verdict::kProved);
  EXPECT_NE(ProveMaps(*relation, {cover, exact}, Direction::kOutputToInput).verdict,
            Verdict::kProved);
}

class FusionClaims : public testing::Test {
 protected:
  // The verdict on a map of operand `k`, with the maps of the analysis for the other operands.
  Verdict Verdict_(const hlo::Module& module, size_t k, const LabeledMap& map) {
    const hlo::Instruction& fusion = *module.entry->root;
    InstructionIndexing indexing = OutputToInput(fusion, 0, context_);
    indexing.maps[k] = {map};
    return ProveFusion(fusion, 0, indexing.maps, context_)[k].verdict;
  }
  Context context_;
};

TEST_F(FusionClaims, OfParametersAndResultsWithoutElements) {
  auto module = Parse(
      "f { a = f32[0] parameter(0) b = f32[4] parameter(1) u = f32[7] parameter(2) "
      "ROOT c = f32[4] concatenate(a, b), dimensions={0} }\n"
      "ENTRY e { a = f32[0] parameter(0) b = f32[4] parameter(1) u = f32[7] parameter(2) "
      "ROOT c = f32[4] fusion(a, b, u), kind=kLoop, calls=f }");
  for (Exactness exactness : kBoth) {
    for (const char* text :
         {"(d0) -> (d0), domain: d0 in [0, 3]", "(d0) -> (d0, d0), domain: d0 in [0, 3]",
          "() -> (0)", "(d0, d1, d2) -> (d1), domain: d0 in [0, 3], d1 in [0, 3], d2 in [0, 3]",
          "(d0) -> (d0), domain: d0 in [5, 9]"}) {
      EXPECT_NE(Verdict_(*module, 0, Map(context_, text, exactness)), Verdict::kProved) << text;
    }
    // Operand 2 is not read.
    EXPECT_NE(Verdict_(*module, 2, Map(context_, "(d0) -> (d0), domain: d0 in [0, 4]", exactness)),
              Verdict::kProved);
    EXPECT_NE(
        Verdict_(*module, 2,
                 Map(context_, "(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 3]", exactness)),
        Verdict::kProved);
    LabeledMap elsewhere = Map(context_, "(d0) -> (d0), domain: d0 in [0, 3]", exactness);
    EXPECT_EQ(Verdict_(*module, 1, elsewhere), Verdict::kProved);
    elsewhere.leaf = 1;
    EXPECT_NE(Verdict_(*module, 1, elsewhere), Verdict::kProved);
  }
}

// Without its selector the map of a branch can be exact only if the branch is known to run.
TEST_F(FusionClaims, OfBranches) {
  const std::string branches =
      "t { a = f32[4] parameter(0) ROOT b = f32[4] negate(a) }\n"
      "ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) s = ";
  const std::string root = " ROOT c = f32[4] conditional(s, x, y), branch_computations={t, t} }";
  auto open = Parse(branches + "s32[] parameter(2)" + root);
  auto known = Parse(branches + "s32[] constant(0)" + root);
  const char* same = "(d0) -> (d0), domain: d0 in [0, 3]";
  EXPECT_EQ(Verdict_(*open, 1, Map(context_, same, Exactness::kOverApproximate)), Verdict::kProved);
  EXPECT_NE(Verdict_(*open, 1, Map(context_, same, Exactness::kExact)), Verdict::kProved);
  EXPECT_EQ(Verdict_(*known, 1, Map(context_, same, Exactness::kExact)), Verdict::kProved);
  // The other branch does not run.
  EXPECT_NE(Verdict_(*known, 2, Map(context_, same, Exactness::kExact)), Verdict::kProved);
}

// If the reads are unknown, any element may be read; it is not known that all are.
TEST_F(FusionClaims, OfEveryElementWhereThePathsAreNotKnown) {
  const auto module = Parse(
      "f { b = f32[4] parameter(0) ROOT c = f32[4] custom-call(b), custom_call_target=\"t\" }\n"
      "ENTRY e { b = f32[4] parameter(0) ROOT c = f32[4] fusion(b), kind=kLoop, calls=f }");
  auto verdict = [&](const char* text, Exactness exactness) {
    return Verdict_(*module, 0, Map(context_, text, exactness));
  };
  const char* every = "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]";
  EXPECT_EQ(verdict(every, Exactness::kOverApproximate), Verdict::kProved);
  EXPECT_NE(verdict(every, Exactness::kExact), Verdict::kProved);
  for (const char* less : {"(d0) -> (d0), domain: d0 in [0, 3]",
                           "(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 2]",
                           "(d0)[s0] -> (s0), domain: d0 in [0, 2], s0 in [0, 3]"}) {
    EXPECT_NE(verdict(less, Exactness::kOverApproximate), Verdict::kProved) << less;
  }
}

// The map of a branch over the values of the selector that select it, and over others.
TEST_F(FusionClaims, OfABranchWhereAnotherRuns) {
  const std::string text =
      "t { b = f32[4] parameter(0) ROOT c = f32[4] negate(b) } ENTRY e { x = f32[4] parameter(0) y "
      "= f32[4] parameter(1) z = f32[4] parameter(3) ";
  const auto by_predicate =
      Parse(text +
            "s = pred[] parameter(2) ROOT c = f32[4] conditional(s, x, y), true_computation=t, "
            "false_computation=t }");
  const auto by_index = Parse(
      text +
      "s = s32[] parameter(2) ROOT c = f32[4] conditional(s, x, y, z), branch_computations={t, t, "
      "t} }");
  for (const hlo::Module* module : {by_predicate.get(), by_index.get()}) {
    const hlo::Instruction& op = *module->entry->root;
    const InstructionIndexing right = OutputToInput(op, 0, context_);
    for (size_t k = 1; k < op.operands.size(); ++k) {
      const LabeledMap& map = right.maps[k][0];
      EXPECT_EQ(Verdict_(*module, static_cast<int64_t>(k), map), Verdict::kProved) << k;
      for (size_t other = 1; other < op.operands.size(); ++other) {
        if (other == k) continue;
        EXPECT_NE(Verdict_(*module, static_cast<int64_t>(other), map), Verdict::kProved)
            << k << " for " << other;
      }
      // Where more of its values, or fewer, are said to select it.
      const Interval clamp = map.map.runtime()[0].source->clamp;
      for (int64_t value = clamp.lower; value <= clamp.upper; ++value) {
        LabeledMap wrong = map;
        wrong.map.SetConstraints({});
        wrong.map.SetBounds(VarKind::kRuntime, 0, Interval::Point(value));
        const bool is_right = wrong.map == map.map;
        EXPECT_EQ(Verdict_(*module, static_cast<int64_t>(k), wrong) == Verdict::kProved, is_right)
            << k << " at " << value;
      }
    }
  }
}

// From the operand to the result: the inverse keeps indices that do not lie in the result.
TEST_F(FusionClaims, BackwardsToIndicesThatDoNotExist) {
  auto module = Parse(
      "f { b = f32[4] parameter(0) ROOT c = f32[4] negate(b) }\n"
      "ENTRY e { b = f32[4] parameter(0) ROOT c = f32[4] fusion(b), kind=kLoop, calls=f }");
  auto verdict = [&](const char* text, Exactness exactness) {
    LabeledMap map = Map(context_, text, exactness);
    map.map = InverseByDefinition(map.map, {4});
    return Verdict_(*module, 0, map);
  };
  for (Exactness exactness : kBoth) {
    EXPECT_EQ(verdict("(d0) -> (d0), domain: d0 in [0, 3]", exactness), Verdict::kProved);
    EXPECT_NE(verdict("(d0)[s0] -> (d0 + s0 * 4), domain: d0 in [0, 3], s0 in [0, 1]", exactness),
              Verdict::kProved);
    EXPECT_NE(verdict("(d0) -> (d0 - 1), domain: d0 in [0, 3]", exactness), Verdict::kProved);
    EXPECT_NE(verdict("(d0) -> (d0, 0), domain: d0 in [0, 3]", exactness), Verdict::kProved);
  }
}

// The maps of the analysis name no element of an array that has none.
TEST(VacuousClaims, TheAnalysisMakesNone) {
  auto module = Parse(
      "ENTRY e { a = f32[6] parameter(0) u = f32[0] parameter(1) i = s32[] parameter(2) "
      "ROOT c = f32[6] dynamic-update-slice(a, u, i) }");
  Context context;
  for (bool exact : {false, true}) {
    EXPECT_TRUE(OutputToInput(*module->entry->root, 0, context, {.exact = exact}).maps[1].empty());
    EXPECT_TRUE(InputToOutput(*module->entry->root, 1, context, {.exact = exact}).maps[0].empty());
  }
}

}  // namespace
}  // namespace affirm
