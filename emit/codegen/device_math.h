// The mathematical functions of devices: libclc's, linked into a kernel.
#ifndef AFFIRM_EMIT_CODEGEN_DEVICE_MATH_H_
#define AFFIRM_EMIT_CODEGEN_DEVICE_MATH_H_

#include "emit/plan/target.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// With at most this many calls of mathematical functions in a kernel, all are inlined. With more,
// functions that are called more than once have one copy, which stays a call: the time that LLVM
// takes then follows the number of functions, not of calls.
inline constexpr unsigned kMostInlinedMathCalls = 16;

// Links the functions of libclc that `module` calls into it, as internal functions. What stays
// unresolved is an error that names it.
llvm::Error LinkDeviceMath(llvm::Module& module, Target target);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_CODEGEN_DEVICE_MATH_H_
