// Functions of single elements: complex ones, integers in ranges, and what XLA:CPU was seen to
// compute.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "tests/enclosure/enclosed_module.h"
#include "verify/scalar/elementwise.h"

namespace affirm::enclosure {
namespace {

using hlo::Literal;

// The value in double precision is inside; that of an argument with a part 1.0003 times as large is
// not.
TEST(ComplexFunctions, HoldWhatDoubleHas) {
  for (const char* function :
       {"abs", "sign", "exponential", "exponential-minus-one", "log", "log-plus-one", "sqrt",
        "rsqrt", "sine", "cosine", "tan", "tanh", "logistic"}) {
    const bool is_real = std::string(function) == "abs";
    auto apply = [&](const std::string& part, const std::string& type, const std::string& factor) {
      const std::string result = (is_real ? part : type) + "[64]";
      return "a = " + part + "[64] tanh(x) b = " + part + "[64] sine(y) f = " + part +
             "[] constant(" + factor + ") fb = " + part +
             "[64] broadcast(f), dimensions={} c = " + part + "[64] multiply(b, fb) k = " + type +
             "[64] complex(a, c) ROOT r = " + result + " " + function + "(k)";
    };
    const std::string op = apply("f32", "c64", "1");
    const std::string text =
        "ENTRY e { u = f32[64] parameter(0) x = f64[64] convert(u) w = f32[64] "
        "parameter(1) y = f64[64] convert(w) ";
    EXPECT_EQ(OutsideOf(Of(op), RunEntry(text + apply("f64", "c128", "1") + " }")), 0) << function;
    if (std::string(function) == "sign") continue;  // hardly changes
    EXPECT_GT(OutsideOf(Of(op), RunEntry(text + apply("f64", "c128", "1.0003") + " }")), 16)
        << function;
  }
}

// At a distance of 1 / 64 from a pole XLA:CPU is off by 45 unit roundoffs.
TEST(ComplexFunctions, OfTangentsLoseDigitsNearPoles) {
  auto module = testing::ParseOrFail(
      "HloModule m\nENTRY e { a = c64[] parameter(0) ROOT r = c64[] tan(a) }\n");
  Literal argument(module->entry->parameters[0]->shape);
  hlo::Store(argument, 0, {.re = 1.5684922F, .im = 0.01554F});
  auto enclosures = Enclose(*module->entry, argument);
  if (!enclosures) FAIL() << llvm::toString(enclosures.takeError());
  const std::complex<double> exact = std::tan(std::complex<double>(1.5684922F, 0.01554F));
  EXPECT_GT(std::abs(exact), 60);
  const Enclosure of = enclosures->result.At(0, 0);
  EXPECT_TRUE(of.imaginary.Has(exact.imag() * (1 + 100 * 0x1p-24)));
  EXPECT_FALSE(of.imaginary.Has(exact.imag() * 1.02));
}

// As XLA:CPU computes it (elemental_ir_emitter.cc, EmitExpm1).
TEST(Functions, OfF16HoldFormulasInF16) {
  auto module = testing::ParseOrFail(
      "HloModule m\nENTRY e { a = f16[] parameter(0) ROOT r = f16[] exponential-minus-one(a) }\n");
  Literal argument(module->entry->parameters[0]->shape);
  const auto f16 = [](double value) { return hlo::RoundTo(hlo::PrimitiveType::kF16, value); };
  for (int k = 1; k < 1000; ++k) {
    const double x = f16(0.001 * k), power = f16(std::exp(x));
    hlo::Store(argument, 0, {.re = x});
    auto enclosures = Enclose(*module->entry, argument);
    if (!enclosures) FAIL() << llvm::toString(enclosures.takeError());
    const Interval of = enclosures->result.At(0, 0).real;
    const double formula =
        x > 0.5 ? f16(power - 1) : f16(f16(std::tanh(f16(x / 2))) * f16(power + 1));
    EXPECT_TRUE(of.Has(formula)) << x;
    EXPECT_FALSE(of.Has(1.01 * std::expm1(x))) << x;
  }
}

// As XLA:CPU has been seen to compute them.
TEST(Functions, HoldWhatXlaComputes) {
  auto value = [](const std::string& of, const std::string& function, double x) {
    auto module =
        testing::ParseOrFail("HloModule m\nENTRY e { a = " + of + "[] parameter(0) ROOT r = " + of +
                             "[] " + function + "(a) }\n");
    Literal argument(module->entry->parameters[0]->shape);
    hlo::Store(argument, 0, {.re = x});
    auto enclosures = Enclose(*module->entry, argument);
    return enclosures ? enclosures->result.At(0, 0).real : Interval::NaN();
  };
  const double x = -0.41419808437004807, exact = std::log1p(x);
  EXPECT_TRUE(value("f64", "log-plus-one", x).Has(exact * (1 + 129 * 0x1p-53)));
  EXPECT_FALSE(value("f64", "log-plus-one", x).Has(exact * (1 + 0x1p-43)));
  EXPECT_TRUE(value("bf16", "cbrt", 0x1p-133).Has(-5.6e-16));
  EXPECT_FALSE(value("bf16", "cbrt", 0x1p-126).Has(-5.6e-16));
}

// A number in a range of a type.
hlo::Scalar AnyIn(hlo::PrimitiveType type, Enclosure& range) {
  const auto of = hlo::IntType::Of(type);
  const bool is_small = *rc::gen::arbitrary<bool>();
  auto any = [&] {
    return of.Wrap(is_small ? static_cast<uint64_t>(*rc::gen::inRange(-20, 20))
                            : *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint64_t>()));
  };
  int64_t numbers[] = {any(), any(), any()};
  std::sort(std::begin(numbers), std::end(numbers),
            [&](int64_t a, int64_t b) { return of.Less(a, b); });
  range = Enclosure::Integers(numbers[0], numbers[2]);
  if (*rc::gen::inRange(0, 3) == 0) range.lo = range.hi = numbers[1];
  return {.i = numbers[1]};
}

RC_GTEST_PROP(Integers, OfRangesHoldWhatNumbersGive, ()) {
  using hlo::PrimitiveType;
  const PrimitiveType type =
      *rc::gen::element(PrimitiveType::kS8, PrimitiveType::kU8, PrimitiveType::kS32,
                        PrimitiveType::kU32, PrimitiveType::kS64, PrimitiveType::kU64);
  const std::string operation =
      *rc::gen::elementOf(std::vector<std::string>{"add",
                                                   "subtract",
                                                   "multiply",
                                                   "divide",
                                                   "remainder",
                                                   "maximum",
                                                   "minimum",
                                                   "and",
                                                   "or",
                                                   "xor",
                                                   "shift-left",
                                                   "shift-right-logical",
                                                   "shift-right-arithmetic",
                                                   "abs",
                                                   "sign",
                                                   "not",
                                                   "negate",
                                                   "popcnt",
                                                   "count-leading-zeros",
                                                   "clamp"});
  const std::string name = hlo::Name(type).str() + "[]";
  const bool is_unary = operation == "abs" || operation == "sign" || operation == "not" ||
                        operation == "negate" || operation == "popcnt" ||
                        operation == "count-leading-zeros";
  const int arity = is_unary ? 1 : operation == "clamp" ? 3 : 2;
  std::string operands = "a, b, c";
  operands.resize(3 * arity - 2);
  auto module =
      testing::ParseOrFail("HloModule m\nENTRY e { a = " + name + " parameter(0) b = " + name +
                           " parameter(1) c = " + name + " parameter(2) ROOT r = " + name + " " +
                           operation + "(" + operands + ") }\n");
  auto exact = hlo::ResolveElementwise(*module->entry->root);
  if (!exact) {  // not of unsigned integers
    llvm::consumeError(exact.takeError());
    return;
  }
  std::vector<Enclosure> ranges(arity);
  std::vector<hlo::Scalar> numbers;
  for (Enclosure& range : ranges) numbers.push_back(AnyIn(type, range));
  const hlo::Scalar result = (*exact)(numbers.data());
  const Enclosure of = Elementwise(*module->entry->root, ranges, *exact, {});
  RC_LOG() << operation << " " << name << " " << numbers[0].i << " " << result.i << " "
           << ToString(type, of);
  RC_ASSERT(Contains(type, of, result));
}

}  // namespace
}  // namespace affirm::enclosure
