// The cost of analyzing a fusion as it grows, counted in compositions made and expressions
// interned.
#include <gtest/gtest.h>

#include <functional>

#include "core/analysis/computation.h"
#include "tests/analysis/hlo_text.h"

namespace affirm {
namespace {

using testing::Parse;
using testing::Parsed;

// A computation of `levels` levels; level i is the text that `level` makes of the names of its
// input and its result.
using Level = std::function<std::string(int64_t, const std::string&, const std::string&)>;
Parsed Grow(int64_t levels, const Level& level) {
  std::string text = "z = f32[] constant(0)\nx0 = f32[64,64] parameter(0)\n";
  for (int64_t i = 0; i < levels; ++i) {
    const std::string root = i + 1 == levels ? "ROOT " : "";
    text += level(i, "x" + std::to_string(i), root + "x" + std::to_string(i + 1));
  }
  return Parse(text);
}

struct Cost {
  int64_t compositions = 0, expressions = 0;
  std::vector<LabeledMap> maps;  // between the root and the parameter
};

Cost OutputToInputCost(const Parsed& p) {
  Context context;
  analysis::Session session{.context = context};
  InstructionIndexing indexing = analysis::ToParameters(*p.module->entry, 0, session);
  return {session.compositions, context.NumExprs(), indexing.maps[0]};
}

Cost InputToOutputCost(const Parsed& p) {
  Context context;
  analysis::Session session{.context = context};
  InstructionIndexing indexing = analysis::FromParameter(*p.module->entry, 0, session);
  return {session.compositions, context.NumExprs(), indexing.maps[0]};
}

class Scale : public ::testing::TestWithParam<Cost (*)(const Parsed&)> {};
INSTANTIATE_TEST_SUITE_P(BothWays, Scale, ::testing::Values(OutputToInputCost, InputToOutputCost),
                         [](const auto& info) {
                           return info.index ? "InputToOutput" : "OutputToInput";
                         });

std::string Chain(int64_t i, const std::string& in, const std::string& out) {
  constexpr const char* kOps[] = {"negate($)", "transpose($), dimensions={1,0}", "exponential($)",
                                  "reverse($), dimensions={0}"};
  std::string op = kOps[i % 4];
  return out + " = f32[64,64] " + op.replace(op.find('$'), 1, in) + "\n";
}

// From the parameter, its copy is where the way begins.
TEST_P(Scale, AChainCostsACompositionPerInstruction) {
  for (int64_t n : {1000, 2000}) {
    Cost cost = GetParam()(Grow(n, Chain));
    EXPECT_LE(cost.compositions, n);
    EXPECT_GE(cost.compositions, n - 1);
    EXPECT_EQ(cost.maps.size(), 1u);
  }
}

TEST_P(Scale, AChainInternsNoMoreThanItsKindsOfOpsNeed) {
  EXPECT_EQ(GetParam()(Grow(1000, Chain)).expressions, GetParam()(Grow(2000, Chain)).expressions);
}

// Slices move the window by one at each step: new constants, but a few for each instruction.
TEST_P(Scale, AChainOfSlicesInternsAFewExpressionsPerInstruction) {
  auto slices = [](int64_t n) {
    std::string text = "x0 = f32[10000] parameter(0)\n";
    for (int64_t i = 0; i < n; ++i) {
      const std::string size = std::to_string(10000 - i);
      text += (i + 1 == n ? "ROOT x" : "x") + std::to_string(i + 1) + " = f32[" +
              std::to_string(9999 - i) + "] slice(x" + std::to_string(i) + "), slice={[1:" + size +
              "]}\n";
    }
    return Parse(text);
  };
  const Cost small = GetParam()(slices(500)), large = GetParam()(slices(2000));
  EXPECT_EQ(large.compositions, 4 * small.compositions);
  EXPECT_LE(large.expressions, 5 * small.expressions);
  EXPECT_LE(large.expressions, 20 * 2000);
}

// Every node has two uses, so that there are 2^60 paths and one map.
TEST_P(Scale, ALadderHasAMapPerNode) {
  Cost cost = GetParam()(Grow(60, [](int64_t, const std::string& in, const std::string& out) {
    return out + " = f32[64,64] add(" + in + ", " + in + ")\n";
  }));
  EXPECT_EQ(cost.maps.size(), 1u);
  EXPECT_LE(cost.compositions, 2 * 60);
}

// Each level uses the one before as it is, and transposed or reversed. There are no more maps than
// the square has symmetries of that kind.
TEST_P(Scale, ALadderOfSymmetriesHasAsManyMapsAsThereAreSymmetries) {
  Cost cost = GetParam()(Grow(60, [](int64_t i, const std::string& in, const std::string& out) {
    const std::string turned = "t" + std::to_string(i);
    const char* op = i % 2 ? " = f32[64,64] transpose(" : " = f32[64,64] reverse(";
    return turned + op + in + "), dimensions=" + (i % 2 ? "{1,0}\n" : "{0}\n") + out +
           " = f32[64,64] add(" + in + ", " + turned + ")\n";
  }));
  EXPECT_EQ(cost.maps.size(), 8u);
  EXPECT_LE(cost.compositions, 60 * 3 * 8);
  for (const LabeledMap& m : cost.maps) EXPECT_EQ(m.exactness, Exactness::kExact);
}

// Each level uses the one before as it is, and rotated by a distance of its own. The number of maps
// doubles at each level up to kMaxMapsPerLeaf; beyond it there is one, to any element.
std::string RotatedLadder(int64_t i, const std::string& in, const std::string& out) {
  const std::string n = std::to_string(i), cut = std::to_string(1 + i % 63);
  const std::string rest = std::to_string(64 - 1 - i % 63);
  return "a" + n + " = f32[" + cut + ",64] slice(" + in + "), slice={[0:" + cut + "], [0:64]}\n" +
         "b" + n + " = f32[" + rest + ",64] slice(" + in + "), slice={[" + cut + ":64], [0:64]}\n" +
         "c" + n + " = f32[64,64] concatenate(b" + n + ", a" + n + "), dimensions={0}\n" + out +
         " = f32[64,64] add(" + in + ", c" + n + ")\n";
}

TEST_P(Scale, WhereMapsMultiplyPastTheBoundAnyElementIsRead) {
  Cost few = GetParam()(Grow(3, RotatedLadder));
  EXPECT_GT(few.maps.size(), 8u);
  for (const LabeledMap& m : few.maps) EXPECT_EQ(m.exactness, Exactness::kExact);
  Cost cost = GetParam()(Grow(60, RotatedLadder));
  ASSERT_EQ(cost.maps.size(), 1u);
  EXPECT_EQ(cost.maps[0].map.ToString(),
            "(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 63], d1 in [0, 63], s0 in [0, 63], "
            "s1 in [0, 63]");
  EXPECT_EQ(cost.maps[0].exactness, Exactness::kOverApproximate);
  // At the bound for a level or two, then a single map.
  EXPECT_LE(cost.compositions, 4 * 6 * kMaxMapsPerLeaf + 60 * 6);
}

}  // namespace
}  // namespace affirm
