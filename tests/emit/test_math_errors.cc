// How far mathematical functions are from the truth: the device's (libclc's code for PTX, after
// LLVM's passes, on the emulator) and the host's (libm), against x87's 64-bit significands.
// AFFIRM_MATH_SAMPLES sets the number of inputs of each function;
// `--gtest_filter=*Table*` prints docs/math.md's table.
#include <cfloat>
#include <cmath>
#include <cstdlib>

#include "core/hlo/text.h"
#include "gtest/gtest.h"
#include "tests/emit/device_code.h"
#include "verify/reference/compare.h"

namespace affirm::testing {
namespace {

using Real = long double;

struct Function {
  const char* name;  // of the HLO op
  Real (*exact)(Real x, Real y);
  float (*host32)(float x, float y);
  double (*host64)(double x, double y);
  bool binary = false;
};

// A function of <cmath>, which has all types under one name.
#define FUNCTION(op, value, binary)                                   \
  {op, [](Real x, [[maybe_unused]] Real y) -> Real { return value; }, \
   [](float x, [[maybe_unused]] float y) -> float { return value; },  \
   [](double x, [[maybe_unused]] double y) -> double { return value; }, binary}

const Function kFunctions[] = {
    FUNCTION("acos", std::acos(x), false),
    FUNCTION("acosh", std::acosh(x), false),
    FUNCTION("asin", std::asin(x), false),
    FUNCTION("asinh", std::asinh(x), false),
    FUNCTION("atan2", std::atan2(x, y), true),
    FUNCTION("atanh", std::atanh(x), false),
    FUNCTION("cbrt", std::cbrt(x), false),
    FUNCTION("cosine", std::cos(x), false),
    FUNCTION("cosh", std::cosh(x), false),
    FUNCTION("erf", std::erf(x), false),
    FUNCTION("exponential", std::exp(x), false),
    FUNCTION("exponential-minus-one", std::expm1(x), false),
    FUNCTION("log", std::log(x), false),
    FUNCTION("log-plus-one", std::log1p(x), false),
    FUNCTION("power", std::pow(x, y), true),
    FUNCTION("remainder", std::fmod(x, y), true),
    FUNCTION("sine", std::sin(x), false),
    FUNCTION("sinh", std::sinh(x), false),
    FUNCTION("tan", std::tan(x), false),
    FUNCTION("tanh", std::tanh(x), false),
};

#undef FUNCTION

// A tuple of every function of x and y.
std::string AllFunctions(const std::string& type, int64_t count) {
  std::string shape = type + "[" + std::to_string(count) + "]", body, shapes, names;
  for (size_t i = 0; i < std::size(kFunctions); ++i) {
    std::string name = "r" + std::to_string(i), comma = i == 0 ? "" : ", ";
    body += "  " + name + " = " + shape + " " + kFunctions[i].name +
            (kFunctions[i].binary ? "(x, y)\n" : "(x)\n");
    shapes += comma + shape;
    names += comma + name;
  }
  return "HloModule m\nENTRY e {\n  x = " + shape + " parameter(0)\n  y = " + shape +
         " parameter(1)\n" + body + "  ROOT t = (" + shapes + ") tuple(" + names + ")\n}\n";
}

// The results of every function on x and y, as a device computes them.
template <typename T>
llvm::Expected<std::vector<std::vector<T>>> OnDevice(const std::vector<T>& x,
                                                     const std::vector<T>& y) {
  auto hlo = hlo::ParseModule(AllFunctions(sizeof(T) == 4 ? "f32" : "f64", std::ssize(x)), "math");
  if (!hlo) return hlo.takeError();
  Context context;
  auto kernel = emit::EmitKernel(*(*hlo)->entry, context);
  if (!kernel) return kernel.takeError();
  std::vector<hlo::Literal> arguments;
  for (const std::vector<T>* values : {&x, &y}) {
    arguments.emplace_back((*hlo)->entry->parameters[0]->shape);
    std::memcpy(arguments.back().data(), values->data(), values->size() * sizeof(T));
  }
  auto result = RunDeviceCode(*kernel, arguments);
  if (!result) return result.takeError();
  std::vector<std::vector<T>> results;
  for (const hlo::Literal& of_function : result->tuple()) {
    results.emplace_back(x.size());
    std::memcpy(results.back().data(), of_function.data(), x.size() * sizeof(T));
  }
  return results;
}

int64_t Samples() {
  const char* text = std::getenv("AFFIRM_MATH_SAMPLES");
  return text ? std::atoll(text) : 20000;
}

uint64_t Mix(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

template <typename T>
std::vector<T> Specials() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           T(0.25),
                           T(0.5),
                           1,
                           T(1.5),
                           2,
                           3,
                           10,
                           22,
                           88,
                           89,
                           104,
                           709,
                           710,
                           745,
                           T(1e5),
                           T(1e9),
                           T(1e22),
                           T(M_PI),
                           T(M_PI_2),
                           T(M_PI_4),
                           Limits::min(),
                           Limits::denorm_min(),
                           Limits::max(),
                           Limits::infinity(),
                           Limits::epsilon()};
  size_t count = values.size();
  for (size_t i = 0; i < count; ++i) {
    values.push_back(std::nextafter(values[i], Limits::infinity()));
    values.push_back(std::nextafter(values[i], T(0)));
  }
  count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  return values;
}

// Evenly over all patterns, evenly over exponents near 1, and all pairs of specials.
template <typename T>
std::pair<std::vector<T>, std::vector<T>> Inputs(int64_t samples) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  uint64_t state = 1;
  auto any = [&] { return std::bit_cast<T>(static_cast<Bits>(Mix(state))); };
  auto near_one = [&] {
    auto u = static_cast<T>(static_cast<double>(Mix(state) >> 11) * 0x1p-53);
    auto exponent = static_cast<int>(Mix(state) % 40) - 30;
    return std::ldexp((Mix(state) & 1 ? 1 : -1) * (1 + u), exponent);
  };
  std::vector<T> x, y, specials = Specials<T>();
  for (T a : specials) {
    for (T b : specials) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  for (int64_t i = 0; i < samples; ++i) {
    x.push_back(i % 2 ? any() : near_one());
    y.push_back(i % 4 < 2 ? near_one() : any());
  }
  return {x, y};
}

// The distance in units in the last place of the exact value; infinite when one is a NaN or an
// infinity and the other isn't. What the type rounds to infinity is that.
template <typename T>
double Error(T computed, Real exact) {
  T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(computed)) {
    return std::isnan(rounded) == std::isnan(computed) ? 0 : HUGE_VAL;
  }
  if (std::isinf(rounded) || std::isinf(computed)) return rounded == computed ? 0 : HUGE_VAL;
  using Limits = std::numeric_limits<T>;
  int exponent = exact == 0 ? Limits::min_exponent - 1 : std::ilogb(exact);
  exponent = std::max(exponent, Limits::min_exponent - 1);
  Real unit = std::ldexp(Real(1), exponent - Limits::digits + 1);
  return static_cast<double>(std::fabs(static_cast<Real>(computed) - exact) / unit);
}

struct Worst {
  double error = 0;
  double x = 0, y = 0;
  void Note(double e, double at, double with) {
    if (e > error) *this = {e, at, with};
  }
};

// By function: the worst of the host and of the device.
template <typename T>
std::vector<std::pair<Worst, Worst>> Measure() {
  auto [x, y] = Inputs<T>(Samples());
  auto device = OnDevice<T>(x, y);
  if (!device) {
    ADD_FAILURE() << llvm::toString(device.takeError());
    return {};
  }
  std::vector<std::pair<Worst, Worst>> all;
  for (size_t k = 0; k < std::size(kFunctions); ++k) {
    auto& [host_worst, device_worst] = all.emplace_back();
    for (size_t i = 0; i < x.size(); ++i) {
      Real exact = kFunctions[k].exact(x[i], y[i]);
      T host;
      if constexpr (sizeof(T) == 4) {
        host = kFunctions[k].host32(x[i], y[i]);
      } else {
        host = kFunctions[k].host64(x[i], y[i]);
      }
      host_worst.Note(Error<T>(host, exact), x[i], y[i]);
      device_worst.Note(Error<T>((*device)[k][i], exact), x[i], y[i]);
    }
  }
  return all;
}

TEST(MathErrors, AreWithinTheBounds) {
  if (LDBL_MANT_DIG < 64) GTEST_SKIP() << "long double has no more digits than double";
  auto f32 = Measure<float>();
  auto f64 = Measure<double>();
  ASSERT_EQ(f32.size(), f64.size());
  for (size_t k = 0; k < f32.size(); ++k) {
    const char* name = kFunctions[k].name;
    std::printf("| `%s` | %.2f | %.2f | %.2f | %.2f |\n", name, f32[k].first.error,
                f32[k].second.error, f64[k].first.error, f64[k].second.error);
    for (const auto& [host, device] : {f32[k], f64[k]}) {
      double bound = static_cast<double>(hlo::MathBoundOf(hlo::OpcodeFromName(name)));
      EXPECT_LE(host.error, bound) << name << " of " << host.x << " and " << host.y;
      EXPECT_LE(device.error, bound) << name << " of " << device.x << " and " << device.y;
    }
  }
}

}  // namespace
}  // namespace affirm::testing
