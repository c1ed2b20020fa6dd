// Element types without machine arithmetic: complex numbers, floats of 4 and 8 bits, and
// bitcast-convert between widths.
#include <cmath>

#include "core/hlo/float_format.h"
#include "tests/emit/kernel_testing.h"
#include "verify/reference/compare.h"
#include "verify/reference/interpreter.h"

namespace affirm::testing {
namespace {

// The formulas of kernels and of the interpreter lie this far apart at most, in units of the larger
// part (docs/math.md).
constexpr int64_t kComplexUlp = 32;

using hlo::Literal;
using hlo::PrimitiveType;

std::string TypeName(const ::testing::TestParamInfo<PrimitiveType>& info) {
  return hlo::Name(info.param).str();
}

class SmallFloats : public ::testing::TestWithParam<PrimitiveType> {};
INSTANTIATE_TEST_SUITE_P(Types, SmallFloats,
                         ::testing::Values(PrimitiveType::kF8E5M2, PrimitiveType::kF8E4M3,
                                           PrimitiveType::kF8E4M3FN, PrimitiveType::kF8E4M3B11FNUZ,
                                           PrimitiveType::kF8E5M2FNUZ, PrimitiveType::kF8E4M3FNUZ,
                                           PrimitiveType::kF8E3M4, PrimitiveType::kF8E8M0FNU,
                                           PrimitiveType::kF4E2M1FN),
                         TypeName);

// "HloModule ... ROOT t = (f32[n], ...) tuple(...)" of ops on parameters x and y.
std::string Ops(const std::string& parameters,
                const std::vector<std::pair<std::string, std::string>>& shapes_and_ops) {
  std::string body = "HloModule m\nENTRY e {\n" + parameters, shapes, names;
  for (size_t i = 0; i < shapes_and_ops.size(); ++i) {
    const auto& [shape, op] = shapes_and_ops[i];
    std::string name = "r" + std::to_string(i), comma = i == 0 ? "" : ", ";
    body += "  " + name + " = " + shape + " " + op + "\n";
    shapes += comma + shape;
    names += comma + name;
  }
  return body + "  ROOT t = (" + shapes + ") tuple(" + names + ")\n}\n";
}

// Every pattern.
Literal Patterns(PrimitiveType type) {
  int count = 1 << hlo::BitWidth(type);
  Literal all(hlo::Shape::Array(type, {count}));
  for (int i = 0; i < count; ++i) all.data()[i] = static_cast<uint8_t>(i);
  return all;
}

// Every value of the type, the middle between it and the next, and the f32 numbers around these.
std::vector<float> WhereRoundingTurns(PrimitiveType type) {
  std::vector<float> numbers = {0.0f,      -0.0f,      1e-45f, -1e-45f, 1e38f,
                                HUGE_VALF, -HUGE_VALF, NAN,    -NAN,    3.4e38f};
  std::vector<double> values;
  for (int i = 0; i < 1 << hlo::BitWidth(type); ++i) {
    double value = hlo::DecodeFloat(type, i);
    if (std::isfinite(value)) values.push_back(value);
  }
  llvm::sort(values);
  values.push_back(values.back() * 1.0625);
  values.push_back(values.back() * 1.5);
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    for (double at : {values[i], (values[i] + values[i + 1]) / 2}) {
      auto number = static_cast<float>(at);
      for (float near :
           {std::nextafter(number, -HUGE_VALF), number, std::nextafter(number, HUGE_VALF)}) {
        numbers.push_back(near);
      }
    }
  }
  return numbers;
}

TEST_P(SmallFloats, EveryPatternWidens) {
  std::string name = hlo::Name(GetParam()).str();
  const int count = 1 << hlo::BitWidth(GetParam());
  const std::string all = std::to_string(count), last = std::to_string(count - 1);
  const std::string n = "[" + all + "]", less = "[" + last + "]";
  std::string hlo = Ops("  x = " + name + n + " parameter(0)\n",
                        {{"f32" + n, "convert(x)"},
                         {"f64" + n, "convert(x)"},
                         {"bf16" + n, "convert(x)"},
                         {"s16" + n, "convert(x)"},
                         {"pred" + n, "is-finite(x)"},
                         {name + n, "copy(x)"},
                         {name + n, "negate(x)"},
                         {name + n, "multiply(x, x)"},
                         {name + n, "exponential(x)"},
                         {name + n, "reduce-precision(x), exponent_bits=8, mantissa_bits=1"},
                         {name + n, "reduce-precision(x), exponent_bits=3, mantissa_bits=2"},
                         {name + n, "reduce-precision(x), exponent_bits=2, mantissa_bits=0"},
                         {"pred" + n, "compare(x, r6), direction=LE"},
                         {"pred" + n, "compare(x, r6), direction=GT, type=TOTALORDER"},
                         {name + n, "reverse(x), dimensions={0}"},
                         {"pred" + n, "compare(x, r14), direction=LT, type=TOTALORDER"},
                         {name + less, "slice(x), slice={[0:" + last + "]}"},
                         {name + less, "slice(x), slice={[1:" + all + "]}"},
                         {"pred" + less, "compare(r16, r17), direction=LT, type=TOTALORDER"}});
  EXPECT_TRUE(MatchesInterpreter(Emit(hlo), {Patterns(GetParam())}));
}

TEST_P(SmallFloats, RoundToNearestEven) {
  std::vector<float> numbers = WhereRoundingTurns(GetParam());
  auto count = static_cast<int64_t>(numbers.size());
  Literal x(hlo::Shape::Array(PrimitiveType::kF32, {count}));
  for (int64_t i = 0; i < count; ++i) x.SetFloat(i, numbers[i]);
  std::string n = "[" + std::to_string(count) + "]";
  std::string shape = hlo::Name(GetParam()).str() + n;
  std::string hlo = Ops("  x = f32" + n + " parameter(0)\n", {{shape, "convert(x)"},
                                                              {"f64" + n, "convert(x)"},
                                                              {shape, "convert(r1)"},
                                                              {"s64" + n, "convert(x)"},
                                                              {shape, "convert(r3)"},
                                                              {"s8" + n, "convert(x)"},
                                                              {shape, "convert(r5)"}});
  EXPECT_TRUE(MatchesInterpreter(Emit(hlo), {x}));
}

TEST_P(SmallFloats, ConstantsKeepTheirPatterns) {
  // Powers of two alone are numbers of f8e8m0fnu, none of them negative.
  const bool positive = GetParam() == PrimitiveType::kF8E8M0FNU;
  std::string shape = hlo::Name(GetParam()).str() + "[4]";
  EXPECT_TRUE(MatchesInterpreter(
      "HloModule m\nENTRY e {\n  p = " + shape + " parameter(0)\n" + "  c = " + shape +
      " constant(" + (positive ? "{1, 0.5, 2, 4}" : "{1, -0.5, 2, -3}") + ")\n" +
      "  h = " + shape.substr(0, shape.size() - 3) + "[] constant(" + (positive ? "2" : "1.5") +
      ")\n  b = " + shape + " broadcast(h), dimensions={}\n  s = " + shape +
      " add(p, c)\n  ROOT r = " + shape + " multiply(s, b)\n}\n"));
}

class Complex : public ::testing::TestWithParam<PrimitiveType> {};
INSTANTIATE_TEST_SUITE_P(Types, Complex,
                         ::testing::Values(PrimitiveType::kC64, PrimitiveType::kC128), TypeName);

// The parts of numbers, arithmetic, and comparisons: the same operations on both sides.
TEST_P(Complex, ArithmeticIsExact) {
  std::vector<Literal> pairs = NotablePairs(GetParam());
  std::string shape = pairs[0].shape().ToString(), n = shape.substr(shape.find('['));
  std::string part = (GetParam() == PrimitiveType::kC64 ? "f32" : "f64") + n;
  std::string hlo = Ops("  x = " + shape + " parameter(0)\n  y = " + shape + " parameter(1)\n",
                        {{part, "real(x)"},
                         {part, "imag(y)"},
                         {shape, "complex(r0, r1)"},
                         {shape, "add(x, y)"},
                         {shape, "subtract(x, y)"},
                         {shape, "multiply(x, y)"},
                         {shape, "negate(x)"},
                         {"pred" + n, "compare(x, y), direction=EQ"},
                         {"pred" + n, "compare(x, y), direction=NE"},
                         {shape, "select(r7, r5, r4)"},
                         {"c64" + n, "convert(x)"},
                         {"c128" + n, "convert(x)"},
                         {shape, "convert(r0)"},
                         {shape, "copy(x)"}});
  EXPECT_TRUE(MatchesInterpreter(Emit(hlo), pairs));
}

class ComplexFunctions : public ::testing::TestWithParam<std::tuple<PrimitiveType, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Ops, ComplexFunctions,
    ::testing::Combine(::testing::Values(PrimitiveType::kC64, PrimitiveType::kC128),
                       ::testing::Values("abs", "acos", "acosh", "asin", "asinh", "atanh", "cosh",
                                         "cosine", "divide", "exponential", "exponential-minus-one",
                                         "log", "log-plus-one", "logistic", "power", "rsqrt",
                                         "sign", "sine", "sinh", "sqrt", "tan", "tanh", "atan2")),
    [](const auto& info) {
      std::string name = hlo::Name(std::get<0>(info.param)).str() + "_" + std::get<1>(info.param);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// Numbers of moderate size: what the bound is documented for.
TEST_P(ComplexFunctions, AreClose) {
  auto [type, op] = GetParam();
  // A grid over [-4, 4] in both parts, and another one that is shuffled against it.
  constexpr int64_t kSide = 64, kPoints = kSide * kSide;
  auto part = [](int64_t i) { return (static_cast<double>(i % kSide) - 31.37) / 8; };
  Literal x(hlo::Shape::Array(type, {kPoints})), y = x;
  for (int64_t i = 0; i < kPoints; ++i) {
    x.SetComplex(i, {part(i / kSide), part(i)});
    y.SetComplex(i, {part(i * 29 + 7), part(i * 5 + i / kSide)});
  }
  std::string shape = x.shape().ToString(), n = shape.substr(shape.find('['));
  bool binary =
      std::string(op) == "divide" || std::string(op) == "power" || std::string(op) == "atan2";
  std::string result =
      std::string(op) != "abs" ? shape : (type == PrimitiveType::kC64 ? "f32" : "f64") + n;
  std::string hlo = "HloModule m\nENTRY e {\n  x = " + shape + " parameter(0)\n  y = " + shape +
                    " parameter(1)\n  ROOT r = " + result + " " + op +
                    (binary ? "(x, y)\n}\n" : "(x)\n}\n");
  EmittedModule emitted = Emit(hlo);
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  auto expected = hlo::Interpret(emitted.entry(), std::vector<Literal>{x, y});
  auto actual = emit::RunOnEmulator(*emitted.kernel, {x, y});
  ASSERT_TRUE(expected && actual);
  const hlo::LiteralComparison comparison = hlo::Compare(*expected, *actual, kComplexUlp);
  std::printf("%s %s: %ld ULP\n", hlo::Name(type).str().c_str(), op,
              static_cast<long>(comparison.max_ulp));
  EXPECT_EQ(comparison.mismatches, 0)
      << comparison.first->expected << " " << comparison.first->actual;
}

TEST_P(Complex, DataMovementReductionsAndContractions) {
  std::string type = hlo::Name(GetParam()).str();
  auto with_type = [&](std::string hlo) {
    for (size_t at; (at = hlo.find("T[")) != std::string::npos;) hlo.replace(at, 1, type);
    return hlo;
  };
  EXPECT_TRUE(MatchesInterpreter(with_type(R"(HloModule m
    ENTRY e {
      p = T[33,40] parameter(0)
      t = T[40,33] transpose(p), dimensions={1,0}
      ROOT n = T[40,33] negate(t)
    })")));
  EXPECT_TRUE(MatchesInterpreter(with_type(R"(HloModule m
    sum { a = T[] parameter(0) b = T[] parameter(1) ROOT s = T[] add(a, b) }
    ENTRY e {
      p = T[5,70] parameter(0)
      c = T[3] constant({(1, 2), (-0, 3), (0.5, -inf)})
      zero = T[] constant((0, -0))
      r = T[5] reduce(p, zero), dimensions={1}, to_apply=sum
      d = T[5,5] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}
      ROOT t = (T[5], T[5,5], T[3]) tuple(r, d, c)
    })")));
  EXPECT_TRUE(MatchesInterpreter(with_type(R"(HloModule m
    ENTRY e {
      p = T[6] parameter(0)
      zero = T[] constant((0, 0))
      w = T[9] pad(p, zero), padding=-1_4
      q = T[2] parameter(1)
      i = s32[] parameter(2)
      ROOT u = T[9] dynamic-update-slice(w, q, i)
    })")));
}

// A token has no bytes, in the kernel as in its launch.
TEST(Tokens, AreNoArrays) {
  EXPECT_TRUE(MatchesInterpreter(R"(HloModule m
    ENTRY e {
      p = f32[4] parameter(0)
      k = token[] parameter(1)
      ROOT n = f32[4] negate(p)
    })"));
}

// Bits split and joined: low bits first.
TEST(BitcastConvert, ChangesTheWidth) {
  struct Case {
    const char *from, *to;
  };
  for (auto [from, to] :
       {Case{"u32[5]", "u8[5,4]"}, Case{"u8[5,4]", "u32[5]"}, Case{"f32[3,7]", "bf16[3,7,2]"},
        Case{"bf16[3,7,2]", "f32[3,7]"}, Case{"s8[6]", "s4[6,2]"}, Case{"s4[6,2]", "s8[6]"},
        Case{"c64[4]", "f32[4,2]"}, Case{"f32[4,2]", "c64[4]"}, Case{"c128[2]", "u16[2,8]"},
        Case{"u16[2,8]", "c128[2]"}, Case{"f64[3]", "f8e4m3fn[3,8]"}, Case{"f8e5m2[3,8]", "f64[3]"},
        Case{"u64[]", "s32[2]"}, Case{"s32[2]", "u64[]"}, Case{"c64[4]", "u64[4]"},
        Case{"f8e5m2[9]", "u8[9]"}, Case{"u16[0,2]", "f32[0]"}, Case{"f32[0]", "u16[0,2]"}}) {
    std::string hlo = std::string("HloModule m\nENTRY e {\n  p = ") + from +
                      " parameter(0)\n  ROOT r = " + to + " bitcast-convert(p)\n}\n";
    EXPECT_TRUE(MatchesInterpreter(hlo)) << from << " to " << to;
  }
  EXPECT_TRUE(MatchesInterpreter(R"(HloModule m
    ENTRY e {
      p = u8[4,6] parameter(0)
      t = u8[6,4] transpose(p), dimensions={1,0}
      r = u32[6] bitcast-convert(t)
      v = u32[6] reverse(r), dimensions={0}
      b = u16[6,2] bitcast-convert(v)
      ROOT n = u16[6,2] not(b)
    })"));
}

}  // namespace
}  // namespace affirm::testing
