// The claims about results: which elements are written, from which elements they are computed, and
// what their values are. Internal to verify/kernel/proof.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROOF_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROOF_H_

#include "verify/kernel/lift/lift.h"
#include "verify/kernel/proof/prove_kernel.h"

namespace affirm::kernel {

// The computation itself, or the one of the fusion that is all of it, so that its root is seen.
const hlo::Computation& Innermost(const hlo::Computation& computation);
// Whether a sort is among its instructions.
bool HasSort(const hlo::Computation& computation);

// Fills `writes`, `elements` and `values` of the proof, and makes `races` unknown where global
// memory does not bear it.
void ProveResults(const LiftedKernel& lifted, const Launch& launch,
                  const hlo::Computation& computation, terms::Pool& pool,
                  const ProveKernelOptions& options, KernelProof& proof);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_RESULT_PROOF_H_
