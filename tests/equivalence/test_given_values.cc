// Results whose NaNs have the signs and payloads of the arguments.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parse_module.h"
#include "verify/equivalence/given_values.h"

namespace affirm::equivalence {
namespace {

// The names of the instructions, of those that are asked for, that are given.
std::string Given(const std::string& text, const std::vector<std::string>& names) {
  auto module = testing::ParseOrFail(text);
  if (!module) return "no module";
  const GivenValues given(*module->entry);
  std::string found;
  for (const std::string& name : names) {
    const hlo::Instruction* op = module->FindInstruction(name);
    if (op == nullptr) return "no " + name;
    if (given.IsGiven(*op)) found += name + " ";
  }
  return found;
}

TEST(GivenValues, AreMovedAndNotComputed) {
  EXPECT_EQ(
      Given("HloModule m\nENTRY e { x = f32[8] parameter(0) i = s32[4,1] parameter(1) "
            "c = pred[8] parameter(2) n = f32[8] negate(x) k = f32[8] constant({1,2,3,4,5,6,7,8}) "
            "rev = f32[8] reverse(x), dimensions={0} cat = f32[16] concatenate(x, k), "
            "dimensions={0} mix = f32[16] concatenate(x, n), dimensions={0} "
            "sel = f32[8] select(c, x, k) bad = f32[8] select(c, n, x) "
            "g = f32[4] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1} "
            "bits = s32[8] bitcast-convert(n) back = f32[8] bitcast-convert(bits) "
            "bc = f32[2,4] bitcast(x) bn = f32[2,4] bitcast(n) "
            "ROOT t = (f32[8]) tuple(n) }",
            {"x", "n", "k", "rev", "cat", "mix", "sel", "bad", "g", "bits", "back", "bc", "bn"}),
      "x k rev cat sel g back bc ");
}

// A map computes element by element what a call computes at once.
TEST(GivenValues, AreGivenToMaps) {
  EXPECT_EQ(Given("HloModule m\nless { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = "
                  "pred[] compare(a, b), direction=LT }\nfirst { d = f32[] parameter(0) f = f32[] "
                  "parameter(1) ROOT g = f32[] copy(d) }\nENTRY e { x = f32[8] parameter(0) "
                  "y = f32[8] negate(x) l = pred[8] map(x, y), dimensions={0}, to_apply=less "
                  "k = f32[8] map(x, y), dimensions={0}, to_apply=first ROOT t = (pred[8], f32[8]) "
                  "tuple(l, k) }",
                  {"a", "b", "d", "f", "g", "k"}),
            "a d g k ");
}

// Parameters of comparators and loops, and those of computations whose arguments are not known.
TEST(GivenValues, AreGivenToWhatIsCalled) {
  const std::string text = R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) p = f32[] parameter(2) q = f32[] parameter(3)
  ROOT c = pred[] compare(a, b), direction=LT }
sum { u = f32[] parameter(0) v = f32[] parameter(1) ROOT w = f32[] add(u, v) }
body { s = (s32[], f32[8], f32[8], f32[8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  kept = f32[8] get-tuple-element(s), index=1 turned = f32[8] get-tuple-element(s), index=2
  squared = f32[8] get-tuple-element(s), index=3 o = s32[] constant(1) j = s32[] add(i, o)
  r = f32[8] reverse(turned), dimensions={0} m = f32[8] multiply(squared, squared)
  ROOT t = (s32[], f32[8], f32[8], f32[8]) tuple(j, kept, r, m) }
more { s2 = (s32[], f32[8], f32[8], f32[8]) parameter(0) i2 = s32[] get-tuple-element(s2), index=0
  k2 = f32[8] get-tuple-element(s2), index=1 n = s32[] constant(3000)
  ROOT l = pred[] compare(i2, n), direction=LT }
ENTRY e { x = f32[8] parameter(0) y = f32[8] negate(x) z = s32[] constant(0)
  sorted = (f32[8], f32[8]) sort(x, y), dimensions={0}, to_apply=less
  f = f32[] constant(0) red = f32[] reduce(x, f), dimensions={0}, to_apply=sum
  init = (s32[], f32[8], f32[8], f32[8]) tuple(z, x, x, x)
  loop = (s32[], f32[8], f32[8], f32[8]) while(init), condition=more, body=body
  out1 = f32[8] get-tuple-element(loop), index=1 out2 = f32[8] get-tuple-element(loop), index=2
  out3 = f32[8] get-tuple-element(loop), index=3
  ROOT end = (f32[8], f32[8]) tuple(out1, out2) })";
  EXPECT_EQ(Given(text, {"a", "b", "p", "q", "u", "v", "kept", "turned", "squared", "k2", "out1",
                         "out2", "out3"}),
            "a b kept turned k2 out1 out2 ");
  // The same loop with a computed initial value.
  std::string other = text;
  const std::string from = "tuple(z, x, x, x)";
  other.replace(other.find(from), from.size(), "tuple(z, x, y, x)");
  EXPECT_EQ(Given(other, {"kept", "turned", "out1", "out2"}), "kept out1 ");
}

}  // namespace
}  // namespace affirm::equivalence
