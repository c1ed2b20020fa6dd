// The claims as the kernel's LLVM IR proves them.
#include "driver/validate/open_scalars.h"
#include "verify/kernel/proof/prove_kernel.h"

namespace affirm::driver {

std::vector<ClaimResult> ProveClaims(const KernelSubject& subject, const ValidateOptions&) {
  const bool is_open = subject.launch.FindOpenScalar() != nullptr;
  return is_open ? ProveForAllScalars(subject) : ProveSymbolically(subject);
}

std::vector<ClaimResult> ProveSymbolically(const KernelSubject& subject) {
  kernel::KernelProof proof =
      kernel::ProveKernel(*subject.ir, subject.launch, *subject.computation, {});
  std::vector<ClaimResult> claims;
  for (kernel::Claim claim : kernel::kClaims) {
    const kernel::ClaimProof& of = proof.Of(claim);
    ClaimResult result;
    result.claim = claim;
    result.verdict = of.verdict;
    result.engine = of.engine;
    result.reason = of.reason;
    result.ms = of.ms;
    result.rests_on = of.rests_on;
    result.oracles = of.oracles;
    claims.push_back(std::move(result));
  }
  return claims;
}

}  // namespace affirm::driver
