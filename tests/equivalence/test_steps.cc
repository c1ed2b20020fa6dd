// Computations of many layers that differ in how each layer is written: no term says all of them,
// and they are proved the same place after place.
#include <gtest/gtest.h>

#include <string>

#include "tests/parse_module.h"
#include "verify/equivalence/prove.h"

namespace affirm::equivalence {
namespace {

constexpr int kLayers = 16;

// x[k] = (x[k - 1] * x[k - 1]) turned twice or copied; in layer `wrong` turned once.
std::string Layers(bool turned, int wrong = 0) {
  std::string text = "x0 = f32[4,4] tanh(p)\n";
  for (int k = 1; k <= kLayers; ++k) {
    const std::string n = std::to_string(k), before = "x" + std::to_string(k - 1);
    text += "d" + n + " = f32[4,4] dot(" + before + ", " + before +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    if (k == wrong) {
      text += "x" + n + " = f32[4,4] transpose(d" + n + "), dimensions={1,0}\n";
    } else if (turned) {
      text += "t" + n + " = f32[4,4] transpose(d" + n + "), dimensions={1,0}\n";
      text += "x" + n + " = f32[4,4] transpose(t" + n + "), dimensions={1,0}\n";
    } else {
      text += "x" + n + " = f32[4,4] copy(d" + n + ")\n";
    }
  }
  return text;
}

std::string Entry(const std::string& layers) {
  return "HloModule m\nENTRY e { p = f32[4,4] parameter(0)\n" + layers +
         "ROOT r = f32[4,4] negate(x" + std::to_string(kLayers) + ") }\n";
}

// The layers in the body of a loop, in a computation of their own.
std::string Loop(const std::string& layers) {
  return "HloModule m\nlayers { p = f32[4,4] parameter(0)\n" + layers +
         "ROOT r = f32[4,4] negate(x" + std::to_string(kLayers) + ") }\n" + R"(
body { s = (s32[], f32[4,4]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[4,4] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[4,4] fusion(x), kind=kLoop, calls=layers ROOT t = (s32[], f32[4,4]) tuple(j, y) }
more { s = (s32[], f32[4,4]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { p = f32[4,4] parameter(0) z = s32[] constant(0) s = (s32[], f32[4,4]) tuple(z, p)
  w = (s32[], f32[4,4]) while(s), condition=more, body=body
  ROOT r = f32[4,4] get-tuple-element(w), index=1 }
)";
}

EquivalenceProof Prove(const std::string& a, const std::string& b) {
  const auto of_a = testing::ParseOrFail(a), of_b = testing::ParseOrFail(b);
  if (!of_a || !of_b) return {};
  return ProveEquivalent(*of_a->entry, *of_b->entry, {});
}

TEST(Steps, LayersThatAreWrittenOtherwiseAreProvedOneByOne) {
  EXPECT_TRUE(Prove(Entry(Layers(true)), Entry(Layers(false))).proved());
  EXPECT_TRUE(Prove(Entry(Layers(false)), Entry(Layers(true))).proved());
}

TEST(Steps, AWrongLayerIsNoStep) {
  for (int wrong : {1, kLayers}) {
    EXPECT_FALSE(Prove(Entry(Layers(true)), Entry(Layers(false, wrong))).proved()) << wrong;
    EXPECT_FALSE(Prove(Entry(Layers(true, wrong)), Entry(Layers(false))).proved()) << wrong;
  }
}

TEST(Steps, BodiesOfLoopsAreProvedSo) {
  EXPECT_TRUE(Prove(Loop(Layers(true)), Loop(Layers(false))).proved());
  const EquivalenceProof wrong = Prove(Loop(Layers(true)), Loop(Layers(false, 5)));
  ASSERT_FALSE(wrong.proved());
  EXPECT_NE(wrong.results[0].reason.find("it is not 'w' of B: 'body', result 1"), std::string::npos)
      << wrong.results[0].reason;
}

// As many reductions, each of the sum of all before it, have terms that grow with their square;
// those whose operands change places alone, under other names, need none.
TEST(Steps, OperandsThatChangePlacesAreOneForm) {
  auto reductions = [](int count, bool swapped, const std::string& op) {
    std::string text = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e { p = f32[4,4] parameter(0) z = f32[] constant(0)
)";
    std::string before = "p";
    for (int k = 0; k < count; ++k) {
      const std::string n = (swapped ? "b" : "a") + std::to_string(k);
      text += "s" + n + " = f32[4] reduce(" + before + ", z), dimensions={1}, to_apply=add\n";
      text += "w" + n + " = f32[4,4] broadcast(s" + n + "), dimensions={0}\n";
      text += "x" + n + " = f32[4,4] " + op + "(" +
              (swapped ? "w" + n + ", " + before : before + ", w" + n) + ")\n";
      before = "x" + n;
    }
    return text + "ROOT r = f32[4,4] negate(" + before + ") }\n";
  };
  EXPECT_TRUE(Prove(reductions(400, false, "add"), reductions(400, true, "add")).proved());
  EXPECT_TRUE(Prove(reductions(3, false, "maximum"), reductions(3, true, "maximum")).proved());
  EXPECT_FALSE(Prove(reductions(3, false, "subtract"), reductions(3, true, "subtract")).proved());
}

}  // namespace
}  // namespace affirm::equivalence
