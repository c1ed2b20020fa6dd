// Masked loads and stores of vectors, as accesses of single elements under branches.
//
//   %v = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr align 2 %p, <8 x i1> %m, <8 x i16> %rest)
//   // for each element: a branch on its bit of %m; a load of i16 at %p + 2 * k, or that of %rest
#ifndef AFFIRM_VERIFY_KERNEL_MASKED_ACCESSES_H_
#define AFFIRM_VERIFY_KERNEL_MASKED_ACCESSES_H_

#include "verify/kernel/kernel_ir.h"

namespace affirm::kernel {

// LangRef, "llvm.masked.load.*", "llvm.masked.store.*": an element whose bit of the mask is 0 is
// not accessed. Accesses of volatile or atomic memory have no masks. A bit that is undef or poison
// is frozen: the access may happen or not, and nothing is proved.
// A call stays as it is where accesses of elements could lose a promise that it makes: an alignment
// of more than the bytes of an element, another attribute, a flag (fast-math, tail), or metadata
// other than alias scopes and !invariant.load. So do gathers, scatters, expanding loads and
// compressing stores.
// Requires a verified module; the new instructions get the line of the call.
void SplitMaskedAccesses(KernelIr& ir);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_MASKED_ACCESSES_H_
