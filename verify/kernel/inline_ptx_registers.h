// Registers that inline PTX shares between its operands.
#ifndef AFFIRM_VERIFY_KERNEL_INLINE_PTX_REGISTERS_H_
#define AFFIRM_VERIFY_KERNEL_INLINE_PTX_REGISTERS_H_

#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/inline_ptx.h"

namespace affirm::kernel {

// An error where a result may be written before an argument is read that may be in its register.
//
// LLVM may give a result without early clobber (`=&r`) the register of an argument (LangRef,
// "Inline Assembler Expressions", "Output constraints"): it expects all arguments to be read first.
// An argument tied to a result (`0`) is always in its register. No error where what is written is
// the value of the argument, as of a vector that begins with one number in each element.
llvm::Error CheckSharedRegisters(const llvm::CallBase& call, const InlinePtx& ptx);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_INLINE_PTX_REGISTERS_H_
