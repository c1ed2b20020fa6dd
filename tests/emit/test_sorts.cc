// Sorts and top-k: their kernels, one after the other, give what the interpreter gives.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "core/hlo/text.h"
#include "tests/emit/kernel_testing.h"
#include "tests/parse_module.h"
#include "verify/reference/arguments.h"

namespace affirm::testing {
namespace {

// The kernels of the entry in turn, on the emulator, against the interpreter; how many they are.
int64_t SortsLikeTheInterpreter(const std::string& text,
                                const std::vector<hlo::Literal>& given = {}) {
  auto module = ParseOrFail(text);
  if (!module) return 0;
  const hlo::Computation& entry = *module->entry;
  return NumKernelsThatMatch(
      entry, given.empty() ? hlo::MakeArguments(entry, 7, hlo::ArgumentKind::kSmall) : given);
}

std::string Less(const std::string& type, const std::string& direction) {
  const std::string total = type[0] == 'f' || type[0] == 'b' ? ", type=TOTALORDER" : "";
  return "less { a = " + type + "[] parameter(0) b = " + type +
         "[] parameter(1) ROOT r = pred[] compare(a, b), direction=" + direction + total + " }\n";
}

std::string SortText(const std::string& type, const std::string& dims, int64_t dimension) {
  const std::string shape = type + "[" + dims + "]";
  return "ENTRY e { p = " + shape + " parameter(0) ROOT s = " + shape + " sort(p), dimensions={" +
         std::to_string(dimension) + "}, to_apply=less }";
}

TEST(Sorts, RowsOfAllLengths) {
  for (int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 127}) {
    EXPECT_EQ(SortsLikeTheInterpreter(Less("s32", "LT") + SortText("s32", std::to_string(n), 0)),
              1);
  }
}

TEST(Sorts, AllTypesInBothDirections) {
  for (const char* type :
       {"s8", "u8", "s16", "u32", "s64", "u64", "f16", "bf16", "f32", "f64", "pred"}) {
    for (const char* direction : {"LT", "GT"}) {
      SortsLikeTheInterpreter(Less(type, direction) + SortText(type, "3,21", 1));
    }
  }
}

TEST(Sorts, AnyDimension) {
  for (int64_t d : {0, 1, 2}) {
    SortsLikeTheInterpreter(Less("s32", "LT") + SortText("s32", "5,6,7", d));
    SortsLikeTheInterpreter(Less("s32", "GT") + SortText("s32", "3,1,5", d));
    SortsLikeTheInterpreter(Less("s32", "GT") + SortText("s32", "3,0,5", d));
  }
}

// Zeros of both signs and NaNs of both, infinities, and what is between.
hlo::Literal Floats(int64_t n) {
  const float nan = std::nanf(""), inf = INFINITY;
  const float notable[] = {0.0F, -0.0F, nan, -nan, inf, -inf, 1.5F, -1.5F, 1e-45F, -1e-45F};
  hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kF32, {n}));
  for (int64_t i = 0; i < n; ++i) literal.Set<float>(i, notable[(i * 7 + i / 10) % 10]);
  return literal;
}

hlo::Literal Numbers(int64_t n) {
  hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kS32, {n}));
  for (int64_t i = 0; i < n; ++i) literal.SetInt(i, i);
  return literal;
}

// As JAX writes it: zeros are one, NaNs are one and come last, and equal ones keep their order.
constexpr char kJaxLess[] = R"(less {
  a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  zero = f32[] constant(0) nan = f32[] constant(nan)
  a_zero = pred[] compare(a, zero), direction=EQ
  a_one = f32[] select(a_zero, zero, a)
  a_nan = pred[] compare(a, a), direction=NE
  a_key = f32[] select(a_nan, nan, a_one)
  b_zero = pred[] compare(b, zero), direction=EQ
  b_one = f32[] select(b_zero, zero, b)
  b_nan = pred[] compare(b, b), direction=NE
  b_key = f32[] select(b_nan, nan, b_one)
  ROOT r = pred[] compare(a_key, b_key), direction=LT, type=TOTALORDER }
)";

std::string Pairs(int64_t n) {
  const std::string dims = "[" + std::to_string(n) + "]";
  return "ENTRY e { k = f32" + dims + " parameter(0) v = s32" + dims +
         " parameter(1) ROOT s = (f32" + dims + ", s32" + dims +
         ") sort(k, v), dimensions={0}, is_stable=true, to_apply=less }";
}

TEST(Sorts, EqualKeysKeepTheirOrder) {
  for (int64_t n : {2, 10, 33, 100}) {
    SortsLikeTheInterpreter(kJaxLess + Pairs(n), {Floats(n), Numbers(n)});
  }
}

// By the second operand, then by the first one downwards, and a constant.
TEST(Sorts, ComparatorsOfSeveralKeys) {
  const std::string less = R"(less {
    a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
    four = s32[] constant(4)
    c4 = s32[] remainder(c, four) d4 = s32[] remainder(d, four)
    lt = pred[] compare(c4, d4), direction=LT eq = pred[] compare(c4, d4), direction=EQ
    gt = pred[] compare(a, b), direction=GT, type=TOTALORDER
    both = pred[] and(eq, gt)
    ROOT r = pred[] or(lt, both) }
)";
  SortsLikeTheInterpreter(less + Pairs(50), {Floats(50), Numbers(50)});
}

// A total order as XLA's CPU backend leaves it: of the bits, by bitcasts of single elements.
TEST(Sorts, ComparatorsOfBits) {
  for (const auto& [type, bits, most] :
       {std::tuple("f32", "s32", "2147483647"), std::tuple("f64", "s64", "9223372036854775807"),
        std::tuple("bf16", "s16", "32767"), std::tuple("f16", "s16", "32767"),
        std::tuple("f8e5m2", "s8", "127"), std::tuple("f8e4m3fn", "s8", "127")}) {
    std::string less = "less { a = " + std::string(type) + "[] parameter(0) b = " + type +
                       "[] parameter(1) zero = " + bits + "[] constant(0) most = " + bits +
                       "[] constant(" + most + ")\n";
    for (const std::string x : {"a", "b"}) {
      less += x + "i = " + bits + "[] bitcast(" + x + ") " + x + "n = pred[] compare(" + x +
              "i, zero), direction=LT " + x + "t = " + bits + "[] xor(" + x + "i, most) " + x +
              "k = " + bits + "[] select(" + x + "n, " + x + "t, " + x + "i)\n";
    }
    less += "ROOT r = pred[] compare(ak, bk), direction=LT }\n";
    SortsLikeTheInterpreter(less + SortText(type, "3,21", 1));
    if (std::string(type) == "f32") {
      SortsLikeTheInterpreter(less + SortText(type, "50", 0), {Floats(50)});
    }
  }
}

// A tile is 512 elements: whole ones, and one that is shorter.
TEST(Sorts, LongRowsTakeSeveralLaunches) {
  for (int64_t n : {513, 1024, 1030, 1600}) {
    EXPECT_GT(SortsLikeTheInterpreter(kJaxLess + Pairs(n), {Floats(n), Numbers(n)}), 4);
  }
  SortsLikeTheInterpreter(Less("s16", "GT") + SortText("s16", "2,1025,2", 1));
  // One array whose equal elements are the same needs no positions.
  EXPECT_EQ(SortsLikeTheInterpreter(Less("s32", "LT") + SortText("s32", "1024", 0)), 4);
}

// Four sorts of tiles, and one launch for up to three distances; the last one reshapes.
TEST(Sorts, EightTilesAreMergedInEightLaunches) {
  EXPECT_EQ(SortsLikeTheInterpreter(Less("u8", "LT") + SortText("u8", "4096", 0)), 8);
}

// Ops before and behind a sort go into the kernels around it.
TEST(Sorts, SortsAmongOtherOps) {
  const std::string text = Less("s32", "LT") + R"(ENTRY e { p = s32[4,20] parameter(0)
    n = s32[4,20] negate(p)
    s = s32[4,20] sort(n), dimensions={1}, to_apply=less
    t = s32[20,4] transpose(s), dimensions={1,0}
    u = s32[20,4] sort(t), dimensions={1}, to_apply=less
    ROOT r = (s32[20,4], s32[4,20]) tuple(u, s) })";
  EXPECT_EQ(SortsLikeTheInterpreter(text), 3);
}

TEST(TopKKernels, AreSortsThatKeepTheFirst) {
  for (const char* largest : {"true", "false"}) {
    for (const char* type : {"f32", "bf16", "s32"}) {
      SortsLikeTheInterpreter(std::string("ENTRY e { p = ") + type +
                              "[3,40] parameter(0) ROOT t = (" + type +
                              "[3,7], s32[3,7]) topk(p), k=7, largest=" + largest + " }");
    }
  }
  SortsLikeTheInterpreter(
      "ENTRY e { p = f32[30] parameter(0) ROOT t = (f32[30], s32[30]) topk(p), k=30, largest=true "
      "}",
      {Floats(30)});
}

}  // namespace
}  // namespace affirm::testing
