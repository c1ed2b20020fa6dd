// The smaller and the larger of two floats, by IEEE 754-2019, 9.6 (minimum, maximum): a NaN wins,
// and -0 is below +0.
//
//   Minimum(-0.0, 0.0)  // -0.0
//   Maximum(1.0, nan)   // nan: the first NaN among the operands, with its payload
#ifndef AFFIRM_VERIFY_SCALAR_EXTREMA_H_
#define AFFIRM_VERIFY_SCALAR_EXTREMA_H_

#include <cmath>

namespace affirm::hlo {

// Without a branch: in a loop, which of two numbers is the larger one cannot be foreseen.
template <typename T>
T Choose(bool second, T a, T b) {
  const T both[] = {a, b};
  return both[second];
}

template <typename T>
T Maximum(T a, T b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return Choose((a < b) | ((a == b) & std::signbit(a)), a, b);
}

template <typename T>
T Minimum(T a, T b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return Choose((b < a) | ((a == b) & !std::signbit(a)), a, b);
}

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_EXTREMA_H_
