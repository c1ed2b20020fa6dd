// Whether two kernels do the same: the LLVM IR of one before and after a change, lifted to the same
// stores. No computation is needed, so that a change of a kernel whose values have no proof can be
// seen to change nothing.
//
//   SameKernelProof proof = ProveSameKernel(*before, *after, launch, {});
//   proof.same;     // a launch of `after` leaves what one of `before` does
//   proof.reason;   // else: where they were not seen to agree, which says nothing of differing
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_SAME_KERNEL_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_SAME_KERNEL_H_

#include <string>

#include "verify/compare/same_value.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

struct SameKernelOptions {
  bool name_choices = false;          // LiftOptions: of sorts
  int64_t ranges = int64_t{1} << 20;  // of terms, that are computed at most (terms::Pool::Limit)
};

struct SameKernelProof {
  bool same = false;
  std::string reason = {};  // where it is not proved
};

// Proved is: every obligation of `after` holds (no access outside of its buffer, no poison that
// matters, no race, every barrier met), and it makes the accesses to global memory that `before`
// makes, in the same order, under the same conditions, of the same values. Where `before` is right,
// so is `after`. What is not compared, comparable_kernels.h says.
//
// Known to be missing: a sum with an open order (`reassoc`) that is executed in two iterations of a
// loop is one sum.
SameKernelProof ProveSameKernel(const KernelIr& before, const KernelIr& after, const Launch& launch,
                                const SameKernelOptions& options);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_SAME_KERNEL_H_
