// `affirm indexing` prints the maps of the published examples of XLA's indexing analysis to the
// letter, whitespace aside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "tests/tools/run_affirm.h"

namespace affirm::testing {
namespace {

using ::testing::UnorderedElementsAreArray;

std::string WithoutSpace(llvm::StringRef text) {
  std::string out;
  for (char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c))) out.push_back(c);
  }
  return out;
}

struct Example {
  std::string name;
  std::string body;  // of the entry; the last instruction is the root
  std::string computations;
  std::string direction;
  int id;
  int operand;
  std::vector<std::string> maps;
};

// The maps that the text output lists for an operand.
std::vector<std::string> Printed(llvm::StringRef out, int operand) {
  std::vector<std::string> maps;
  bool here = false;
  llvm::SmallVector<llvm::StringRef> lines;
  out.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (line.starts_with("operand id")) {
      here = line == "operand id = " + std::to_string(operand);
    } else if (here && !line.empty()) {
      maps.push_back(WithoutSpace(line));
    }
  }
  return maps;
}

class PublishedMapsTest : public ::testing::TestWithParam<Example> {};

TEST_P(PublishedMapsTest, PrintsTheMaps) {
  const Example& example = GetParam();
  std::string text =
      "HloModule m\n" + example.computations + "\nENTRY e {\n" + example.body + "}\n";
  RunResult run = RunAffirm(
      {"indexing", "-", "--direction", example.direction, "--id", std::to_string(example.id)},
      text);
  ASSERT_EQ(run.status, 0) << run.err;
  std::vector<std::string> expected;
  for (const std::string& map : example.maps) expected.push_back(WithoutSpace(map));
  EXPECT_THAT(Printed(run.out, example.operand), UnorderedElementsAreArray(expected)) << run.out;
}

constexpr char kForward[] = "output-to-input";
constexpr char kBackward[] = "input-to-output";

constexpr char kElementwise[] = R"(
  p0 = f32[10, 20] parameter(0)
  p1 = f32[10, 20] parameter(1)
  ROOT output = f32[10, 20] add(p0, p1)
)";
constexpr char kBroadcast[] = R"(
  p0 = f32[20] parameter(0)
  ROOT bc0 = f32[10, 20, 30] broadcast(p0), dimensions={1}
)";
constexpr char kTranspose[] = R"(
  p0 = f32[3, 12288, 6, 128] parameter(0)
  ROOT transpose = f32[3, 6, 128, 12288] transpose(p0), dimensions={0, 2, 3, 1}
)";
constexpr char kCollapse[] = R"(
  p0 = f32[4,8] parameter(0)
  ROOT reshape = f32[32] reshape(p0)
)";
constexpr char kExpand[] = R"(
  p0 = f32[32] parameter(0)
  ROOT reshape = f32[4, 8] reshape(p0)
)";
constexpr char kGeneric[] = R"(
  p0 = f32[4,8] parameter(0)
  ROOT reshape = f32[2, 4, 4] reshape(p0)
)";
constexpr char kSubshapes[] = R"(
  p0 = f32[4, 8, 12] parameter(0)
  ROOT reshape = f32[32, 3, 4] reshape(p0)
)";
constexpr char kMaxOfTwo[] = R"(
max {
  a0 = f32[] parameter(0)
  a1 = s32[] parameter(1)
  b0 = f32[] parameter(2)
  b1 = s32[] parameter(3)
  wins = pred[] compare(a0, b0), direction=GE
  v = f32[] select(wins, a0, b0)
  i = s32[] select(wins, a1, b1)
  ROOT t = (f32[], s32[]) tuple(v, i)
}
)";
constexpr char kReduce[] = R"(
  p0 = f32[256,10] parameter(0)
  p0_init = f32[] constant(-inf)
  p1 = s32[256,10] parameter(1)
  p1_init = s32[] constant(0)
  ROOT out = (f32[10], s32[10]) reduce(p0, p1, p0_init, p1_init), dimensions={0}, to_apply=max
)";
constexpr char kTransposeFusion[] = R"(
f {
  p0 = f32[1000, 1000] parameter(0)
  transpose_p0 = f32[1000, 1000]{0, 1} transpose(p0), dimensions={1, 0}
  ROOT a0 = f32[1000, 1000] add(p0, transpose_p0)
}
)";
constexpr char kTransposeEntry[] = R"(
  p0 = f32[1000, 1000] parameter(0)
  ROOT fusion = f32[1000, 1000] fusion(p0), kind=kLoop, calls=f
)";
constexpr char kDeduplicatedFusion[] = R"(
f {
  p0 = f32[20, 10, 50] parameter(0)
  lhs_transpose_1 = f32[10, 20, 50] transpose(p0), dimensions={1, 0, 2}
  lhs_e = f32[10, 20, 50] exponential(lhs_transpose_1)
  lhs_transpose_2 = f32[10, 50, 20] transpose(lhs_e), dimensions={0, 2, 1}
  rhs_transpose_1 = f32[50, 10, 20] transpose(p0), dimensions={2, 1, 0}
  rhs_log = f32[50, 10, 20] exponential(rhs_transpose_1)
  rhs_transpose_2 = f32[10, 50, 20] transpose(rhs_log), dimensions={1, 0, 2}
  ROOT output = f32[10, 50, 20] add(lhs_transpose_2, rhs_transpose_2)
}
)";
constexpr char kDeduplicatedEntry[] = R"(
  p0 = f32[20, 10, 50] parameter(0)
  ROOT fusion = f32[10, 50, 20] fusion(p0), kind=kLoop, calls=f
)";
constexpr char kSoftmaxFusion[] = R"(
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
f {
  p0 = f32[2, 65, 125] parameter(0)
  lowest = f32[] constant(-inf)
  m = f32[2, 65] reduce(p0, lowest), dimensions={2}, to_apply=max
  mb = f32[2, 65, 125] broadcast(m), dimensions={0, 1}
  d = f32[2, 65, 125] subtract(p0, mb)
  e = f32[2, 65, 125] exponential(d)
  zero = f32[] constant(0)
  s = f32[2, 65] reduce(e, zero), dimensions={2}, to_apply=sum
  sb = f32[2, 65, 125] broadcast(s), dimensions={0, 1}
  ROOT out = f32[2, 65, 125] divide(e, sb)
}
)";
constexpr char kSoftmaxEntry[] = R"(
  p0 = f32[2, 65, 125] parameter(0)
  ROOT fusion = f32[2, 65, 125] fusion(p0), kind=kLoop, calls=f
)";

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = {
      {"ElementwiseForward",
       kElementwise,
       "",
       kForward,
       0,
       0,
       {"(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"}},
      {"ElementwiseBackward",
       kElementwise,
       "",
       kBackward,
       0,
       0,
       {"(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 19]"}},
      {"BroadcastForward",
       kBroadcast,
       "",
       kForward,
       0,
       0,
       {"(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"}},
      {"BroadcastBackward",
       kBroadcast,
       "",
       kBackward,
       0,
       0,
       {"(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]"}},
      {"TransposeForward",
       kTranspose,
       "",
       kForward,
       0,
       0,
       {"(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], "
        "d2 in [0, 127], d3 in [0, 12287]"}},
      {"TransposeBackward",
       kTranspose,
       "",
       kBackward,
       0,
       0,
       {"(d0, d1, d2, d3) -> (d0, d2, d3, d1), domain: d0 in [0, 2], d1 in [0, 12287], "
        "d2 in [0, 5], d3 in [0, 127]"}},
      {"CollapseForward",
       kCollapse,
       "",
       kForward,
       0,
       0,
       {"(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"}},
      {"CollapseBackward",
       kCollapse,
       "",
       kBackward,
       0,
       0,
       {"(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}},
      {"ExpandForward",
       kExpand,
       "",
       kForward,
       0,
       0,
       {"(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}},
      {"ExpandBackward",
       kExpand,
       "",
       kBackward,
       0,
       0,
       {"(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"}},
      {"GenericForward",
       kGeneric,
       "",
       kForward,
       0,
       0,
       {"(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), domain: d0 in [0, 1], "
        "d1 in [0, 3], d2 in [0, 3]"}},
      {"GenericBackward",
       kGeneric,
       "",
       kBackward,
       0,
       0,
       {"(d0, d1) -> (d0 floordiv 2, d1 floordiv 4 + (d0 mod 2) * 2, d1 mod 4), "
        "domain: d0 in [0, 3], d1 in [0, 7]"}},
      {"SubshapesForward",
       kSubshapes,
       "",
       kForward,
       0,
       0,
       {"(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, 31], "
        "d1 in [0, 2], d2 in [0, 3]"}},
      {"SubshapesBackward",
       kSubshapes,
       "",
       kBackward,
       0,
       0,
       {"(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4), domain: d0 in [0, 3], "
        "d1 in [0, 7], d2 in [0, 11]"}},
      {"ReduceForwardInput",
       kReduce,
       kMaxOfTwo,
       kForward,
       0,
       0,
       {"(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"}},
      {"ReduceForwardInit",
       kReduce,
       kMaxOfTwo,
       kForward,
       0,
       2,
       {"(d0) -> (), domain: d0 in [0, 9]"}},
      {"ReduceBackwardInput",
       kReduce,
       kMaxOfTwo,
       kBackward,
       0,
       0,
       {"(d0, d1) -> (d1), domain: d0 in [0, 255], d1 in [0, 9]"}},
      {"ReduceBackwardInit",
       kReduce,
       kMaxOfTwo,
       kBackward,
       2,
       0,
       {"()[s0] -> (s0), domain: s0 in [0, 9]"}},
      {"OneInputSeveralMaps",
       kTransposeEntry,
       kTransposeFusion,
       kForward,
       0,
       0,
       {"(d0, d1) -> (d0, d1), domain: d0 in [0, 999], d1 in [0, 999]",
        "(d0, d1) -> (d1, d0), domain: d0 in [0, 999], d1 in [0, 999]"}},
      {"OneInputDeduplicated",
       kDeduplicatedEntry,
       kDeduplicatedFusion,
       kForward,
       0,
       0,
       {"(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]"}},
      {"Softmax",
       kSoftmaxEntry,
       kSoftmaxFusion,
       kForward,
       0,
       0,
       {"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], "
        "s0 in [0, 124]",
        "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124]"}},
  };
  return examples;
}

TEST(SeedSources, IotaHasTheMapOfItsDomain) {
  RunResult run = RunAffirm({"indexing", "-"}, "ROOT iota = f32[2,4] iota(), iota_dimension=1\n");
  EXPECT_EQ(run.out, "no operands\n  (d0, d1) -> (), domain: d0 in [0, 1], d1 in [0, 3]\n")
      << run.err;
}

INSTANTIATE_TEST_SUITE_P(Published, PublishedMapsTest, ::testing::ValuesIn(Examples()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace affirm::testing
