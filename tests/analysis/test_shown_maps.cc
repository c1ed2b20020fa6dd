// The maps of single instructions as they are shown: simplified, and labeled exact where they are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/hlo/leaves.h"
#include "core/simplify/simplify.h"
#include "tests/analysis/hlo_text.h"
#include "tests/analysis/random_hlo.h"

namespace affirm {
namespace {

using testing::Parse;
using testing::Parsed;

// The map with each variable that has a single value replaced by that value.
IndexingMap WithPointValues(const IndexingMap& map) {
  auto fn = [&](VarKind kind, int64_t i) {
    Interval bounds = map.vars(kind)[i].bounds;
    return bounds.IsPoint() ? map.context()->Constant(bounds.lower) : SymbolicExpr();
  };
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Substitute(fn));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints()) {
    constraints.push_back({c.expr.Substitute(fn), c.bounds});
  }
  return {*map.context(), results, map.dims(), map.ranges(), map.runtime(), constraints};
}

// Every map of an instruction, from each of its outputs and each of its operands.
std::vector<LabeledMap> MapsOf(const hlo::Instruction& op, Context& context) {
  std::vector<LabeledMap> all;
  auto add = [&](const InstructionIndexing& indexing) {
    for (const std::vector<LabeledMap>& maps : indexing.maps) {
      all.insert(all.end(), maps.begin(), maps.end());
    }
  };
  for (int64_t id = 0; id < NumLeaves(op.shape); ++id) add(OutputToInput(op, id, context));
  for (size_t k = 0; k < op.operands.size(); ++k) {
    add(InputToOutput(op, static_cast<int64_t>(k), context));
  }
  return all;
}

// Simplification only substitutes the variables that have a single value, which XLA keeps in the
// maps of single ops.
TEST(ShownMaps, AreSimplifiedOverTheCorpus) {
  int64_t maps = 0, with_points = 0;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/hlo")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    auto module = hlo::ParseModule(text.str(), entry.path().string());
    ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
    for (const auto& computation : (*module)->computations) {
      for (const auto& op : computation->instructions) {
        Context context;
        for (const LabeledMap& m : MapsOf(*op, context)) {
          if (m.map.state() != IndexingMap::State::kNormal) continue;
          ++maps;
          IndexingMap simplified = Simplify(m.map);
          if (simplified == m.map) continue;
          ++with_points;
          EXPECT_EQ(simplified, WithPointValues(m.map)) << entry.path() << ": " << op->name << "\n"
                                                        << m.map.ToString() << "\n"
                                                        << simplified.ToString();
        }
      }
    }
  }
  EXPECT_GT(maps, 1000);
  EXPECT_LT(with_points, maps / 10);
}

// For a random instruction, its maps are labeled exact if and only if they have the pairs of the
// exact maps. (The wider maps of a convolution with batch groups may have these pairs for some
// sizes; the simplifier does not see that.)
class LabelsOfOps : public ::testing::TestWithParam<hlo::Opcode> {};
TEST_P(LabelsOfOps, SayExactWhereTheyAre) {
  EXPECT_TRUE(rc::check([] {
    const auto module = testing::RandomInstance(GetParam());
    const hlo::Instruction& op = *module->entry->root;
    Context context;
    InstructionIndexing shown = OutputToInput(op, 0, context),
                        exact = OutputToInput(op, 0, context, {.exact = true});
    for (size_t k = 0; k < shown.maps.size(); ++k) {
      const hlo::Shape& operand = op.operands[k]->shape;
      if (!operand.IsArray()) continue;
      std::set<testing::Related> shown_pairs, exact_pairs;
      bool is_exact = true;
      size_t runtime = 0;
      for (const LabeledMap& m : shown.maps[k]) {
        is_exact &= m.exactness == Exactness::kExact;
        runtime += m.map.runtime().size();
        RC_LOG() << m.map.ToString() << "\n";
        shown_pairs.merge(testing::Relation(m.map));
      }
      for (const LabeledMap& m : exact.maps[k]) {
        runtime += m.map.runtime().size();
        exact_pairs.merge(testing::Relation(m.map));
      }
      const bool is_comparable =
          shown.maps[k].empty() == exact.maps[k].empty() &&
          (shown.maps[k].empty() ||
           shown.maps[k][0].map.runtime().size() == exact.maps[k][0].map.runtime().size());
      if (!is_comparable && runtime > 0) continue;
      if (is_exact) RC_ASSERT(shown_pairs == exact_pairs);
      const bool has_groups = op.attributes.batch_group_count > 1;
      if (!is_exact && !has_groups) RC_ASSERT(shown_pairs != exact_pairs);
    }
  }));
}
INSTANTIATE_TEST_SUITE_P(Ops, LabelsOfOps, ::testing::ValuesIn(testing::kOpsWithExactMaps),
                         [](const auto& info) { return testing::TestName(info.param); });

TEST(ShownMaps, OfAnUpdateAsLargeAsTheArrayAreExact) {
  Parsed p = Parse(R"(a = f32[64] parameter(0)
      u = f32[64] parameter(1)
      i = s32[] parameter(2)
      ROOT d = f32[64] dynamic-update-slice(a, u, i))");
  ASSERT_TRUE(p.root) << p.error;
  Context context;
  InstructionIndexing got = OutputToInput(*p.root, 0, context);
  EXPECT_EQ(got.maps[0][0].exactness, Exactness::kOverApproximate);
  EXPECT_EQ(got.maps[1][0].exactness, Exactness::kExact);
  EXPECT_EQ(got.maps[1][0].map.ToString(),
            "(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 63], rt0 in [0, 0]");
  // An element of a smaller update has exactly one place.
  p = Parse(R"(a = f32[64] parameter(0)
      u = f32[9] parameter(1)
      i = s32[] parameter(2)
      ROOT d = f32[64] dynamic-update-slice(a, u, i))");
  got = InputToOutput(*p.root, 1, context);
  EXPECT_EQ(got.maps[0][0].exactness, Exactness::kExact);
  EXPECT_EQ(got.maps[0][0].map.ToString(),
            "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 8], rt0 in [0, 55]");
}

}  // namespace
}  // namespace affirm
