// Sums of products, as dot and convolution take them: a row of one array with many columns of
// another at once.
//
// Products and sums are taken in the accumulation type, and the sum is rounded to the result's type
// once: f64 when the result or an operand is f64, else f32 for floats; for integers the result's
// type modulo its width; for pred "or" of "and"; for complex types the result's own type.
//
// The order of each sum is that of its terms: ((0 + a0 * b0) + a1 * b1) + ..., whatever is done at
// once. Only sums of different elements stand beside each other.
#ifndef AFFIRM_VERIFY_REFERENCE_PRODUCTS_H_
#define AFFIRM_VERIFY_REFERENCE_PRODUCTS_H_

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

// Elements of the accumulation types: float, double, uint64_t (integers, modulo 2^64), and these.
struct Bit {
  uint8_t value = 0;
};
template <typename T>
struct ComplexNumber {
  T re = 0, im = 0;
};

template <typename T>
void AddProduct(T& sum, const T& a, const T& b) {
  sum = sum + a * b;
}
inline void AddProduct(Bit& sum, const Bit& a, const Bit& b) { sum.value |= a.value & b.value; }
template <typename T>
void AddProduct(ComplexNumber<T>& sum, const ComplexNumber<T>& a, const ComplexNumber<T>& b) {
  sum.re = sum.re + (a.re * b.re - a.im * b.im);
  sum.im = sum.im + (a.re * b.im + a.im * b.re);
}

// How many columns are summed at once, in registers.
inline constexpr int64_t kPanel = 16;
template <typename T>
using PanelSums = std::array<T, kPanel>;

// Adds row[k * stride] * panel[k * kPanel + j] to sums[j], k = 0, 1, ..., terms - 1.
template <typename T>
void AddProducts(const T* row, int64_t stride, const T* panel, int64_t terms, PanelSums<T>& sums) {
  PanelSums<T> local = sums;
  for (int64_t k = 0; k < terms; ++k) {
    const T a = row[k * stride];
    for (int64_t j = 0; j < kPanel; ++j) AddProduct(local[j], a, panel[k * kPanel + j]);
  }
  sums = local;
}

template <typename T>
T FromScalar(const Scalar& x) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x.re);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(x.i);
  } else if constexpr (std::is_same_v<T, Bit>) {
    return {static_cast<uint8_t>(x.i & 1)};
  } else {
    return {static_cast<decltype(T::re)>(x.re), static_cast<decltype(T::re)>(x.im)};
  }
}
template <typename T>
Scalar ToScalar(const T& x) {
  if constexpr (std::is_floating_point_v<T>) {
    return {.re = x};
  } else if constexpr (std::is_integral_v<T>) {
    return {.i = static_cast<int64_t>(x)};
  } else if constexpr (std::is_same_v<T, Bit>) {
    return {.i = x.value};
  } else {
    return {.re = x.re, .im = x.im};
  }
}

// The accumulation type of a call with two operands; an error when an operand does not convert.
llvm::Expected<PrimitiveType> AccumulationType(const OpInvocation& call);

// The elements of an array in its row-major order, in the accumulation type.
template <typename T>
std::vector<T> ElementsAs(const Literal& literal, PrimitiveType accumulation) {
  std::vector<T> elements(literal.NumElements());
  const PrimitiveType type = literal.shape().type;
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] =
        FromScalar<T>(Convert(Load(literal, static_cast<int64_t>(i)), type, accumulation));
  }
  return elements;
}

template <typename T>
void StoreSum(Literal& result, int64_t linear, const T& sum, PrimitiveType accumulation) {
  Store(result, linear, Convert(ToScalar(sum), accumulation, result.shape().type));
}

// Calls `body` with a value of the C++ type that stands for the accumulation type.
template <typename Body>
auto WithAccumulation(PrimitiveType type, Body body) {
  switch (type) {
    case PrimitiveType::kPred:
      return body(Bit());
    case PrimitiveType::kF32:
      return body(float());
    case PrimitiveType::kF64:
      return body(double());
    case PrimitiveType::kC64:
      return body(ComplexNumber<float>());
    case PrimitiveType::kC128:
      return body(ComplexNumber<double>());
    default:
      return body(uint64_t());
  }
}

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_PRODUCTS_H_
