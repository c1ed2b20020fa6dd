// A dot with an algorithm is a sum of products of rounded parts of its operands: held against these
// parts, computed here by the bits of floats.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <string>

#include "tests/calls/expanded.h"
#include "verify/reference/interpreter.h"

namespace affirm::calls {
namespace {

// A product of one term: the numbers as they are, so that nothing but the algorithm rounds.
std::string Product(const std::string& algorithm, const std::string& type = "f32",
                    const std::string& result = "f32") {
  return "ENTRY e {\n  a = " + type + "[1,1] parameter(0)\n  b = " + type +
         "[1,1] parameter(1)\n  ROOT d = " + result +
         "[1,1] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=" +
         algorithm + "\n}";
}

float Value(const hlo::Module& module, float a, float b) {
  std::vector<hlo::Literal> arguments;
  for (float x : {a, b}) {
    arguments.emplace_back(hlo::Shape::Array(hlo::PrimitiveType::kF32, {1, 1}));
    arguments.back().SetFloat(0, x);
  }
  auto value = hlo::Interpret(*module.entry, arguments);
  if (value) return static_cast<float>(value->GetFloat(0));
  ADD_FAILURE() << llvm::toString(value.takeError());
  return 0;
}

// To nearest, ties to even, with `mantissa` bits of the mantissa left.
float Rounded(float x, int mantissa) {
  const int dropped = 23 - mantissa;
  uint32_t bits = std::bit_cast<uint32_t>(x);
  bits += ((1u << (dropped - 1)) - 1) + ((bits >> dropped) & 1);
  return std::bit_cast<float>(bits >> dropped << dropped);
}

struct Case {
  const char* name;
  int mantissa, parts, products;
};
const Case kCases[] = {
    {"dot_bf16_bf16_f32", 7, 1, 1},    {"dot_bf16_bf16_f32_x3", 7, 2, 3},
    {"dot_bf16_bf16_f32_x6", 7, 3, 6}, {"dot_bf16_bf16_f32_x9", 7, 3, 9},
    {"dot_tf32_tf32_f32", 10, 1, 1},   {"dot_tf32_tf32_f32_x3", 10, 2, 3},
};

float ByParts(const Case& c, float a, float b) {
  std::vector<float> of_a, of_b;
  for (int k = 0; k < c.parts; ++k) {
    of_a.push_back(Rounded(a, c.mantissa));
    of_b.push_back(Rounded(b, c.mantissa));
    a -= of_a.back();
    b -= of_b.back();
  }
  // By order, the smallest first; within an order the later part of `a` first.
  const int least = c.products == 3 ? 1 : c.products == 6 ? 2 : 2 * (c.parts - 1);
  std::optional<float> sum;
  for (int order = least; order >= 0; --order) {
    for (int i = c.parts - 1; i >= 0; --i) {
      const int j = order - i;
      if (j < 0 || j >= c.parts) continue;
      const float product = of_a[i] * of_b[j];
      sum = sum ? *sum + product : product;
    }
  }
  return *sum;
}

RC_GTEST_PROP(DotAlgorithms, AreSumsOfProductsOfRoundedParts, ()) {
  const Case& c = kCases[*rc::gen::inRange<size_t>(0, std::size(kCases))];
  const auto module = Expanded(Product(c.name));
  // Numbers of moderate exponents, whose parts are no denormals.
  auto number = [] {
    const uint32_t bits = *rc::gen::inRange<uint32_t>(0, 1u << 24);
    const uint32_t exponent = *rc::gen::inRange<uint32_t>(100, 150);
    return std::bit_cast<float>((bits & 0x7fffff) | exponent << 23 | (bits >> 23) << 31);
  };
  const float a = number(), b = number();
  RC_ASSERT(Value(*module, a, b) == ByParts(c, a, b));
}

TEST(DotAlgorithms, MoreProductsAreCloser) {
  const float a = 1.2345678f, b = 7.654321f;
  double last = 1;
  for (const char* name : {"dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_bf16_bf16_f32_x6"}) {
    const double error = std::abs(Value(*Expanded(Product(name)), a, b) - double{a} * b);
    EXPECT_LT(error, last) << name;
    last = error;
  }
}

TEST(DotAlgorithms, TheInstructionKeepsItsNameAndItsShape) {
  for (const char* name : {"dot_bf16_bf16_f32", "dot_bf16_bf16_f32_x3", "dot_f64_f64_f64"}) {
    const auto module = Expanded(Product(name));
    EXPECT_EQ(module->entry->root->name, "d") << name;
    EXPECT_EQ(module->entry->root->shape.ToString(false), "f32[1,1]") << name;
    EXPECT_EQ(module->entry->root->attributes.FindExtra("algorithm"), nullptr) << name;
  }
}

// Operands that the product has twice are read by it once.
TEST(DotAlgorithms, AProductWithItself) {
  const auto module = Expanded(
      "ENTRY e { a = f32[3,3] parameter(0) ROOT d = f32[3,3] dot(a, a), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x3 }");
  for (const auto& op : module->entry->instructions) {
    for (const hlo::Instruction* operand : op->operands) {
      EXPECT_EQ(std::count(operand->users.begin(), operand->users.end(), op.get()), 1);
    }
  }
}

// The expanded dot has the highest precision, whatever was written beside the algorithm. Of TF32
// operands are rounded already.
TEST(DotAlgorithms, OfF32RoundsNothing) {
  auto precision = [](const std::string& algorithm) -> std::string {
    const auto module = Expanded(Product(algorithm));
    const std::string* text = module->entry->root->attributes.FindExtra("operand_precision");
    return text != nullptr ? *text : "";
  };
  EXPECT_EQ(precision("dot_f32_f32_f32"), "{highest,highest}");
  EXPECT_EQ(precision("dot_f32_f32_f32, operand_precision={default,default}"), "{highest,highest}");
  EXPECT_EQ(precision("dot_tf32_tf32_f32"), "");
}

TEST(DotAlgorithms, OthersStay) {
  for (const auto& text :
       {Product("dot_bf16_bf16_bf16"), Product("dot_any_f8_any_f8_f32_fast_accum"),
        Product("dot_bf16_bf16_f32_x3", "bf16"), Product("dot_f32_f32_f32", "s8", "s32"),
        Product("dot_bf16_bf16_f32, operand_precision={packed_nibble,default}")}) {
    const auto module = Expanded(text);
    EXPECT_EQ(module->entry->instructions.size(), 3u) << text;
    EXPECT_NE(module->entry->root->attributes.FindExtra("algorithm"), nullptr) << text;
  }
}

}  // namespace
}  // namespace affirm::calls
