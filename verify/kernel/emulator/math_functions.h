// The mathematical functions that kernels call, on the host's libm. One table for every library of
// a device: libdevice (__nv_expf), libclc (_Z3expf), LLVM's intrinsics (llvm.exp.f32), the
// approximations of PTX (llvm.nvvm.ex2.approx.f).
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_MATH_FUNCTIONS_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_MATH_FUNCTIONS_H_

#include <optional>

#include "llvm/ADT/StringRef.h"
#include "verify/kernel/emulator/program.h"

namespace affirm::kernel {

using UnaryFloat = float (*)(float);
using UnaryDouble = double (*)(double);
using BinaryFloat = float (*)(float, float);
using BinaryDouble = double (*)(double, double);
using TernaryFloat = float (*)(float, float, float);
using TernaryDouble = double (*)(double, double, double);

// A function by its mathematical name ("exp", "atan2"), for both widths.
struct MathFunction {
  const char* name;
  int arity;
  UnaryFloat unary_float = nullptr;
  UnaryDouble unary_double = nullptr;
  BinaryFloat binary_float = nullptr;
  BinaryDouble binary_double = nullptr;
  TernaryFloat ternary_float = nullptr;
  TernaryDouble ternary_double = nullptr;
};

// The function that a callee of this name computes; nullptr when it is none of them.
const MathFunction* FindMathFunction(llvm::StringRef callee);
// One of the functions that the code of the emulator has anyway (minimum and the like).
std::optional<FloatFunction> FindFloatFunction(llvm::StringRef callee);

// All functions, for tests and documents.
llvm::ArrayRef<MathFunction> MathFunctions();

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_MATH_FUNCTIONS_H_
