// Comparing what a kernel computed with what the interpreter computed (docs/semantics.md, "Errors
// of floats").
#ifndef AFFIRM_VERIFY_REFERENCE_COMPARE_H_
#define AFFIRM_VERIFY_REFERENCE_COMPARE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/reference/evaluation_order.h"

namespace affirm::hlo {

// How far two values of a type lie apart, in units in the last place: the number of representable
// values between them. Zeros of both signs are one value and so are all NaNs. kFarApart when only
// one is a NaN, and for any two different integers or predicates.
inline constexpr int64_t kFarApart = INT64_MAX;
int64_t UlpDistance(const Literal& a, const Literal& b, int64_t linear);

struct Mismatch {
  int64_t leaf = 0;  // which array leaf of the value
  std::vector<int64_t> index;
  std::string expected, actual;
  int64_t ulp = 0;
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

struct LiteralComparison {
  int64_t elements = 0;
  int64_t mismatches = 0;  // elements further apart than the tolerance
  int64_t left_open = 0;   // further apart, and left open by HLO: no mismatches
  int64_t max_ulp = 0;
  double max_absolute = 0;  // among elements that are finite on both sides
  std::optional<Mismatch> first;
  friend bool operator==(const LiteralComparison&, const LiteralComparison&) = default;
};

// Compares all array leaves, element by element. A difference in shape, which is an error of the
// caller, counts as one mismatch.
LiteralComparison Compare(const Literal& expected, const Literal& actual, int64_t tolerance);

// Compares a kernel's result with the value that the interpreter gives for a computation on these
// arguments, in these orders (which may be null). An element that HLO leaves open is no mismatch.
LiteralComparison CompareResults(const Computation& computation, llvm::ArrayRef<Literal> arguments,
                                 const EvaluationOrders* orders, const Literal& expected,
                                 const Literal& actual, int64_t tolerance);

// Where a kernel is executed: on the SIMT emulator, or on a GPU.
enum class ExecutionTarget : uint8_t { kEmulator, kCuda };

// The largest error of an op on floats, in ULP of the exact value, rounded up: of libm and of what
// kernels for PTX compute, in f32 and f64, as measured (docs/math.md). 0 for ops whose result IEEE
// 754 defines, and for ops that are not arithmetic.
int64_t MathBoundOf(Opcode opcode);

// How far the elements of a computation's result may lie from the interpreter's, in ULP. On the
// emulator it is 0, because both sides do the same operations in the same order with the same math
// library. On a device it is twice MathBoundOf for each instruction, on the assumption that errors
// are added up by what follows, not magnified. Two sums of n terms of one sign in different orders
// are within 2 n ULP of each other, each being within n - 1 roundings of the exact sum;
// `unordered_terms` is that n, or 0. Functions of complex numbers are computed by other formulas in
// kernels than in the interpreter, so they add kComplexUlp everywhere, for parts of moderate size
// (docs/math.md).
int64_t ToleranceOf(const Computation& computation, ExecutionTarget target,
                    int64_t unordered_terms);
inline constexpr int64_t kComplexUlp = 32;

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_COMPARE_H_
