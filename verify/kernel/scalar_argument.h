// Arguments of a kernel that are passed by value: whether a launch has them, what they are in LLVM
// IR, and what the kernel promises of them.
#ifndef AFFIRM_VERIFY_KERNEL_SCALAR_ARGUMENT_H_
#define AFFIRM_VERIFY_KERNEL_SCALAR_ARGUMENT_H_

#include <optional>
#include <string>
#include <vector>

#include "llvm/IR/Argument.h"
#include "llvm/IR/Constant.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

// Whether each argument of the kernel is a pointer to a buffer of the launch, or a number of the
// launch that has the argument's type: iN for integers of N bits, i1 or i8 for predicates, iN for
// floats of fewer than 16 bits, LLVM's own type for other floats. Errors name the place in the
// launch file where there is one.
llvm::Error CheckArguments(const KernelIr& ir, const Launch& launch);

// The constant of the argument's type with the value's bits. Only after CheckArguments().
llvm::Constant* ConstantOf(const llvm::Argument& argument, uint64_t bits);

// A promise of an argument (`range`, `nofpclass`) that a value of the scalar breaks.
struct BrokenScalarPromise {
  unsigned argument = 0;
  std::string text;  // "argument 3 is said to be in [0, 100), and the launch gives it 1000"
  // LangRef, "Parameter Attributes": the value is poison, which `noundef` makes undefined
  // behavior whether it is used or not.
  bool is_undefined = false;
};
std::vector<BrokenScalarPromise> BrokenScalarPromises(const KernelIr& ir, const Launch& launch);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_SCALAR_ARGUMENT_H_
