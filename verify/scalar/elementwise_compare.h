// compare on single elements. Internal to verify/scalar.
#ifndef AFFIRM_VERIFY_SCALAR_ELEMENTWISE_COMPARE_H_
#define AFFIRM_VERIFY_SCALAR_ELEMENTWISE_COMPARE_H_

#include <complex>

#include "llvm/ADT/STLExtras.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

// The orders of two elements in which a comparison holds; without an order they are unordered.
struct Comparison {
  llvm::StringRef direction;
  bool less, equal, greater, unordered;
  bool total_order = false;  // on floats

  // nullptr for other names.
  static const Comparison* Find(llvm::StringRef direction) {
    static constexpr Comparison kAll[] = {
        {"EQ", false, true, false, false}, {"NE", true, false, true, true},
        {"LT", true, false, false, false}, {"LE", true, true, false, false},
        {"GT", false, false, true, false}, {"GE", false, true, true, false}};
    const auto* found = llvm::find_if(kAll, [&](auto& c) { return c.direction == direction; });
    return found == std::end(kAll) ? nullptr : found;
  }

  bool Holds(int64_t a, int64_t b, IntType type) const {
    return HoldsFor(type.Less(a, b), a == b, type.Less(b, a));
  }
  bool Holds(double a, double b) const {
    if (total_order) return Holds(TotalOrderKey(a), TotalOrderKey(b), IntType());
    return HoldsFor(a < b, a == b, b < a);
  }
  template <typename T>
  bool Holds(std::complex<T> a, std::complex<T> b) const {
    return HoldsFor(false, a == b, false);
  }

 private:
  // Without branches: which order it is cannot be foreseen in a loop.
  bool HoldsFor(bool is_less, bool is_equal, bool is_greater) const {
    return static_cast<bool>((is_less & less) | (is_equal & equal) | (is_greater & greater) |
                             (!(is_less | is_equal | is_greater) & unordered));
  }
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_ELEMENTWISE_COMPARE_H_
