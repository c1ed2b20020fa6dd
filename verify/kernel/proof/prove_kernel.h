// Proves the claims about a kernel from its LLVM IR; docs/kernels.md defines each claim.
//
//   auto ir = ReadKernelIr(text, "k.ll");
//   auto launch = ParseLaunch(json, "launch.json");
//   KernelProof proof = ProveKernel(*ir, *launch, *module.entry(), {});
//   proof.Of(Claim::kBounds).verdict;
//
// The proof uses no knowledge of how the kernel was made. A claim is proved or unknown; it is never
// refuted here, since a proof may fail for its own limits. The emulator refutes (emulator/).
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
  std::string rests_on = {};  // further proof methods: "exhaustion over 2^32 values"
  // How many proofs of values use each oracle (verify/logic/oracle.h); empty for other claims.
  std::string oracles = {};
  // Time that is not counted for an earlier claim: a step that proves several counts for the first,
  // so that the sum over the claims is the total time.
  double ms = 0;
};

struct KernelProof {
  ClaimProof claims[kNumClaims];
  // How the kernel was lifted: by thread or by block (lift.h), and in how many cases.
  bool by_block = false;
  int64_t cases = 0, stores = 0;

  ClaimProof& Of(Claim claim) { return claims[static_cast<size_t>(claim)]; }
  const ClaimProof& Of(Claim claim) const { return claims[static_cast<size_t>(claim)]; }
};

struct ProveKernelOptions {
  compare::SameValueOptions same_value;
  DecideOptions decide;
  int64_t ranges = int64_t{1} << 20;  // fuel in range computations (terms::Pool::Limit)
};

// `computation` is the kernel's specification: its parameters' array leaves are the launch's
// inputs, in order, and its result's the outputs.
KernelProof ProveKernel(const KernelIr& ir, const Launch& launch,
                        const hlo::Computation& computation, const ProveKernelOptions& options);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_PROVE_KERNEL_H_
