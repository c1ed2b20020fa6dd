// Registers of inline PTX while the lifter executes it.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_PTX_REGISTERS_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_PTX_REGISTERS_H_

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Type.h"
#include "verify/kernel/inline_ptx.h"
#include "verify/kernel/lift/value.h"

namespace affirm::kernel {

// The values and types of $0, $1, ...: in "add.s32 $0, $1, $2;" $0 is results[0], and $1 is
// arguments[0].
struct PtxRegisters {
  llvm::SmallVector<Value, 4> results, arguments;
  llvm::SmallVector<llvm::Type*, 4> result_types, argument_types;

  const Value& At(PtxBinding binding) const {
    return (binding.is_result ? results : arguments)[binding.number];
  }
  llvm::Type* TypeOf(PtxBinding binding) const {
    return (binding.is_result ? result_types : argument_types)[binding.number];
  }
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_PTX_REGISTERS_H_
