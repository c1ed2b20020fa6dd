// Loops over spans whose bodies are functions of single elements, for types that are known at
// compile time. Internal to verify/scalar.
//
//   Loop<PrimitiveType::kPred, PrimitiveType::kF32>(
//       [](float x) -> uint64_t { return std::isfinite(x); }, operands, result, count);
#ifndef AFFIRM_VERIFY_SCALAR_SPAN_LOOPS_H_
#define AFFIRM_VERIFY_SCALAR_SPAN_LOOPS_H_

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <utility>

#include "verify/scalar/elementwise.h"

namespace affirm::hlo {

template <typename T, int width = 8 * sizeof(T)>
struct Storage {
  using Type = T;
  static constexpr IntType kInt = {width, std::is_signed_v<T>};  // meant for integers and pred
};

// How elements of a type lie in a literal. Floats narrower than f32 have no storage here.
template <PrimitiveType type>
constexpr auto StorageOf() {
  using enum PrimitiveType;
  if constexpr (type == kPred || type == kU1) return Storage<uint8_t, 1>();
  if constexpr (type == kU2) return Storage<uint8_t, 2>();
  if constexpr (type == kU4) return Storage<uint8_t, 4>();
  if constexpr (type == kU8) return Storage<uint8_t>();
  if constexpr (type == kU16) return Storage<uint16_t>();
  if constexpr (type == kU32) return Storage<uint32_t>();
  if constexpr (type == kU64) return Storage<uint64_t>();
  if constexpr (type == kS1) return Storage<int8_t, 1>();
  if constexpr (type == kS2) return Storage<int8_t, 2>();
  if constexpr (type == kS4) return Storage<int8_t, 4>();
  if constexpr (type == kS8) return Storage<int8_t>();
  if constexpr (type == kS16) return Storage<int16_t>();
  if constexpr (type == kS32) return Storage<int32_t>();
  if constexpr (type == kS64) return Storage<int64_t>();
  if constexpr (type == kF32) return Storage<float>();
  if constexpr (type == kF64) return Storage<double>();
  if constexpr (type == kC64) return Storage<std::complex<float>>();
  if constexpr (type == kC128) return Storage<std::complex<double>>();
}
template <PrimitiveType type>
using StorageFor = decltype(StorageOf<type>());
template <PrimitiveType type>
inline constexpr bool kIsStoredAsInt = std::is_integral_v<typename StorageFor<type>::Type>;

// Makes a NaN quiet, as the conversion to double in Load() does: compilers leave that out where the
// value is converted back.
inline float Quieted(float x) {
  constexpr uint32_t kQuiet = 0x00400000;
  return std::isnan(x) ? std::bit_cast<float>(std::bit_cast<uint32_t>(x) | kQuiet) : x;
}
inline double Quieted(double x) { return x; }

template <typename T>
T At(const uint8_t* elements, int64_t i) {
  T x;
  std::memcpy(&x, elements + i * sizeof(T), sizeof(T));
  return x;
}
template <typename T>
void SetAt(uint8_t* elements, int64_t i, T x) {
  std::memcpy(elements + i * sizeof(T), &x, sizeof(T));
}

// Element i: an int64_t with the bits of an integer, a float, a double or a complex number.
template <PrimitiveType type>
auto Get(const uint8_t* elements, int64_t i) {
  using T = typename StorageFor<type>::Type;
  if constexpr (kIsStoredAsInt<type>) {
    return StorageFor<type>::kInt.Wrap(static_cast<uint64_t>(At<T>(elements, i)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return Quieted(At<T>(elements, i));
  } else {
    using Part = typename T::value_type;
    return T(Quieted(At<Part>(elements, 2 * i)), Quieted(At<Part>(elements, 2 * i + 1)));
  }
}

// Stores what a function gives: the bits of an integer as uint64_t, which are wrapped.
template <PrimitiveType type, typename Value>
void Put(uint8_t* elements, int64_t i, const Value& value) {
  using T = typename StorageFor<type>::Type;
  if constexpr (kIsStoredAsInt<type>) {
    static_assert(std::is_same_v<Value, uint64_t>);
    SetAt(elements, i, static_cast<T>(StorageFor<type>::kInt.Wrap(value)));
  } else if constexpr (std::is_floating_point_v<T>) {
    SetAt(elements, i, static_cast<T>(value));
  } else {
    using Part = typename T::value_type;
    SetAt(elements, 2 * i, static_cast<Part>(value.real()));
    SetAt(elements, 2 * i + 1, static_cast<Part>(value.imag()));
  }
}

// The element of Get() as that of Load().
inline Scalar Boxed(int64_t x) { return {.i = x}; }
inline Scalar Boxed(double x) { return {.re = x}; }
inline Scalar Boxed(std::complex<double> z) { return {0, z.real(), z.imag()}; }

// A number of the type as Put() takes it.
template <PrimitiveType type>
auto Unboxed(const Scalar& x) {
  using T = typename StorageFor<type>::Type;
  if constexpr (kIsStoredAsInt<type>) {
    return static_cast<uint64_t>(x.i);
  } else if constexpr (std::is_floating_point_v<T>) {
    return x.re;
  } else {
    return std::complex<double>(x.re, x.im);
  }
}

template <PrimitiveType to, PrimitiveType... from, typename Function>
void Loop(Function function, const uint8_t* const* operands, uint8_t* result, int64_t count) {
  [&]<size_t... k>(std::index_sequence<k...>) {
    const std::array<const uint8_t*, sizeof...(k)> in{operands[k]...};
    for (int64_t i = 0; i < count; ++i) Put<to>(result, i, function(Get<from>(in[k], i)...));
  }(std::make_index_sequence<sizeof...(from)>());
}

// The loop as a SpanOp.
template <PrimitiveType to, PrimitiveType... from, typename Function>
SpanOp SpanOf(Function function) {
  return [function](const uint8_t* const* operands, uint8_t* result, int64_t count) {
    Loop<to, from...>(function, operands, result, count);
  };
}

template <PrimitiveType value>
using Type = std::integral_constant<PrimitiveType, value>;
template <PrimitiveType... types>
struct Types {};

template <PrimitiveType... types, PrimitiveType... more>
Types<types..., more...> operator+(Types<types...>, Types<more...>);

using IntTypes =
    Types<PrimitiveType::kS1, PrimitiveType::kS2, PrimitiveType::kS4, PrimitiveType::kS8,
          PrimitiveType::kS16, PrimitiveType::kS32, PrimitiveType::kS64, PrimitiveType::kU1,
          PrimitiveType::kU2, PrimitiveType::kU4, PrimitiveType::kU8, PrimitiveType::kU16,
          PrimitiveType::kU32, PrimitiveType::kU64>;
// All with storage that are not complex, and all with storage.
using RealTypes =
    decltype(IntTypes() + Types<PrimitiveType::kPred, PrimitiveType::kF32, PrimitiveType::kF64>());
using StoredTypes = decltype(RealTypes() + Types<PrimitiveType::kC64, PrimitiveType::kC128>());

// The loop that `body` makes of Type<type>() where the type is one of the list, else nothing.
template <PrimitiveType... types, typename Body>
SpanOp ForType(Types<types...>, PrimitiveType type, Body body) {
  SpanOp made;
  (void)((type == types && (made = body(Type<types>()), true)) || ...);
  return made;
}

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_SPAN_LOOPS_H_
