#include "verify/kernel/emulator/math_functions.h"

#include <cmath>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

namespace affirm::kernel {
namespace {

template <typename T>
T Rsqrt(T x) {
  return 1 / std::sqrt(x);
}
template <typename T>
T Rcbrt(T x) {
  return 1 / std::cbrt(x);
}
template <typename T>
T Reciprocal(T x) {
  return 1 / x;
}
template <typename T>
T Exp10(T x) {
  return std::pow(T{10}, x);
}
template <typename T>
T RoundEven(T x) {
  return std::nearbyint(x);  // the mode of the host is to nearest, ties to even
}
template <typename T>
T SinPi(T x) {
  return std::sin(T(M_PI) * std::remainder(x, T{2}));
}
template <typename T>
T CosPi(T x) {
  return std::cos(T(M_PI) * std::remainder(x, T{2}));
}
template <typename T>
T Divide(T x, T y) {
  return x / y;
}
// CUDA Math API, "__powf": NaN of negative numbers.
template <typename T>
T FastPow(T x, T y) {
  return std::exp2(y * std::log2(x));
}
template <typename T>
T Saturate(T x) {
  return std::isnan(x) ? T{0} : std::fmin(std::fmax(x, T{0}), T{1});
}

#define AFFIRM_UNARY(name, function)                      \
  {name, 1, [](float x) -> float { return function(x); }, \
   [](double x) -> double { return function(x); }}
#define AFFIRM_BINARY(name, function)                        \
  {name,                                                     \
   2,                                                        \
   nullptr,                                                  \
   nullptr,                                                  \
   [](float x, float y) -> float { return function(x, y); }, \
   [](double x, double y) -> double { return function(x, y); }}

constexpr MathFunction kFunctions[] = {
    AFFIRM_UNARY("acos", std::acos),
    AFFIRM_UNARY("acosh", std::acosh),
    AFFIRM_UNARY("asin", std::asin),
    AFFIRM_UNARY("asinh", std::asinh),
    AFFIRM_UNARY("atan", std::atan),
    AFFIRM_UNARY("atanh", std::atanh),
    AFFIRM_UNARY("cbrt", std::cbrt),
    AFFIRM_UNARY("ceil", std::ceil),
    AFFIRM_UNARY("cos", std::cos),
    AFFIRM_UNARY("cosh", std::cosh),
    AFFIRM_UNARY("cospi", CosPi),
    AFFIRM_UNARY("erf", std::erf),
    AFFIRM_UNARY("erfc", std::erfc),
    AFFIRM_UNARY("exp", std::exp),
    AFFIRM_UNARY("exp10", Exp10),
    AFFIRM_UNARY("exp2", std::exp2),
    AFFIRM_UNARY("expm1", std::expm1),
    AFFIRM_UNARY("fabs", std::fabs),
    AFFIRM_UNARY("floor", std::floor),
    AFFIRM_UNARY("lgamma", std::lgamma),
    AFFIRM_UNARY("log", std::log),
    AFFIRM_UNARY("log10", std::log10),
    AFFIRM_UNARY("log1p", std::log1p),
    AFFIRM_UNARY("log2", std::log2),
    AFFIRM_UNARY("logb", std::logb),
    AFFIRM_UNARY("nearbyint", RoundEven),
    AFFIRM_UNARY("rcbrt", Rcbrt),
    AFFIRM_UNARY("rcp", Reciprocal),
    AFFIRM_UNARY("rint", RoundEven),
    AFFIRM_UNARY("round", std::round),
    AFFIRM_UNARY("roundeven", RoundEven),
    AFFIRM_UNARY("rsqrt", Rsqrt),
    AFFIRM_UNARY("saturate", Saturate),
    AFFIRM_UNARY("sin", std::sin),
    AFFIRM_UNARY("sinh", std::sinh),
    AFFIRM_UNARY("sinpi", SinPi),
    AFFIRM_UNARY("sqrt", std::sqrt),
    AFFIRM_UNARY("tan", std::tan),
    AFFIRM_UNARY("tanh", std::tanh),
    AFFIRM_UNARY("tgamma", std::tgamma),
    AFFIRM_UNARY("trunc", std::trunc),
    AFFIRM_BINARY("atan2", std::atan2),
    AFFIRM_BINARY("div", Divide),
    AFFIRM_BINARY("fast_pow", FastPow),
    AFFIRM_BINARY("fdim", std::fdim),
    AFFIRM_BINARY("fmod", std::fmod),
    AFFIRM_BINARY("hypot", std::hypot),
    AFFIRM_BINARY("pow", std::pow),
    AFFIRM_BINARY("remainder", std::remainder),
    {"fma", 3, nullptr, nullptr, nullptr, nullptr,
     [](float x, float y, float z) -> float { return std::fma(x, y, z); },
     [](double x, double y, double z) -> double { return std::fma(x, y, z); }},
};

#undef AFFIRM_UNARY
#undef AFFIRM_BINARY

const MathFunction* Find(llvm::StringRef name) {
  for (const MathFunction& function : kFunctions) {
    if (name == function.name) return &function;
  }
  return nullptr;
}

bool IsType(llvm::StringRef part) {
  return llvm::is_contained({"f", "d", "f16", "bf16", "f32", "f64"}, part);
}

// Whether the suffixes of an NVPTX function name a type and rounding to nearest. Rounding toward
// zero, signs of other operands and saturation make other functions. An approximation may flush
// denormals.
bool RoundsToNearest(llvm::StringRef rest) {
  const bool is_approximation = rest.contains("approx") || rest.contains("full");
  llvm::SmallVector<llvm::StringRef, 4> parts;
  rest.split(parts, '.');
  return llvm::all_of(parts, [&](llvm::StringRef part) {
    return IsType(part) || part == "rn" || part == "approx" || part == "full" ||
           (part == "ftz" && is_approximation);
  });
}

// The mathematical name of what a callee computes: "expf" of __nv_expf, "exp" of _Z3expf and of
// llvm.exp.f32. Empty when it belongs to no library that we know.
llvm::StringRef PlainName(llvm::StringRef callee) {
  if (callee.consume_front("__nv_")) {
    if (callee != "fast_powf") callee.consume_front("fast_");
    return callee;
  }
  if (callee.consume_front("__ocml_")) {
    callee.consume_front("native_");
    return callee.rsplit("_f").first;
  }
  if (callee.consume_front("_Z")) {
    size_t length = 0;
    if (callee.consumeInteger(10, length) || length > callee.size()) return "";
    callee = callee.take_front(length);
    callee.consume_front("native_");
    callee.consume_front("half_");
    return callee;
  }
  if (callee.consume_front("llvm.nvvm.")) {
    auto [name, rest] = callee.split('.');
    if (!RoundsToNearest(rest)) return "";
    return llvm::StringSwitch<llvm::StringRef>(name)
        .Cases({"sqrt", "rsqrt", "sin", "cos", "rcp", "div", "fma", "fabs", "tanh"}, name)
        .Cases({"ceil", "floor", "trunc", "saturate"}, name)
        .Case("round", "roundeven")  // cvt.rni
        .Case("ex2", "exp2")
        .Case("lg2", "log2")
        .Default("");
  }
  if (callee.consume_front("llvm.amdgcn.")) {
    // Instructions with errors of some ulp ("CDNA3 Instruction Set Architecture", V_EXP_F32, ...).
    auto [name, type] = callee.split('.');
    if (!IsType(type)) return "";
    return llvm::StringSwitch<llvm::StringRef>(name)
        .Cases({"exp2", "rcp", "sqrt"}, name)
        .Case("log", "log2")
        .Case("rsq", "rsqrt")
        .Default("");
  }
  if (callee.consume_front("llvm.")) {
    callee = callee.split('.').first;
    return callee == "fmuladd" ? "fma" : callee;
  }
  if (callee.consume_front("xla.")) return callee.split('.').first;  // of XLA:CPU
  return callee;                                                     // of C's library
}

}  // namespace

const MathFunction* FindMathFunction(llvm::StringRef callee) {
  const bool of_doubles = callee.starts_with("__nv_") || callee == PlainName(callee);
  llvm::StringRef name = PlainName(callee);
  if (name.empty()) return nullptr;
  if (const MathFunction* function = Find(name)) return function;
  // In libdevice and in C, "erf" is the function on double, and "erff" that on float.
  if (of_doubles && name.consume_back("f")) return Find(name);
  return nullptr;
}

std::optional<FloatFunction> FindFloatFunction(llvm::StringRef callee) {
  using Answer = std::optional<FloatFunction>;
  if (callee.consume_front("llvm.nvvm.")) {
    auto [name, rest] = callee.split('.');
    // PTX ISA, "min": -0.0 is less than +0.0, and a NaN gives way to a number without ".nan".
    const bool nan = rest.consume_front("nan.");
    if (name == "fmin" && IsType(rest))
      return nan ? FloatFunction::kMinimum : FloatFunction::kMinimumNum;
    if (name == "fmax" && IsType(rest))
      return nan ? FloatFunction::kMaximum : FloatFunction::kMaximumNum;
    if (nan || !rest.consume_front("rn.") || !IsType(rest)) return std::nullopt;
    return llvm::StringSwitch<Answer>(name)
        .Case("add", FloatFunction::kAdd)
        .Case("mul", FloatFunction::kMul)
        .Case("div", FloatFunction::kDiv)
        .Default(std::nullopt);
  }
  if (callee.consume_front("llvm.")) {
    return llvm::StringSwitch<Answer>(callee.split('.').first)
        .Case("minnum", FloatFunction::kMinNum)
        .Case("maxnum", FloatFunction::kMaxNum)
        .Case("minimumnum", FloatFunction::kMinimumNum)
        .Case("maximumnum", FloatFunction::kMaximumNum)
        .Case("minimum", FloatFunction::kMinimum)
        .Case("maximum", FloatFunction::kMaximum)
        .Case("copysign", FloatFunction::kCopySign)
        .Default(std::nullopt);
  }
  llvm::StringRef name = PlainName(callee);
  if (callee.starts_with("__nv_")) name.consume_back("f");
  return llvm::StringSwitch<Answer>(name)
      .Case("fmin", FloatFunction::kMinNum)
      .Case("fmax", FloatFunction::kMaxNum)
      .Case("copysign", FloatFunction::kCopySign)
      .Cases({"fadd_rn"}, FloatFunction::kAdd)
      .Cases({"fmul_rn"}, FloatFunction::kMul)
      .Default(std::nullopt);
}

llvm::ArrayRef<MathFunction> MathFunctions() { return kFunctions; }

}  // namespace affirm::kernel
