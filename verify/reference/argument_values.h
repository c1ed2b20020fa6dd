// Numbers of the kinds of arguments.h, from a random sequence, with indices in and around the
// bounds of their use:
//
//   Random random(seed);
//   ArgumentFiller{ArgumentKind::kSmall, false, false, random}.Value(PrimitiveType::kF32, use);
#ifndef AFFIRM_VERIFY_REFERENCE_ARGUMENT_VALUES_H_
#define AFFIRM_VERIFY_REFERENCE_ARGUMENT_VALUES_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/hlo/literal.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/reference/arguments.h"
#include "verify/reference/index_uses.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

// The generator splitmix64: every seed, 0 included, starts a sequence of its own.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  int64_t Below(int64_t bound) { return static_cast<int64_t>(Next() % bound); }
  template <typename T>
  T OneOf(std::initializer_list<T> choices) {
    return choices.begin()[Below(static_cast<int64_t>(choices.size()))];
  }

 private:
  uint64_t state_;
};

// For kRows: this many consecutive numbers give each pattern to the first row.
inline constexpr uint64_t kRowPatterns = 7;
// For kUniform: eight consecutive numbers give each value to an array.
inline constexpr uint64_t kUniformValues = 8;

// Numbers that stand in a computation.
struct Constants {
  std::vector<double> floats;
  std::vector<int64_t> ints;
};

// Fills arguments of a kind with numbers from a sequence.
struct ArgumentFiller {
  ArgumentKind kind;
  bool plain_floats, plain_complex;
  Random& random;
  // For patterned kinds: the number of the array's value, and the constants.
  uint64_t number = 0;
  const Constants* constants = nullptr;

  // One element, which an array of the type may have to round.
  Scalar Value(PrimitiveType type, const IndexUse& use);
  // The element of an array at a row-major position, of kRows.
  Scalar RowValue(const Shape& shape, const IndexUse& use, int64_t linear);
  // The leaves of a literal in order, whose uses are the first of `uses`, which become those after.
  void Fill(Literal& literal, llvm::ArrayRef<IndexUse>& uses);

 private:
  Scalar UniformValue(PrimitiveType type, const IndexUse& use);
  void FillEnds(Literal& literal, const IndexUse& use);
  Scalar Other(PrimitiveType type, const IndexUse& use, int64_t base);
  Scalar NearConstant(PrimitiveType type, const IndexUse& use);
  ArgumentKind Moderate() const;
};

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_ARGUMENT_VALUES_H_
