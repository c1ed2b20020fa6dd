// One element of any type, and the arithmetic that depends on the type's width or precision alone.
#ifndef AFFIRM_VERIFY_SCALAR_SCALAR_H_
#define AFFIRM_VERIFY_SCALAR_SCALAR_H_

#include <complex>
#include <cstdint>

#include "core/hlo/literal.h"
#include "core/hlo/shape.h"

namespace affirm::hlo {

// The element types as the arithmetic sees them.
enum class ScalarKind : uint8_t { kNone, kInt, kFloat, kComplex };  // pred is a 1-bit unsigned kInt
ScalarKind ScalarKindOf(PrimitiveType type);

// The value of one element. Its type is known to the user and decides which fields count. Integers
// are sign- or zero-extended (u64 has the same bits), floats of every type are exact as double.
struct Scalar {
  int64_t i = 0;
  double re = 0;
  double im = 0;
};

// The position of x in the IEEE 754 total order, as an integer: -NaN, -inf, ..., -0, +0, ..., +inf,
// +NaN.
int64_t TotalOrderKey(double x);
// The same of a value of the type. A NaN whose bits are those of -0.0 elsewhere is below all
// numbers, as XLA:CPU has it.
int64_t TotalOrderKey(PrimitiveType type, double x);

// A width in bits and a signedness.
struct IntType {
  int bits = 64;
  bool is_signed = true;

  static IntType Of(PrimitiveType type);  // pred: one unsigned bit
  // The low `bits` bits as a number of this type.
  int64_t Wrap(uint64_t bits_of_value) const {
    const int above = 64 - bits;
    const uint64_t shifted = bits_of_value << above;
    return is_signed ? static_cast<int64_t>(shifted) >> above
                     : static_cast<int64_t>(shifted >> above);
  }
  uint64_t Mask() const { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
  int64_t Min() const { return is_signed ? Wrap(uint64_t{1} << (bits - 1)) : 0; }
  // The bits of 2^64 - 1 where it is u64.
  int64_t Max() const { return static_cast<int64_t>(is_signed ? Mask() >> 1 : Mask()); }
  bool Less(int64_t a, int64_t b) const {
    return is_signed ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
  }
};

// The nearest value of a floating type, ties to even.
double RoundTo(PrimitiveType type, double value);

Scalar Load(const Literal& literal, int64_t linear);
void Store(Literal& literal, int64_t linear, const Scalar& value);

// The value as an index: unsigned numbers beyond int64 become its maximum.
int64_t LoadIndex(const Literal& literal, int64_t linear);

// XLA's convert: integers wrap, floats become integers by truncation and saturation (NaN is 0),
// anything becomes pred by comparison with zero, and a result in a floating type is rounded once.
// There is no conversion from complex to real.
bool CanConvert(PrimitiveType from, PrimitiveType to);
Scalar Convert(const Scalar& value, PrimitiveType from, PrimitiveType to);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_SCALAR_H_
