// Literals from and to flat lists of buffers, for all runners.
#ifndef AFFIRM_EMIT_RUNTIME_KERNEL_ARGUMENTS_H_
#define AFFIRM_EMIT_RUNTIME_KERNEL_ARGUMENTS_H_

#include <vector>

#include "core/hlo/literal.h"
#include "emit/codegen/kernel_impl.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// The leaf arrays of the arguments in the order of Impl::inputs; an error when they don't fit the
// parameters.
llvm::Expected<std::vector<const hlo::Literal*>> ArgumentLeaves(
    const Kernel::Impl& kernel, llvm::ArrayRef<hlo::Literal> arguments);

// The root's value from the bytes of each result (Impl::outputs; what follows the elements is
// ignored).
hlo::Literal ResultLiteral(const Kernel::Impl& kernel,
                           llvm::ArrayRef<std::vector<uint8_t>> results);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_RUNTIME_KERNEL_ARGUMENTS_H_
