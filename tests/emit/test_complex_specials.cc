// Functions of complex numbers where formulas break: zeros of both signs, infinities, NaN, and
// parts whose exponential or square is beyond the type. The interpreter and the kernel must agree
// there, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

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

std::vector<double> SpecialParts(PrimitiveType type) {
  const double inf = std::numeric_limits<double>::infinity();
  const bool narrow = type == PrimitiveType::kC64;
  const double tiny = narrow ? 1e-30 : 1e-200;
  return {0.0,   -0.0,  1.0,      -1.0,      0.5,  -2.5, 23.0,        -23.0, 88.5,
          -88.5, 104,   -104,     710,       -710, 740,  -800,        1e20,  -1e20,
          tiny,  -tiny, 1 / tiny, -1 / tiny, inf,  -inf, std::nan("")};
}

class ComplexSpecials : public ::testing::TestWithParam<std::tuple<PrimitiveType, const char*>> {};
INSTANTIATE_TEST_SUITE_P(
    Ops, ComplexSpecials,
    ::testing::Combine(::testing::Values(PrimitiveType::kC64, PrimitiveType::kC128),
                       ::testing::Values("abs", "acos", "acosh", "asin", "asinh", "atanh", "cosh",
                                         "cosine", "exponential", "exponential-minus-one", "log",
                                         "log-plus-one", "logistic", "rsqrt", "sign", "sine",
                                         "sinh", "sqrt", "tan", "tanh", "divide", "power",
                                         "atan2")),
    [](const auto& info) {
      std::string name = hlo::Name(std::get<0>(info.param)).str() + "_" + std::get<1>(info.param);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_P(ComplexSpecials, KernelAndInterpreterAgree) {
  auto [type, op] = GetParam();
  const std::vector<double> parts = SpecialParts(type);
  const auto side = static_cast<int64_t>(parts.size());
  Literal x(hlo::Shape::Array(type, {side * side})), y = x;
  for (int64_t i = 0; i < side * side; ++i) {
    x.SetComplex(i, {parts[i / side], parts[i % side]});
    y.SetComplex(i, {parts[(i * 7 + i / side) % side], parts[(i * 3 + 5) % side]});
  }
  const std::string shape = x.shape().ToString(), n = shape.substr(shape.find('['));
  const bool binary =
      std::string(op) == "divide" || std::string(op) == "power" || std::string(op) == "atan2";
  const std::string result =
      std::string(op) != "abs" ? shape : (type == PrimitiveType::kC64 ? "f32" : "f64") + n;
  EmittedModule emitted = Emit(
      "HloModule m\nENTRY e {\n  x = " + shape + " parameter(0)\n  y = " + shape +
      " parameter(1)\n  ROOT r = " + result + " " + op + (binary ? "(x, y)\n}\n" : "(x)\n}\n"));
  ASSERT_TRUE(emitted.kernel) << emitted.error;
  auto expected = hlo::Interpret(emitted.entry(), std::vector<Literal>{x, y});
  auto actual = emit::RunOnEmulator(*emitted.kernel, {x, y});
  ASSERT_TRUE(expected && actual);
  // Power and atan2 lose digits in quotients near 1 and in exponents of a thousand, in any
  // implementation. For finite numbers, only finiteness is compared, and not for a power with a
  // finite exponent so large that its angle has no digit left.
  const bool loses = std::string(op) == "power" || std::string(op) == "atan2";
  auto is_huge = [](double part) { return std::isfinite(part) && std::fabs(part) > 1e10; };
  for (int64_t i = 0; i < side * side; ++i) {
    const int64_t distance = hlo::UlpDistance(*expected, *actual, i);
    if (distance <= kComplexUlp || (loses && distance != hlo::kFarApart)) continue;
    const std::complex<double> second = y.GetComplex(i);
    if (loses && (is_huge(second.real()) || is_huge(second.imag()))) continue;
    ADD_FAILURE() << op << " " << x.ElementToString(i) << (binary ? " " + y.ElementToString(i) : "")
                  << ": interpreter " << expected->ElementToString(i) << ", kernel "
                  << actual->ElementToString(i);
  }
}

struct Known {
  const char* op;
  std::complex<double> z, value;
};

// Values that the interpreter must have, as C's annex G and XLA do.
TEST(ComplexFunctionsAtTheirLimits, AreKnown) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Known known[] = {
      {"exponential", {1e20, 0}, {inf, 0}},
      {"exponential-minus-one", {1e20, 0}, {inf, 0}},
      {"exponential-minus-one", {inf, 0}, {inf, 0}},
      {"exponential-minus-one", {-inf, 0}, {-1, 0}},
      {"exponential-minus-one", {-inf, inf}, {-1, 0}},
      {"exponential-minus-one", {1e-30, 1e-30}, {1e-30, 1e-30}},
      {"exponential-minus-one", {0, M_PI}, {-2, 1.2246467991473532e-16}},
      {"log-plus-one", {1e-30, 0}, {1e-30, 0}},
      {"log-plus-one", {1e-30, -1e-30}, {1e-30, -1e-30}},
      {"log-plus-one", {-2.5, -0.0}, {0.40546510810816438, -M_PI}},
      {"log-plus-one", {inf, 0}, {inf, 0}},
      {"logistic", {-1e20, 0}, {0, 0}},
      {"logistic", {1e20, 0}, {1, 0}},
      {"sinh", {inf, 0}, {inf, 0}},
      {"cosh", {inf, 0}, {inf, 0}},
      {"sine", {0, inf}, {0, inf}},
      {"cosine", {0, inf}, {inf, 0}},
      {"tanh", {inf, 0}, {1, 0}},
      {"tanh", {inf, inf}, {1, 0}},
      {"tan", {0, inf}, {0, 1}},
      {"sqrt", {-4, -0.0}, {0, -2}},
      {"sqrt", {nan, inf}, {inf, inf}},
      {"rsqrt", {inf, 0}, {0, 0}},
      {"rsqrt", {0, inf}, {0, 0}},
      {"asin", {-2.5, -0.0}, {-M_PI_2, -1.5667992369724109}},
      {"acos", {-2.5, -0.0}, {M_PI, 1.5667992369724109}},
      {"atanh", {0, inf}, {0, M_PI_2}},
  };
  for (const Known& k : known) {
    Literal z(hlo::Shape::Array(PrimitiveType::kC128, {1})), expected = z;
    z.SetComplex(0, k.z);
    expected.SetComplex(0, k.value);
    EmittedModule emitted =
        Emit("HloModule m\nENTRY e {\n  z = c128[1] parameter(0)\n  ROOT r = c128[1] " +
             std::string(k.op) + "(z)\n}\n");
    ASSERT_TRUE(emitted.kernel) << emitted.error;
    auto interpreted = hlo::Interpret(emitted.entry(), std::vector<Literal>{z});
    auto computed = emit::RunOnEmulator(*emitted.kernel, {z});
    ASSERT_TRUE(interpreted && computed);
    for (const Literal* value : {&*interpreted, &*computed}) {
      EXPECT_LE(hlo::UlpDistance(expected, *value, 0), 4)
          << k.op << " " << z.ElementToString(0) << ": " << value->ElementToString(0)
          << ", expected " << expected.ElementToString(0);
    }
  }
}

// The comparison behind all of this tells limits apart.
TEST(ComplexFunctionsAtTheirLimits, AreToldApart) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  auto differ = [](std::complex<double> x, std::complex<double> y) {
    Literal a(hlo::Shape::Array(PrimitiveType::kC64, {1})), b = a;
    a.SetComplex(0, x);
    b.SetComplex(0, y);
    return hlo::UlpDistance(a, b, 0) == hlo::kFarApart;
  };
  EXPECT_TRUE(differ({inf, 0}, {inf, nan}));
  EXPECT_TRUE(differ({inf, 0}, {-inf, 0}));
  EXPECT_TRUE(differ({inf, 0}, {0, inf}));
  EXPECT_TRUE(differ({inf, inf}, {inf, 1}));
  EXPECT_TRUE(differ({nan, nan}, {inf, nan}));
  EXPECT_TRUE(differ({1, nan}, {nan, 1}));
  EXPECT_TRUE(differ({1, 2}, {nan, nan}));
  EXPECT_FALSE(differ({inf, 1}, {inf, 1.0000001}));
  EXPECT_FALSE(differ({inf, nan}, {-inf, nan})) << "its direction is not known";
  EXPECT_FALSE(differ({nan, 0}, {nan, -0.0}));
}

}  // namespace
}  // namespace affirm::testing
