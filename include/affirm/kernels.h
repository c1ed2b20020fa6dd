// Kernels: from a fusion to MLIR, LLVM IR and machine code, and runs of them. Link affirm::emit.
#ifndef AFFIRM_INCLUDE_AFFIRM_KERNELS_H_
#define AFFIRM_INCLUDE_AFFIRM_KERNELS_H_

#include "emit/kernel.h"

#endif  // AFFIRM_INCLUDE_AFFIRM_KERNELS_H_
