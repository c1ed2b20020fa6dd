// The claims about a kernel, proved from its LLVM IR: docs/kernels.md says what each claims.
//
//   auto ir = ReadKernelIr(text, "k.ll");
//   auto launch = ParseLaunch(json, "launch.json");
//   KernelProof proof = ProveKernel(*ir, *launch, *module.entry(), {});
//   proof.Of(Claim::kBounds).verdict;
//
// Nothing is known here of how the kernel was made. A claim is proved or unknown: what is wrong is
// for an execution to show (emulator/), since a proof that fails may fail for its own reasons.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_PROVE_KERNEL_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_PROVE_KERNEL_H_

#include <iterator>
#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "verify/compare/same_value.h"
#include "verify/decide/decider.h"
#include "verify/kernel/claim.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

inline constexpr size_t kNumClaims = std::size(kClaims);

struct ClaimProof {
  Verdict verdict = Verdict::kUnknown;  // proved or unknown
  std::string engine = {};
  std::string reason = {};    // when unknown
  std::string rests_on = {};  // beside the terms: "exhaustion over 2^32 values"
  // How many proofs of values rest on each oracle (verify/logic/oracle.h); empty for other claims.
  std::string oracles = {};
  // What the proof took beyond that of the claims before it: where one step proves several, it
  // counts for the first, so that the claims of a kernel together took their sum.
  double ms = 0;
};

struct KernelProof {
  ClaimProof claims[kNumClaims];
  // How the kernel was lifted: with threads as variables, or block by block, in how many cases.
  bool by_block = false;
  int64_t cases = 0, stores = 0;

  ClaimProof& Of(Claim claim) { return claims[static_cast<size_t>(claim)]; }
  const ClaimProof& Of(Claim claim) const { return claims[static_cast<size_t>(claim)]; }
};

struct ProveKernelOptions {
  compare::SameValueOptions same_value;
  DecideOptions decide;
  int64_t ranges = int64_t{1} << 20;  // of terms, that are computed at most (terms::Pool::Limit)
};

// `computation` is what the kernel implements: its parameters' array leaves are the launch's
// inputs, in order, and those of its result the outputs.
KernelProof ProveKernel(const KernelIr& ir, const Launch& launch,
                        const hlo::Computation& computation, const ProveKernelOptions& options);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_PROVE_KERNEL_H_
