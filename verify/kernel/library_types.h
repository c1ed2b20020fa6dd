// The types that libraries have their functions on floats for.
//
//   declare float @expf(float)   HasTypeOfItsName: true
//   declare float @exp(float)    false: C's exp is a function of doubles
#ifndef AFFIRM_VERIFY_KERNEL_LIBRARY_TYPES_H_
#define AFFIRM_VERIFY_KERNEL_LIBRARY_TYPES_H_

#include "llvm/IR/Function.h"

namespace affirm::kernel {

// Whether result and parameters of a declaration have the type that its name says, by the
// conventions of C (expf), libdevice (__nv_expf), ROCm (__ocml_exp_f32), OpenCL (_Z3expf) and
// XLA:CPU (xla.exp.v8f32). Only of functions whose operands and result are of one type of floats.
// LLVM itself holds that of its intrinsics, for which this is true.
bool HasTypeOfItsName(const llvm::Function& function);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIBRARY_TYPES_H_
