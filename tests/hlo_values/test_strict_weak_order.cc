// Which comparators are strict weak orders: held against what they say of all triples.
#include <rapidcheck/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "tests/parse_module.h"
#include "verify/hlo/values/strict_weak_order.h"
#include "verify/reference/order_witness.h"
#include "verify/reference/scalar_function.h"

namespace affirm::hlo_values {
namespace {

using hlo::Instruction;

// A sort of arrays of these types, by a comparator of a0, b0, a1, b1, ...
std::string SortText(const std::vector<std::string>& types, const std::string& body) {
  std::string less = "less {\n", entry = "ENTRY e {\n", operands, shapes;
  for (size_t k = 0; k < types.size(); ++k) {
    const std::string n = std::to_string(k);
    less += "  a" + n + " = " + types[k] + "[] parameter(" + std::to_string(2 * k) + ")\n";
    less += "  b" + n + " = " + types[k] + "[] parameter(" + std::to_string(2 * k + 1) + ")\n";
    entry += "  p" + n + " = " + types[k] + "[5] parameter(" + n + ")\n";
    operands += (k > 0 ? ", p" : "p") + n;
    shapes += (k > 0 ? ", " : "") + types[k] + "[5]";
  }
  if (types.size() > 1) shapes = "(" + shapes + ")";
  return less + body + "\n}\n" + entry + "  ROOT s = " + shapes + " sort(" + operands +
         "), dimensions={0}, to_apply=less\n}\n";
}

struct Comparator {
  std::vector<std::string> types;
  std::string body;
};

class Sort {
 public:
  explicit Sort(const Comparator& of)
      : module_(testing::ParseOrFail(SortText(of.types, of.body))) {}
  const Instruction& sort() const { return *module_->entry->root; }
  std::string WhyNot() const { return WhyNoStrictWeakOrder(*sort().called[0]).value_or(""); }

 private:
  std::unique_ptr<hlo::Module> module_;
};

const char* const kLess = "  ROOT r = pred[] compare(a0, b0), direction=LT";

// As JAX writes comparators: NaNs and zeros made one, and then in total order.
const char* const kOfJax = R"(
  z = f32[] constant(0)
  n = f32[] constant(nan)
  az = pred[] compare(a0, z), direction=EQ
  a1_ = f32[] select(az, z, a0)
  an = pred[] compare(a0, a0), direction=NE
  a2 = f32[] select(an, n, a1_)
  bz = pred[] compare(b0, z), direction=EQ
  b1_ = f32[] select(bz, z, b0)
  bn = pred[] compare(b0, b0), direction=NE
  b2 = f32[] select(bn, n, b1_)
  ROOT r = pred[] compare(a2, b2), direction=LT, type=TOTALORDER)";

TEST(StrictWeakOrder, OfRealComparators) {
  const std::string two_keys = R"(
  l0 = pred[] compare(a0, b0), direction=LT, type=TOTALORDER
  e0 = pred[] compare(a0, b0), direction=EQ, type=TOTALORDER
  l1 = pred[] compare(a1, b1), direction=LT
  both = pred[] and(e0, l1)
  ROOT r = pred[] or(l0, both))";
  const std::string complex = R"(
  ar = f32[] real(a0)
  ai = f32[] imag(a0)
  br = f32[] real(b0)
  bi = f32[] imag(b0)
  l0 = pred[] compare(ar, br), direction=LT
  e0 = pred[] compare(ar, br), direction=EQ
  l1 = pred[] compare(ai, bi), direction=LT
  ROOT r = pred[] select(e0, l1, l0))";
  const std::string by_position = R"(
  earlier = pred[] compare(a1, b1), direction=LT
  forth = pred[] compare(a0, b0), direction=LT
  back = pred[] compare(b0, a0), direction=LT
  not = pred[] not(back)
  ROOT r = pred[] select(earlier, not, forth))";
  // As XLA makes a sort stable.
  const std::string of_xla = R"(
  forth = pred[] compare(a0, b0), direction=GT
  back = pred[] compare(b0, a0), direction=GT
  same = pred[] compare(forth, back), direction=EQ
  earlier = pred[] compare(a1, b1), direction=LT
  ROOT r = pred[] select(same, earlier, forth))";
  const std::string zeros_apart = R"(
  l0 = pred[] compare(a0, b0), direction=LT
  g0 = pred[] compare(a0, b0), direction=GT
  ng = pred[] not(g0)
  t0 = pred[] compare(a0, b0), direction=LT, type=TOTALORDER
  both = pred[] and(ng, t0)
  ROOT r = pred[] or(l0, both))";
  const std::string key = R"(
  c = s32[] constant(7)
  ar = s32[] remainder(a0, c)
  br = s32[] remainder(b0, c)
  ROOT r = pred[] compare(ar, br), direction=GT)";
  const std::string sum = R"(
  as = f32[] add(a0, a1)
  bs = f32[] add(b0, b1)
  ROOT r = pred[] compare(as, bs), direction=LT)";
  const std::string bits = R"(
  zero = s32[] constant(0)
  top = s32[] constant(2147483647)
  ai = s32[] bitcast-convert(a0)
  an = pred[] compare(ai, zero), direction=LT
  as = s32[] subtract(top, ai)
  ak = s32[] select(an, as, ai)
  bi = s32[] bitcast-convert(b0)
  bn = pred[] compare(bi, zero), direction=LT
  bs = s32[] subtract(top, bi)
  bk = s32[] select(bn, bs, bi)
  ROOT r = pred[] compare(ak, bk), direction=LT)";
  for (const Comparator& comparator : std::initializer_list<Comparator>{
           {{"s32"}, kLess},
           {{"u64"}, kLess},
           {{"u8"}, "  ROOT r = pred[] compare(b0, a0), direction=LT"},
           {{"pred"}, kLess},
           {{"f8e4m3fn"}, kLess},
           {{"bf16"}, std::string(kLess) + ", type=TOTALORDER"},
           {{"f32"}, kLess},
           {{"f32"}, "  ROOT r = pred[] compare(a0, b0), direction=GT, type=TOTALORDER"},
           {{"f32"}, kOfJax},
           {{"f32", "s64"}, two_keys},
           {{"c64"}, complex},
           {{"f32", "s32"}, by_position},
           {{"f32", "s32"}, of_xla},
           {{"f32"}, zeros_apart},
           {{"s32"}, key},
           {{"f32", "f32"}, sum},
           {{"f32"}, bits},
           {{"f32", "pred"}, "  ROOT r = pred[] compare(a1, b1), direction=LT"},
           {{"pred"}, "  n = pred[] not(a0)\n  ROOT r = pred[] and(n, b0)"},
           {{"f32"}, "  ROOT r = pred[] constant(false)"}}) {
    EXPECT_EQ(Sort(comparator).WhyNot(), "") << comparator.body;
  }
}

TEST(StrictWeakOrder, NotOfOthersAndWhy) {
  auto compare = [](const char* direction, const char* type = "") {
    return std::string("  ROOT r = pred[] compare(a0, b0), direction=") + direction + type;
  };
  const char* const kTotal = ", type=TOTALORDER";
  const std::string or_less = R"(
  l0 = pred[] compare(a0, b0), direction=LT
  l1 = pred[] compare(a1, b1), direction=LT
  ROOT r = pred[] or(l0, l1))";
  const std::string and_less = R"(
  l0 = pred[] compare(a0, b0), direction=LT
  l1 = pred[] compare(a1, b1), direction=LT
  ROOT r = pred[] and(l0, l1))";
  const std::string plus_one = R"(
  one = s32[] constant(1)
  b = s32[] add(b0, one)
  ROOT r = pred[] compare(a0, b), direction=LT)";
  const std::string difference = R"(
  zero = s32[] constant(0)
  d = s32[] subtract(a0, b0)
  ROOT r = pred[] compare(d, zero), direction=LT)";
  const std::string cycle = R"(
  three = s32[] constant(3)
  one = s32[] constant(1)
  d = s32[] subtract(b0, a0)
  m = s32[] remainder(d, three)
  p = s32[] add(m, three)
  q = s32[] remainder(p, three)
  ROOT r = pred[] compare(q, one), direction=EQ)";
  // For the two zeros alone, one comes before the other.
  const std::string zeros_alone = R"(
  l = pred[] compare(a0, b0), direction=LT
  t = pred[] compare(a0, b0), direction=LT, type=TOTALORDER
  ROOT r = pred[] xor(l, t))";
  const std::string other_sign = R"(
  n = s32[] negate(a0)
  ROOT r = pred[] compare(n, b0), direction=LT)";
  const std::string always_of_nan = R"(
  n = f32[] constant(nan)
  l = pred[] compare(a0, n), direction=LT
  ROOT r = pred[] not(l))";
  // Compares one element at one position with itself, which no sort does.
  const std::string le_by_position = R"(
  earlier = pred[] compare(a1, b1), direction=LT
  forth = pred[] compare(a0, b0), direction=LE
  back = pred[] compare(b0, a0), direction=LE
  not = pred[] not(back)
  ROOT r = pred[] select(earlier, not, forth))";
  const std::string ne_by_position = R"(
  earlier = pred[] compare(a1, b1), direction=LT
  forth = pred[] compare(a0, b0), direction=NE
  not = pred[] not(forth)
  ROOT r = pred[] select(earlier, not, forth))";
  for (const Comparator& comparator :
       std::initializer_list<Comparator>{{{"s32"}, compare("LE")},
                                         {{"f32"}, compare("LE")},
                                         {{"f32"}, compare("GE", kTotal)},
                                         {{"u16"}, compare("NE")},
                                         {{"f16"}, compare("EQ")},
                                         {{"pred"}, compare("EQ")},
                                         {{"pred"}, "  ROOT r = pred[] or(a0, b0)"},
                                         {{"s32"}, "  ROOT r = pred[] constant(true)"},
                                         {{"s32", "s32"}, or_less},
                                         {{"s32", "s32"}, and_less},
                                         {{"s32"}, plus_one},
                                         {{"s32"}, difference},
                                         {{"s32"}, cycle},
                                         {{"f32"}, zeros_alone},
                                         {{"s32"}, other_sign},
                                         {{"f32"}, always_of_nan},
                                         {{"f32", "s32"}, le_by_position},
                                         {{"s32", "s32"}, ne_by_position}}) {
    const Sort sort(comparator);
    EXPECT_NE(sort.WhyNot(), "") << comparator.body;
    EXPECT_TRUE(hlo::FindOrderWitness(sort.sort())) << comparator.body;
  }
}

// A random comparator of two small numbers and a predicate, of which each is compared, or computed
// from.
std::string RandomBody(std::mt19937_64& random) {
  std::string body = "  two = s4[] constant(2)\n";
  int number = 0;
  auto add = [&](const std::string& type, const std::string& text) {
    const std::string name = "v" + std::to_string(number++);
    body += "  " + name + " = " + type + "[] " + text + "\n";
    return name;
  };
  auto below = [&](int bound) { return static_cast<int>(random() % static_cast<uint64_t>(bound)); };
  // A number of one side, computed in one of some ways.
  auto key = [&](char side, int way) {
    const std::string x = std::string(1, side) + "0", y = std::string(1, side) + "1";
    switch (way) {
      case 0:
        return x;
      case 1:
        return y;
      case 2:
        return add("s4", "multiply(" + x + ", two)");
      default:
        return add("s4", "add(" + x + ", " + y + ")");
    }
  };
  static const char* const kDirections[] = {"LT", "LT", "GT", "EQ", "NE", "LE"};
  auto leaf = [&]() -> std::string {
    if (below(8) == 0) return std::string(1, below(2) ? 'a' : 'b') + "2";
    const int way = below(4), other = below(6) == 0 ? below(4) : way;
    const char first = below(4) ? 'a' : 'b', second = first == 'a' ? 'b' : 'a';
    const std::string x = key(first, way), y = key(second, other);
    return add("pred", "compare(" + x + ", " + y + "), direction=" + kDirections[below(6)]);
  };
  std::function<std::string(int)> tree = [&](int depth) -> std::string {
    if (depth == 0 || below(3) == 0) return leaf();
    const std::string x = tree(depth - 1), y = tree(depth - 1);
    switch (below(6)) {
      case 0:
      case 1:
        return add("pred", "and(" + x + ", " + y + ")");
      case 2:
        return add("pred", "or(" + x + ", " + y + ")");
      case 3:
        return add("pred", "xor(" + x + ", " + y + ")");
      case 4:
        return add("pred", "not(" + x + ")");
      default:
        return add("pred", "select(" + tree(depth - 1) + ", " + x + ", " + y + ")");
    }
  };
  const std::string root = tree(3);
  return body + "  ROOT r = pred[] and(" + root + ", " + root + ")";
}

// Whether the comparator is a strict weak order on all elements of s4[], s4[], pred[].
bool IsStrictWeakOrder(const Instruction& sort) {
  using hlo::PrimitiveType;
  auto less = llvm::cantFail(
      hlo::ScalarFunction::Create(sort, *sort.called[0],
                                  {PrimitiveType::kS4, PrimitiveType::kS4, PrimitiveType::kS4,
                                   PrimitiveType::kS4, PrimitiveType::kPred, PrimitiveType::kPred},
                                  PrimitiveType::kPred));
  constexpr int kCount = 5 * 5 * 2;
  auto part = [](int element, int k) -> hlo::Scalar {
    static constexpr int64_t kNumbers[] = {-8, -3, 0, 1, 7};
    if (k == 2) return {.i = element / 25};
    return {.i = kNumbers[k == 0 ? element % 5 : element / 5 % 5]};
  };
  bool before[kCount][kCount];
  for (int a = 0; a < kCount; ++a) {
    for (int b = 0; b < kCount; ++b) {
      std::vector<hlo::Scalar> pair;
      for (int k = 0; k < 3; ++k) {
        pair.push_back(part(a, k));
        pair.push_back(part(b, k));
      }
      hlo::Scalar answer;
      llvm::cantFail(less.Apply(pair, answer));
      before[a][b] = answer.i != 0;
    }
  }
  for (int a = 0; a < kCount; ++a) {
    if (before[a][a]) return false;
    for (int b = 0; b < kCount; ++b) {
      for (int c = 0; c < kCount; ++c) {
        if (before[a][b] && before[b][c] && !before[a][c]) return false;
        if (before[a][c] && !before[a][b] && !before[b][c]) return false;
      }
    }
  }
  return true;
}

RC_GTEST_PROP(StrictWeakOrder, WhatIsProvedHoldsOfAllTriples, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
  const Sort sort({{"s4", "s4", "pred"}, RandomBody(random)});
  const bool proved = sort.WhyNot().empty(), is_one = IsStrictWeakOrder(sort.sort());
  RC_CLASSIFY(proved, "proved");
  RC_CLASSIFY(is_one && !proved, "one, and not proved");
  RC_ASSERT(!proved || is_one);
  // A comparator that is proved to be an order has no witness, for any elements.
  RC_ASSERT(!proved || !hlo::FindOrderWitness(sort.sort()));
}

}  // namespace
}  // namespace affirm::hlo_values
