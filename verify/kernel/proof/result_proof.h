// Proves the claims about results: the written elements, the elements that they depend on, and
// their values. Internal to verify/kernel/proof.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROOF_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROOF_H_

#include "verify/kernel/lift/lift.h"
#include "verify/kernel/proof/prove_kernel.h"

namespace affirm::kernel {

// The computation itself, or that of the fusion that it consists of.
const hlo::Computation& Innermost(const hlo::Computation& computation);
// Whether the computation has a sort.
bool HasSort(const hlo::Computation& computation);

// Fills `writes`, `elements` and `values` of the proof, and makes `races` unknown if accesses to
// global memory may race.
void ProveResults(const LiftedKernel& lifted, const Launch& launch,
                  const hlo::Computation& computation, terms::Pool& pool,
                  const ProveKernelOptions& options, KernelProof& proof);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROOF_H_
