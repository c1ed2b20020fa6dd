// The table of unary ops whose result has the type of the operand.
#include <bit>
#include <cmath>

#include "verify/scalar/elementwise_rows.h"

namespace affirm::hlo {
namespace {

using enum PrimitiveType;
using UnaryLoops = WithLoops<UnaryRow>;

constexpr UnaryLoops UnaryFloats(UnaryLoops row, auto function) {
  row.on_f32 = function;
  row.on_f64 = function;
  return row.With(function, Types<kF32, kF64>());
}

// c64 in double precision, rounded once: c64 functions built of float operations lose digits.
constexpr UnaryLoops ComplexesInDouble(UnaryLoops row, auto function) {
  const auto rounded = [](std::complex<float> z) {
    return std::complex<float>(decltype(function){}(std::complex<double>(z)));
  };
  row.on_c64 = OnComplexes<decltype(rounded)>;
  row.on_c128 = OnComplexes<decltype(function)>;
  return row.With(rounded, Types<kC64>()).With(function, Types<kC128>());
}

constexpr UnaryLoops FloatsAndComplexes(UnaryLoops row, auto function) {
  return ComplexesInDouble(UnaryFloats(row, function), function);
}

template <auto function>
constexpr UnaryLoops UnaryIntegers(UnaryLoops row) {
  row.on_int = function;
  return row.With(Constant<function>(), IntTypes());
}

template <auto function>
constexpr UnaryLoops UnaryIntsAndPred(UnaryLoops row) {
  row.on_pred = true;
  return UnaryIntegers<function>(row).With(Constant<function>(), Types<kPred>());
}

uint64_t AbsInt(int64_t x, IntType type) {
  const auto bits = static_cast<uint64_t>(x);
  return type.is_signed && x < 0 ? -bits : bits;
}
uint64_t NegateInt(int64_t x, IntType) { return -static_cast<uint64_t>(x); }
uint64_t NotInt(int64_t x, IntType) { return ~static_cast<uint64_t>(x); }
uint64_t SignInt(int64_t x, IntType type) {
  return type.is_signed && x < 0 ? ~uint64_t{0} : static_cast<uint64_t>(x != 0);
}
uint64_t PopcntInt(int64_t x, IntType type) {
  return std::popcount(static_cast<uint64_t>(x) & type.Mask());
}
uint64_t ClzInt(int64_t x, IntType type) {
  return std::countl_zero(static_cast<uint64_t>(x) & type.Mask()) - (64 - type.bits);
}

template <typename T>
T Sign(T x) {
  return std::isnan(x) || x == 0 ? x : std::copysign(T(1), x);
}
template <typename T>
std::complex<T> Sign(std::complex<T> z) {
  const T length = std::abs(z);
  return length == 0 ? z : std::complex<T>(z.real() / length, z.imag() / length);
}

// exp(a + ib) - 1 without the loss of digits near 0. Far from it the difference loses none, and
// keeps what exp says of infinities: no product of one with sin 0.
template <typename T>
std::complex<T> Expm1(std::complex<T> z) {
  const std::complex<T> exp = std::exp(z);
  if (!(std::fabs(z.real()) < 1)) return {exp.real() - 1, exp.imag()};
  const T half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half, exp.imag()};
}

// log(1 + x + iy) without the loss of digits near 0, and with the sign of y: it says on which side
// of the branch cut the argument lies.
template <typename T>
std::complex<T> Log1p(std::complex<T> z) {
  const std::complex<T> log = std::log(std::complex<T>(1 + z.real(), z.imag()));
  if (!(std::fabs(z.real()) < T(0.5) && std::fabs(z.imag()) < T(0.5))) return log;
  const T above = z.real() * (z.real() + 2) + z.imag() * z.imag();
  return {std::log1p(above) / 2, log.imag()};
}

template <typename T>
T Logistic(T x) {
  return T(1) / (T(1) + std::exp(-x));
}
// 1 is a real number: the imaginary part keeps the sign of its zero.
template <typename T>
std::complex<T> Logistic(std::complex<T> z) {
  return T(1) / (T(1) + std::exp(-z));
}

constexpr UnaryLoops kUnaryRows[] = {
    FloatsAndComplexes({Opcode::kAcos}, [](auto x) { return std::acos(x); }),
    FloatsAndComplexes({Opcode::kAcosh}, [](auto x) { return std::acosh(x); }),
    FloatsAndComplexes({Opcode::kAsin}, [](auto x) { return std::asin(x); }),
    FloatsAndComplexes({Opcode::kAsinh}, [](auto x) { return std::asinh(x); }),
    FloatsAndComplexes({Opcode::kAtanh}, [](auto x) { return std::atanh(x); }),
    FloatsAndComplexes({Opcode::kCosh}, [](auto x) { return std::cosh(x); }),
    FloatsAndComplexes({Opcode::kCosine}, [](auto x) { return std::cos(x); }),
    FloatsAndComplexes({Opcode::kExponential}, [](auto x) { return std::exp(x); }),
    FloatsAndComplexes({Opcode::kLog}, [](auto x) { return std::log(x); }),
    FloatsAndComplexes({Opcode::kLogistic}, [](auto x) { return Logistic(x); }),
    FloatsAndComplexes({Opcode::kRsqrt}, [](auto x) { return decltype(x)(1) / std::sqrt(x); }),
    FloatsAndComplexes({Opcode::kSine}, [](auto x) { return std::sin(x); }),
    FloatsAndComplexes({Opcode::kSinh}, [](auto x) { return std::sinh(x); }),
    FloatsAndComplexes({Opcode::kSqrt}, [](auto x) { return std::sqrt(x); }),
    FloatsAndComplexes({Opcode::kTan}, [](auto x) { return std::tan(x); }),
    FloatsAndComplexes({Opcode::kTanh}, [](auto x) { return std::tanh(x); }),
    ComplexesInDouble(
        UnaryFloats({Opcode::kExponentialMinusOne}, [](auto x) { return std::expm1(x); }),
        [](auto z) { return Expm1(z); }),
    ComplexesInDouble(UnaryFloats({Opcode::kLogPlusOne}, [](auto x) { return std::log1p(x); }),
                      [](auto z) { return Log1p(z); }),
    UnaryFloats({Opcode::kCbrt}, [](auto x) { return std::cbrt(x); }),
    UnaryFloats({Opcode::kCeil}, [](auto x) { return std::ceil(x); }),
    UnaryFloats({Opcode::kErf}, [](auto x) { return std::erf(x); }),
    UnaryFloats({Opcode::kFloor}, [](auto x) { return std::floor(x); }),
    UnaryFloats({Opcode::kRoundNearestAfz}, [](auto x) { return std::round(x); }),
    // The rounding mode is never changed: to nearest, ties to even.
    UnaryFloats({Opcode::kRoundNearestEven}, [](auto x) { return std::nearbyint(x); }),
    UnaryIntegers<AbsInt>(UnaryFloats({Opcode::kAbs}, [](auto x) { return std::fabs(x); })),
    UnaryIntegers<NegateInt>(FloatsAndComplexes({Opcode::kNegate}, [](auto x) { return -x; })),
    UnaryIntegers<SignInt>(FloatsAndComplexes({Opcode::kSign}, [](auto x) { return Sign(x); })),
    UnaryIntsAndPred<NotInt>({Opcode::kNot}),
    UnaryIntegers<PopcntInt>({Opcode::kPopcnt}),
    UnaryIntegers<ClzInt>({Opcode::kCountLeadingZeros}),
};

}  // namespace

const UnaryLoops* FindUnary(Opcode opcode) {
  for (const UnaryLoops& row : kUnaryRows) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

}  // namespace affirm::hlo
