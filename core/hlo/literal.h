// Literal: the value of an array or of a tuple of arrays.
//
// Elements stand in row-major order of the logical dimensions (layouts do not matter here), each in
// ByteWidth(type) bytes, host endian. Sub-byte integers are sign- or zero-extended to one byte;
// pred is 0 or 1; the 8- and 4-bit floats hold their bit pattern.
#ifndef AFFIRM_CORE_HLO_LITERAL_H_
#define AFFIRM_CORE_HLO_LITERAL_H_

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::hlo {

class Literal {
 public:
  Literal() = default;
  // Zeros.
  explicit Literal(Shape shape);
  static Literal MakeTuple(std::vector<Literal> elements);

  const Shape& shape() const { return shape_; }
  int64_t NumElements() const { return shape_.NumElements(); }
  llvm::ArrayRef<uint8_t> bytes() const { return bytes_; }
  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }
  std::vector<Literal>& tuple() { return tuple_; }
  const std::vector<Literal>& tuple() const { return tuple_; }

  // Raw access; sizeof(T) must be ByteWidth(shape().type).
  template <typename T>
  T Get(int64_t linear) const {
    T v;
    std::memcpy(&v, bytes_.data() + linear * sizeof(T), sizeof(T));
    return v;
  }
  template <typename T>
  void Set(int64_t linear, T v) {
    std::memcpy(bytes_.data() + linear * sizeof(T), &v, sizeof(T));
  }

  // Converting access. Integers (and pred) of every type are exact as int64 bits (u64
  // reinterpreted); floats of every type are exact as double. Setting rounds to nearest even /
  // wraps to the width.
  int64_t GetInt(int64_t linear) const;
  void SetInt(int64_t linear, int64_t v);
  double GetFloat(int64_t linear) const;
  void SetFloat(int64_t linear, double v);
  std::complex<double> GetComplex(int64_t linear) const;
  void SetComplex(int64_t linear, std::complex<double> v);

  // Row-major position of a multi-index.
  int64_t Linear(llvm::ArrayRef<int64_t> index) const;

  // HLO text: nested braces, "true", "inf", "(1, 2)".
  std::string ToString() const;
  // One element as HLO text.
  std::string ElementToString(int64_t linear) const;

  // Same shape (layout aside) and the same bits.
  friend bool operator==(const Literal& a, const Literal& b);

 private:
  Shape shape_;
  std::vector<uint8_t> bytes_;
  std::vector<Literal> tuple_;
};

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_LITERAL_H_
