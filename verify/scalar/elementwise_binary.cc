// The table of binary ops whose result has the type of the operands.
#include <cmath>
#include <limits>

#include "verify/scalar/elementwise_rows.h"
#include "verify/scalar/extrema.h"

namespace affirm::hlo {
namespace {

using enum PrimitiveType;
using BinaryLoops = WithLoops<BinaryRow>;

constexpr BinaryLoops Floats(BinaryLoops row, auto function) {
  row.on_f32 = function;
  row.on_f64 = function;
  return row.With(function, Types<kF32, kF64>());
}

constexpr BinaryLoops Complexes(BinaryLoops row, auto function) {
  row.on_c64 = OnComplexes<decltype(function)>;
  row.on_c128 = OnComplexes<decltype(function)>;
  return row.With(function, Types<kC64, kC128>());
}

// c64 in double precision, rounded once: c64 functions built of float operations lose digits.
constexpr BinaryLoops ComplexesInDouble(BinaryLoops row, auto function) {
  const auto rounded = [](std::complex<float> a, std::complex<float> b) {
    return std::complex<float>(
        decltype(function){}(std::complex<double>(a), std::complex<double>(b)));
  };
  row.on_c64 = OnComplexes<decltype(rounded)>;
  row.on_c128 = OnComplexes<decltype(function)>;
  return row.With(rounded, Types<kC64>()).With(function, Types<kC128>());
}

template <auto function>
constexpr BinaryLoops Integers(BinaryLoops row) {
  row.on_int = function;
  return row.With(Constant<function>(), IntTypes());
}

template <auto function>
constexpr BinaryLoops Pred(BinaryLoops row) {
  row.on_pred = function;
  return row.With(Constant<function>(), Types<kPred>());
}

template <auto function>
constexpr BinaryLoops IntsAndPred(BinaryLoops row) {
  return Pred<function>(Integers<function>(row));
}

uint64_t U(int64_t x) { return static_cast<uint64_t>(x); }

uint64_t AddInt(int64_t a, int64_t b, IntType) { return U(a) + U(b); }
uint64_t SubtractInt(int64_t a, int64_t b, IntType) { return U(a) - U(b); }
uint64_t MultiplyInt(int64_t a, int64_t b, IntType) { return U(a) * U(b); }
uint64_t AndInt(int64_t a, int64_t b, IntType) { return U(a) & U(b); }
uint64_t OrInt(int64_t a, int64_t b, IntType) { return U(a) | U(b); }
uint64_t XorInt(int64_t a, int64_t b, IntType) { return U(a) ^ U(b); }
uint64_t MaximumInt(int64_t a, int64_t b, IntType type) { return U(type.Less(a, b) ? b : a); }
uint64_t MinimumInt(int64_t a, int64_t b, IntType type) { return U(type.Less(b, a) ? b : a); }

// x / 0 is all ones; the one overflow, minimum / -1, wraps to the minimum.
uint64_t DivideInt(int64_t a, int64_t b, IntType type) {
  if (b == 0) return ~uint64_t{0};
  if (!type.is_signed) return U(a) / U(b);
  return b == -1 ? -U(a) : U(a / b);
}

// x rem 0 is x; minimum rem -1 is 0.
uint64_t RemainderInt(int64_t a, int64_t b, IntType type) {
  if (b == 0) return U(a);
  if (!type.is_signed) return U(a) % U(b);
  return b == -1 ? 0 : U(a % b);
}

// A negative exponent leaves 0, but for the bases 1 and -1.
uint64_t PowerInt(int64_t base, int64_t exponent, IntType type) {
  if (type.is_signed && exponent < 0) {
    if (base == 1) return 1;
    return base == -1 ? (exponent % 2 == 0 ? 1 : ~uint64_t{0}) : 0;
  }
  uint64_t result = 1;
  uint64_t square = U(base);
  for (uint64_t rest = U(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    square *= square;
  }
  return result;
}

// Shift amounts are unsigned; one of at least the width moves every bit out.
bool ShiftsOut(int64_t amount, IntType type) {
  return (U(amount) & type.Mask()) >= static_cast<uint64_t>(type.bits);
}
uint64_t ShiftLeftInt(int64_t a, int64_t amount, IntType type) {
  return ShiftsOut(amount, type) ? 0 : U(a) << (U(amount) & type.Mask());
}
uint64_t ShiftRightLogicalInt(int64_t a, int64_t amount, IntType type) {
  return ShiftsOut(amount, type) ? 0 : (U(a) & type.Mask()) >> (U(amount) & type.Mask());
}
uint64_t ShiftRightArithmeticInt(int64_t a, int64_t amount, IntType type) {
  const int64_t extended = IntType{type.bits, true}.Wrap(U(a));
  const uint64_t by = ShiftsOut(amount, type) ? 63 : U(amount) & type.Mask();
  return U(extended >> by);
}

// A sum or product, but the NaN of the first operand where that is one: the processor takes the
// first NaN of the operands, which compilers may swap.
template <typename T>
T WithNaN(T first, T value) {
  return std::isnan(value) && std::isnan(first) ? first + first : value;
}

// The schoolbook product: infinities are not recovered from NaN.
template <typename T>
std::complex<T> MultiplyComplex(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Infinite over finite is infinite, finite over infinite 0, and what is not 0 over 0 infinite, as
// in C (annex G.5.1). The quotient itself is taken in a type whose exponents hold the squares of
// double's.
std::complex<double> DivideComplex(std::complex<double> a, std::complex<double> b) {
  auto infinite = [](std::complex<double> z) {
    return std::isinf(z.real()) || std::isinf(z.imag());
  };
  auto finite = [](std::complex<double> z) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
  };
  // 1 for what is infinite, 0 for what is not, with the signs.
  auto boxed = [](std::complex<double> z) {
    return std::complex<double>(std::copysign(std::isinf(z.real()), z.real()),
                                std::copysign(std::isinf(z.imag()), z.imag()));
  };
  if (b == 0.0) return a * std::copysign(HUGE_VAL, b.real());
  if (infinite(a) && finite(b)) return HUGE_VAL * MultiplyComplex(boxed(a), std::conj(b));
  if (finite(a) && infinite(b)) return 0.0 * MultiplyComplex(a, std::conj(boxed(b)));
  const std::complex<long double> top =
      MultiplyComplex<long double>(a, std::conj(std::complex<long double>(b)));
  return std::complex<double>(top / std::norm(std::complex<long double>(b)));
}

// 0 to the power 0 is 1, to a positive real power 0, and to others not a number, as in XLA. C's
// power makes 0 of some powers with NaN.
template <typename T>
std::complex<T> PowerComplex(std::complex<T> base, std::complex<T> exponent) {
  if (exponent == std::complex<T>(0)) return T(1);
  if (base == std::complex<T>(0)) {
    if (exponent.imag() == 0 && exponent.real() > 0) return T(0);
    return {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()};
  }
  return std::exp(MultiplyComplex(exponent, std::log(base)));
}

// -i log((x + iy) / sqrt(x^2 + y^2))
template <typename T>
std::complex<T> Atan2Complex(std::complex<T> y, std::complex<T> x) {
  const std::complex<T> turned(x.real() - y.imag(), x.imag() + y.real());
  const std::complex<T> squares = MultiplyComplex(x, x) + MultiplyComplex(y, y);
  const std::complex<T> log = std::log(turned / std::sqrt(squares));
  return {log.imag(), -log.real()};
}

constexpr BinaryLoops kBinaryRows[] = {
    // On pred a sum is "or" and a product is "and".
    Pred<OrInt>(Integers<AddInt>(
        Complexes(Floats({Opcode::kAdd}, [](auto a, auto b) { return WithNaN(a, a + b); }),
                  [](auto a, auto b) { return a + b; }))),
    IntsAndPred<MultiplyInt>(
        Complexes(Floats({Opcode::kMultiply}, [](auto a, auto b) { return WithNaN(a, a * b); }),
                  [](auto a, auto b) { return MultiplyComplex(a, b); })),
    Integers<SubtractInt>(
        Complexes(Floats({Opcode::kSubtract}, [](auto a, auto b) { return a - b; }),
                  [](auto a, auto b) { return a - b; })),
    Integers<DivideInt>(
        ComplexesInDouble(Floats({Opcode::kDivide}, [](auto a, auto b) { return a / b; }),
                          [](auto a, auto b) { return DivideComplex(a, b); })),
    Integers<RemainderInt>(
        Floats({Opcode::kRemainder}, [](auto a, auto b) { return std::fmod(a, b); })),
    Integers<PowerInt>(
        ComplexesInDouble(Floats({Opcode::kPower}, [](auto a, auto b) { return std::pow(a, b); }),
                          [](auto a, auto b) { return PowerComplex(a, b); })),
    ComplexesInDouble(Floats({Opcode::kAtan2}, [](auto a, auto b) { return std::atan2(a, b); }),
                      [](auto a, auto b) { return Atan2Complex(a, b); }),
    IntsAndPred<MaximumInt>(
        Floats({Opcode::kMaximum}, [](auto a, auto b) { return Maximum(a, b); })),
    IntsAndPred<MinimumInt>(
        Floats({Opcode::kMinimum}, [](auto a, auto b) { return Minimum(a, b); })),
    IntsAndPred<AndInt>({Opcode::kAnd}),
    IntsAndPred<OrInt>({Opcode::kOr}),
    IntsAndPred<XorInt>({Opcode::kXor}),
    Integers<ShiftLeftInt>({Opcode::kShiftLeft}),
    Integers<ShiftRightLogicalInt>({Opcode::kShiftRightLogical}),
    Integers<ShiftRightArithmeticInt>({Opcode::kShiftRightArithmetic}),
};

}  // namespace

const BinaryLoops* FindBinary(Opcode opcode) {
  for (const BinaryLoops& row : kBinaryRows) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

}  // namespace affirm::hlo
