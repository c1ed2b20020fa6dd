// Integers of any size as digits in base 2^32: plain school arithmetic, with nothing borrowed.
#include "verify/certificate/int.h"

#include <algorithm>
#include <utility>

namespace affirm::certificate {

Int::Int(bool negative, Digits digits) : negative_(negative), digits_(std::move(digits)) {
  while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  if (digits_.empty()) negative_ = false;
}

// The size of the least int64 is no int64, but it is a uint64.
Int::Int(int64_t v) : negative_(v < 0) {
  uint64_t size = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  for (; size != 0; size >>= 32) digits_.push_back(static_cast<uint32_t>(size));
}

std::optional<Int> Int::Read(std::string_view text) {
  bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  Int value;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

std::string Int::Text() const {
  std::string text;
  for (Int left(false, digits_); left != 0;) {
    Division by = Divide(left, 10);
    text += static_cast<char>('0' + Low(by.remainder.digits_));
    left = std::move(by.quotient);
  }
  if (text.empty()) text.push_back('0');
  if (negative_) text.push_back('-');
  std::reverse(text.begin(), text.end());
  return text;
}

std::optional<size_t> Int::AsIndex() const {
  if (negative_ || digits_.size() > 1) return std::nullopt;
  return Low(digits_);
}

std::strong_ordering Int::Compare(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return std::lexicographical_compare_three_way(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

Int::Digits Int::Sum(const Digits& a, const Digits& b) {
  Digits sum;
  uint64_t carry = 0;
  for (size_t k = 0; k < std::max(a.size(), b.size()) || carry != 0; ++k) {
    carry += k < a.size() ? a[k] : 0;
    carry += k < b.size() ? b[k] : 0;
    sum.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  return sum;
}

Int::Digits Int::Difference(const Digits& a, const Digits& b) {
  Digits difference = a;
  uint64_t borrow = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    uint64_t taken = borrow + (k < b.size() ? b[k] : 0);
    borrow = a[k] < taken ? 1 : 0;
    difference[k] = static_cast<uint32_t>((borrow << 32) + a[k] - taken);
  }
  return difference;
}

uint64_t Int::Low(const Digits& a) {
  uint64_t low = a.empty() ? 0 : a[0];
  return a.size() > 1 ? low | static_cast<uint64_t>(a[1]) << 32 : low;
}

Int Int::operator-() const { return Int(!negative_, digits_); }

Int operator+(const Int& a, const Int& b) {
  if (a.negative_ == b.negative_) return Int(a.negative_, Int::Sum(a.digits_, b.digits_));
  bool first = Int::Compare(a.digits_, b.digits_) >= 0;
  const Int &large = first ? a : b, &small = first ? b : a;
  return Int(large.negative_, Int::Difference(large.digits_, small.digits_));
}

Int operator*(const Int& a, const Int& b) {
  Int::Digits product(a.digits_.size() + b.digits_.size());
  for (size_t i = 0; i < a.digits_.size(); ++i) {
    // At most (2^32 - 1)^2 + 2 * (2^32 - 1), which is 2^64 - 1.
    uint64_t carry = 0;
    for (size_t j = 0; j < b.digits_.size(); ++j) {
      carry += static_cast<uint64_t>(a.digits_[i]) * b.digits_[j] + product[i + j];
      product[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    product[i + b.digits_.size()] = static_cast<uint32_t>(carry);
  }
  return Int(a.negative_ != b.negative_, std::move(product));
}

std::strong_ordering operator<=>(const Int& a, const Int& b) {
  if (a.negative_ != b.negative_) return b.negative_ <=> a.negative_;
  return a.negative_ ? Int::Compare(b.digits_, a.digits_) : Int::Compare(a.digits_, b.digits_);
}

Division Divide(const Int& a, const Int& b) {
  if (b == 0) return {0, a};
  Int quotient, rest;
  if (a.digits_.size() <= 2 && b.digits_.size() <= 2) {
    auto of = [](uint64_t v) {
      return Int(false, {static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)});
    };
    uint64_t n = Int::Low(a.digits_), d = Int::Low(b.digits_);
    quotient = of(n / d);
    rest = of(n % d);
  } else {
    // Bit by bit from the highest: slow, and plain to see.
    Int::Digits found(a.digits_.size());
    const Int size(false, b.digits_);
    for (size_t bit = 32 * a.digits_.size(); bit-- > 0;) {
      rest = rest + rest + static_cast<int>(a.digits_[bit / 32] >> (bit % 32) & 1);
      if (rest < size) continue;
      rest = rest - size;
      found[bit / 32] |= uint32_t{1} << (bit % 32);
    }
    quotient = Int(false, std::move(found));
  }
  // |a| = quotient * |b| + rest
  if (a.negative_ != b.negative_) {
    quotient = -quotient;
    if (rest != 0) {
      quotient = quotient - 1;
      rest = Int(false, b.digits_) - rest;
    }
  }
  return {quotient, b.negative_ ? -rest : rest};
}

Int Gcd(Int a, Int b) {
  while (b != 0) a = std::exchange(b, Divide(a, b).remainder);
  return a < 0 ? -a : a;
}

}  // namespace affirm::certificate
