// Translation validation of LLVM IR: whether a kernel before and after a change lifts to the same
// stores. It needs no HLO computation, so it also applies to kernels whose values have no proof.
//
//   SameKernelProof proof = ProveSameKernel(*before, *after, launch, {});
//   proof.same;     // a launch of `after` has the same effect as one of `before`
//   proof.reason;   // else: where the proof failed; the kernels may be equal nevertheless
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_SAME_KERNEL_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_SAME_KERNEL_H_

#include <string>

#include "verify/compare/same_value.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

struct SameKernelOptions {
  bool name_choices = false;          // LiftOptions::name_choices, for sorts
  int64_t ranges = int64_t{1} << 20;  // fuel in range computations (terms::Pool::Limit)
};

struct SameKernelProof {
  bool same = false;
  std::string reason = {};  // why it is not proved
};

// Proves refinement: every obligation of `after` holds (no access out of bounds, no harmful poison,
// no race, every barrier met), and it makes the same accesses to global memory as `before`, in the
// same order, under the same conditions, with the same values. So `after` is right if `before` is.
// comparable_kernels.h lists the kernels that cannot be compared.
//
// Known gap: executions of a `reassoc` sum in two iterations of a loop are taken for one sum.
SameKernelProof ProveSameKernel(const KernelIr& before, const KernelIr& after, const Launch& launch,
                                const SameKernelOptions& options);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_SAME_KERNEL_H_
