// Arithmetic on int64 constants that notices when a result leaves int64.
//
// Every function returns std::nullopt instead of wrapping; callers then leave the expression alone
// or widen a range (DESIGN: "nothing wraps").
#ifndef AFFIRM_CORE_SYMBOLIC_CHECKED_H_
#define AFFIRM_CORE_SYMBOLIC_CHECKED_H_

#include <cstdint>
#include <limits>
#include <optional>

namespace affirm {

using int128 = __int128;

inline constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}

inline std::optional<int64_t> CheckedSub(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
  return r;
}

inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// The quotient rounded toward minus infinity. `b` must not be zero. Works for int64 and int128.
template <typename Int>
constexpr Int FloorDivUnchecked(Int a, Int b) {
  Int q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

// The quotient rounded toward plus infinity. `b` must not be zero.
template <typename Int>
constexpr Int CeilDivUnchecked(Int a, Int b) {
  Int q = a / b;
  return (a % b != 0 && ((a < 0) == (b < 0))) ? q + 1 : q;
}

// The residue in [0, m - 1]. `m` must be positive.
template <typename Int>
constexpr Int ModUnchecked(Int a, Int m) {
  Int r = a % m;
  return r < 0 ? r + m : r;
}

// nullopt for b = 0 and for INT64_MIN / -1.
inline std::optional<int64_t> CheckedFloorDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == kInt64Min && b == -1)) return std::nullopt;
  return FloorDivUnchecked(a, b);
}

inline std::optional<int64_t> CheckedCeilDiv(int64_t a, int64_t b) {
  if (b == 0 || (a == kInt64Min && b == -1)) return std::nullopt;
  return CeilDivUnchecked(a, b);
}

// nullopt unless m > 0.
inline std::optional<int64_t> CheckedMod(int64_t a, int64_t m) {
  if (m <= 0) return std::nullopt;
  return ModUnchecked(a, m);
}

// The value as int64, when it fits.
inline std::optional<int64_t> Narrow(int128 v) {
  if (v < kInt64Min || v > kInt64Max) return std::nullopt;
  return static_cast<int64_t>(v);
}

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_CHECKED_H_
