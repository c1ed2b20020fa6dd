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
  int64_t element = 0;   // row-major
  std::string why = {};  // what it should be, where that is no single value
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

struct LiteralComparison {
  int64_t elements = 0;
  int64_t mismatches = 0;  // elements further apart than the tolerance
  int64_t left_open = 0;   // further apart, and left open by HLO: no mismatches
  std::string why_open = {};
  int64_t max_ulp = 0;
  double max_absolute = 0;  // among elements that are finite on both sides
  // The widest enclosure of an element that differs and agrees, relative to its value
  // (verify/enclosure/compare.h).
  double within = 0;
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

// Whether each target computes the op by a formula of its own: a function of complex numbers other
// than sums, differences and products.
bool HasFormulasOfItsOwn(const Instruction& instruction);
// Whether kernels compute an op of the computation by another formula than the interpreter:
// functions of complex numbers other than sums, differences and products. Else the results of a
// kernel on the emulator are the interpreter's to the bit, where both take folds in the same order.
bool HasFormulasOfKernels(const Computation& computation);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_COMPARE_H_
