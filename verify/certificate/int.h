// Integers of any size: what the certificate checker computes in, so that nothing can overflow.
#ifndef AFFIRM_VERIFY_CERTIFICATE_INT_H_
#define AFFIRM_VERIFY_CERTIFICATE_INT_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace affirm::certificate {

class Int {
 public:
  Int() = default;
  Int(int64_t v);  // NOLINT: every int64 is an Int
  Int(int v) : Int(static_cast<int64_t>(v)) {}

  // Reads "42" or "-42"; nothing else, and at most kMaxDigits digits.
  static constexpr size_t kMaxDigits = 200;
  static std::optional<Int> Read(std::string_view text);
  std::string Text() const;

  // The value where it is a position in a list.
  std::optional<size_t> AsIndex() const;

  Int operator-() const;
  friend Int operator+(const Int& a, const Int& b);
  friend Int operator-(const Int& a, const Int& b) { return a + -b; }
  friend Int operator*(const Int& a, const Int& b);
  friend std::strong_ordering operator<=>(const Int& a, const Int& b);
  friend bool operator==(const Int&, const Int&) = default;

 private:
  friend struct Division Divide(const Int& a, const Int& b);
  // Least digits (of 32 bits) first, none of them leading zeros: 0 has none.
  using Digits = std::vector<uint32_t>;
  Int(bool negative, Digits digits);
  static std::strong_ordering Compare(const Digits& a, const Digits& b);
  static Digits Sum(const Digits& a, const Digits& b);
  static Digits Difference(const Digits& a, const Digits& b);  // a >= b
  static uint64_t Low(const Digits& a);                        // a modulo 2^64

  bool negative_ = false;  // not of 0
  Digits digits_;
};

// a = quotient * b + remainder, where the quotient rounds toward minus infinity and the remainder
// has b's sign. By 0 the quotient is 0 and the remainder is a, so that the equation always holds.
struct Division {
  Int quotient, remainder;
};
Division Divide(const Int& a, const Int& b);
inline Int FloorOf(const Int& a, const Int& b) { return Divide(a, b).quotient; }
// Whether a is a multiple of b.
inline bool IsMultiple(const Int& a, const Int& b) { return Divide(a, b).remainder == 0; }
// Not negative; that of 0 and b is the size of b.
Int Gcd(Int a, Int b);

}  // namespace affirm::certificate

#endif  // AFFIRM_VERIFY_CERTIFICATE_INT_H_
