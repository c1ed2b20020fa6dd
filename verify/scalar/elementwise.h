// The elementwise ops as functions from single elements to a single element.
#ifndef AFFIRM_VERIFY_SCALAR_ELEMENTWISE_H_
#define AFFIRM_VERIFY_SCALAR_ELEMENTWISE_H_

#include <complex>
#include <functional>

#include "core/hlo/module.h"
#include "llvm/Support/Error.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {

// The result element from one element of each operand.
using ScalarOp = std::function<Scalar(const Scalar* operands)>;

// The function of an elementwise instruction, for the types of its operands and result. An error
// for other opcodes and for types without the op.
llvm::Expected<ScalarOp> ResolveElementwise(const Instruction& instruction);

// Whether the op on floats of the type is, by definition, that on f32 of the operands, rounded to
// the type: of those whose operands and result are of one type.
bool IsRoundedFromF32(Opcode opcode, PrimitiveType type);

// Whether it is a function of floats that no standard rounds: two libraries may differ in it by
// some ulp (XLA operation semantics, "result_accuracy"; CUDA C++ Programming Guide, "Mathematical
// Functions"; OpenCL C 3.0, 7.4).
bool IsApproximated(Opcode opcode);

// The functions of an op for each class of types; null where the op does not exist. Integers are
// passed sign- or zero-extended, and results are wrapped to the type afterwards; f16, bf16 and
// narrower floats are computed in f32 and rounded.
struct UnaryRow {
  Opcode opcode;
  uint64_t (*on_int)(int64_t, IntType) = nullptr;
  float (*on_f32)(float) = nullptr;
  double (*on_f64)(double) = nullptr;
  std::complex<float> (*on_c64)(std::complex<float>) = nullptr;
  std::complex<double> (*on_c128)(std::complex<double>) = nullptr;
  bool on_pred = false;  // on_int serves pred too
};
struct BinaryRow {
  Opcode opcode;
  uint64_t (*on_int)(int64_t, int64_t, IntType) = nullptr;
  float (*on_f32)(float, float) = nullptr;
  double (*on_f64)(double, double) = nullptr;
  std::complex<float> (*on_c64)(std::complex<float>, std::complex<float>) = nullptr;
  std::complex<double> (*on_c128)(std::complex<double>, std::complex<double>) = nullptr;
  uint64_t (*on_pred)(int64_t, int64_t, IntType) = nullptr;
};
// The rows of the ops whose result has the type of the operands; null for other opcodes.
const UnaryRow* FindUnary(Opcode opcode);
const BinaryRow* FindBinary(Opcode opcode);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_SCALAR_ELEMENTWISE_H_
