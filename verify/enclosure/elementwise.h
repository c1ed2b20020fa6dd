// Elementwise operations on enclosures.
#ifndef AFFIRM_VERIFY_ENCLOSURE_ELEMENTWISE_H_
#define AFFIRM_VERIFY_ENCLOSURE_ELEMENTWISE_H_

#include <optional>

#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/enclosure/enclosure.h"
#include "verify/scalar/elementwise.h"

namespace affirm::enclosure {

// The freedom of a compiler besides rounding.
struct Freedom {
  // Keep narrow floats in f32 (XLA's xla_allow_excess_precision, which is set by default).
  bool excess_precision = true;
  // Take zeros of both signs for one another, as passes do that leave out the addition of zero.
  bool either_zero = true;
  // Fold by combiners whose order counts as the interpreter does, instead of in any order.
  bool in_order = false;
  // Round f32 to the ten bits of mantissa of TF32 in either direction (reduce-precision by 8 and 10
  // bits), as instructions do that multiply matrices.
  bool tf32_neighbors = false;
  // Round the operands of f32 of a dot or a convolution to as few bits as bf16 has, where its
  // precision is not the highest.
  bool rounds_products = false;
};

// The freedom of kernels: conversions to narrow types stay, and zeros have their signs. In HLO,
// passes may remove conversions and zeros before kernels are made.
inline constexpr Freedom kKernelFreedom = {.excess_precision = false, .either_zero = false};

// Units in the last place by which an operation of a float type may be off the exact result; 0.5
// where it is correctly rounded. The one table of errors:
//
//   - IEEE 754-2019, 5.4: add, subtract, multiply and sqrt are correctly rounded;
//   - divide: 2, of full range in CUDA C++ Programming Guide, "Mathematical Functions", which is
//     also what x * (1 / y) may be off, as XLA writes quotients by constants;
//   - rsqrt: 2 (the same table), and 1.5 of 1 / sqrt(x);
//   - functions: what libm and kernels for PTX were measured to be off (docs/math.md), and 4 for
//     formulas that compilers expand functions into;
//   - log-plus-one of f64: 160; XLA:CPU of jaxlib 0.10.2 was measured to be off by 129 at -0.4142.
double UlpOf(hlo::Opcode opcode, hlo::PrimitiveType type);
// Unit roundoffs of a narrow type by which it may be off besides, where a formula is computed in
// that type: XLA:CPU has exp(x) - 1 and tanh(x / 2) * (exp(x) + 1) in f16 (xla/service/
// elemental_ir_emitter.cc, EmitExpm1), each of at most 4. 0 of others, which are computed in f32.
double RoundoffsInType(hlo::Opcode opcode, hlo::PrimitiveType type);

// Every value that the elementwise instruction may have at one element, of its operands' elements
// there. `exact` is its function on single values (ResolveElementwise).
Enclosure Elementwise(const hlo::Instruction& op, llvm::ArrayRef<Enclosure> operands,
                      const hlo::ScalarOp& exact, Freedom freedom);

// The same of an operation of one float type, but for reduce-precision, whose operands all have the
// type of the result; nullopt where nothing is known of it.
std::optional<Interval> ElementwiseReal(hlo::Opcode opcode, hlo::PrimitiveType type,
                                        llvm::ArrayRef<Interval> operands, Freedom freedom);

}  // namespace affirm::enclosure

#endif  // AFFIRM_VERIFY_ENCLOSURE_ELEMENTWISE_H_
