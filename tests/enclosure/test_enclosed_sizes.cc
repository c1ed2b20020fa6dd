// Sizes at run time that roundings decide.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>

#include "core/hlo/text.h"
#include "verify/enclosure/compare.h"
#include "verify/enclosure/integers.h"
#include "verify/enclosure/sizes.h"
#include "verify/reference/interpreter.h"

namespace affirm::enclosure {
namespace {

hlo::Literal Floats(const std::vector<float>& values) {
  hlo::Literal literal(hlo::Shape::Array(hlo::PrimitiveType::kF32, {std::ssize(values)}));
  for (size_t i = 0; i < values.size(); ++i) literal.Set<float>(static_cast<int64_t>(i), values[i]);
  return literal;
}

// A result of x, of eight elements, whose size is n: (y * (1/49)) * 49 as an integer.
std::unique_ptr<hlo::Module> Sized(const std::string& functions, const std::string& result) {
  auto module = hlo::ParseModule(
      "HloModule m\n" + functions +
          "ENTRY e { x = f32[8] parameter(0) y = f32[1] parameter(1) s = f32[] reshape(y)\n"
          "t = f32[] constant(0.0204081633) h = f32[] constant(49) p = f32[] multiply(s, t)\n"
          "q = f32[] multiply(p, h) n = s32[] convert(q)\n" +
          result + " }",
      "m.hlo");
  EXPECT_TRUE(!!module);
  return std::move(*module);
}

hlo::LiteralComparison Compared(const hlo::Module& module, float y, int64_t size) {
  const std::vector<hlo::Literal> arguments = {Floats({1, 2, 3, 4, 5, 6, 7, 8}), Floats({y})};
  auto expected = hlo::Interpret(*module.entry, arguments, nullptr);
  EXPECT_TRUE(!!expected);
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) values.push_back(static_cast<float>(i + 1));
  ResultComparison comparison(*module.entry, {});
  return comparison.Compare(arguments, *expected, Floats(values));
}

constexpr char kSet[] = "r = f32[<=8] set-dimension-size(x, n), dimensions={0}";
const std::string kRoot = std::string("ROOT ") + kSet;

// For 7 it is 6.9999995 as it is executed, and 7 with another rounding.
TEST(EnclosedSizes, ASizeThatRoundingsDecideIsOpen) {
  const auto module = Sized("", kRoot);
  EXPECT_FALSE(Compared(*module, 7, 6).first);
  const auto open = Compared(*module, 7, 7);
  EXPECT_FALSE(open.first);
  EXPECT_EQ(open.left_open, 1);
  EXPECT_NE(open.why_open.find("roundings decide"), std::string::npos);
  for (const int64_t wrong : {5, 8}) EXPECT_TRUE(Compared(*module, 7, wrong).first) << wrong;
  // 3.4999998 and 3.5 are 3.
  for (const int64_t wrong : {2, 4, 7}) EXPECT_TRUE(Compared(*module, 3.5f, wrong).first);
}

// The size in a called computation, behind an operation, and beside another array.
TEST(EnclosedSizes, SizesInCalledComputationsAreOpen) {
  const std::string function =
      "f { x = f32[8] parameter(0) n = s32[] parameter(1) ROOT r = f32[<=8] set-dimension-size(x, "
      "n), dimensions={0} }\n";
  for (const char* caller : {"call(x, n), to_apply=f", "fusion(x, n), kind=kLoop, calls=f"}) {
    const auto module = Sized(function, std::string("ROOT c = f32[<=8] ") + caller);
    EXPECT_EQ(Compared(*module, 7, 7).left_open, 1) << caller;
    EXPECT_TRUE(Compared(*module, 7, 5).first) << caller;
  }
  const auto copied = Sized("", std::string(kSet) + " ROOT c = f32[<=8] copy(r)");
  EXPECT_EQ(Compared(*copied, 7, 7).left_open, 1);
  EXPECT_TRUE(Compared(*copied, 7, 5).first);
  const auto fixed = Sized("", std::string(kSet) +
                                   " k = s32[] constant(3) ROOT c = f32[<=8] "
                                   "set-dimension-size(x, k), dimensions={0}");
  EXPECT_TRUE(Compared(*fixed, 7, 7).first);
}

// A branch that a rounding chooses has another size.
TEST(EnclosedSizes, BranchesThatRoundingsChooseHaveOpenSizes) {
  const std::string functions =
      "f { x = f32[8] parameter(0) n = s32[] constant(6) ROOT r = f32[<=8] set-dimension-size(x, "
      "n), dimensions={0} }\ng { x = f32[8] parameter(0) n = s32[] constant(3) ROOT r = f32[<=8] "
      "set-dimension-size(x, n), dimensions={0} }\n";
  const auto module =
      Sized(functions,
            "k = s32[] constant(7) less = pred[] compare(n, k), direction=LT ROOT c = "
            "f32[<=8] conditional(less, x, x), true_computation=f, "
            "false_computation=g");
  EXPECT_FALSE(Compared(*module, 7, 6).first);
  EXPECT_EQ(Compared(*module, 7, 3).left_open, 1);
  // 6.5 is less than 7, whatever is rounded.
  EXPECT_TRUE(Compared(*module, 6.5f, 3).first);
}

// Without elements as it is executed, an array may have some.
TEST(EnclosedSizes, ArraysWithoutElementsMayHaveSome) {
  const auto module = Sized("",
                            "m = s32[] constant(1) u = s32[] and(n, m)\n"
                            "ROOT r = f32[<=8] set-dimension-size(x, u), dimensions={0}");
  EXPECT_EQ(Compared(*module, 7, 1).left_open, 1);
  EXPECT_TRUE(Compared(*module, 0.0f, 1).first);
  // So may be what is computed of them: the sum of one element is 1, and that of none is 0.
  const auto sum = Sized(
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n",
      "m = s32[] constant(1) u = s32[] and(n, m) r = f32[<=8] set-dimension-size(x, u), "
      "dimensions={0} z = f32[] constant(0) v = f32[] reduce(r, z), dimensions={0}, to_apply=add "
      "ROOT w = f32[1] reshape(v)");
  EXPECT_FALSE(Compared(*sum, 7, 1).first);
  EXPECT_TRUE(Compared(*sum, 0.0f, 1).first);
}

// Bits of numbers of a range.
RC_GTEST_PROP(EnclosedSizes, BitwiseOperationsHaveAllTheirValues, ()) {
  const auto module = hlo::ParseModule(
      "HloModule m\nENTRY e { a = s32[] parameter(0) b = s32[] parameter(1) u = s32[] and(a, b) "
      "v = s32[] or(a, b) w = s32[] xor(a, b) ROOT t = (s32[], s32[], s32[]) tuple(u, v, w) }",
      "m.hlo");
  const auto lo = *rc::gen::inRange<int64_t>(0, 300), of_lo = *rc::gen::inRange<int64_t>(0, 300);
  const auto hi = lo + *rc::gen::inRange<int64_t>(0, 20),
             of_hi = of_lo + *rc::gen::inRange<int64_t>(0, 3);
  for (const hlo::Instruction* op : (*module)->entry->root->operands) {
    const Enclosure of =
        EncloseIntegers(*op, {Enclosure::Integers(lo, hi), Enclosure::Integers(of_lo, of_hi)});
    for (int64_t x = lo; x <= hi; ++x) {
      for (int64_t y = of_lo; y <= of_hi; ++y) {
        const int64_t value = op->opcode == hlo::Opcode::kAnd  ? x & y
                              : op->opcode == hlo::Opcode::kOr ? x | y
                                                               : x ^ y;
        RC_ASSERT(of.lo <= value);
        RC_ASSERT(value <= of.hi);
      }
    }
    if (lo == hi && of_lo == of_hi) RC_ASSERT(of.lo == of.hi);
  }
  // 2 or 3 has another bit than the one of 1.
  const Enclosure low = EncloseIntegers(*(*module)->entry->root->operands[0],
                                        {Enclosure::Integers(2, 3), Enclosure::Integers(1, 1)});
  RC_ASSERT(low.hi == 1);
}

}  // namespace
}  // namespace affirm::enclosure
