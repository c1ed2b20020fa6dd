// The claims about a kernel (docs/kernels.md), which executions refute and proofs settle.
#ifndef AFFIRM_VERIFY_KERNEL_CLAIM_H_
#define AFFIRM_VERIFY_KERNEL_CLAIM_H_

#include <cstdint>

namespace affirm::kernel {

// In the order in which they are proved: a claim may rest on those before it.
enum class Claim : uint8_t {
  kBounds,
  kIntegers,
  kBarriers,
  kRaces,
  kWrites,
  kElements,
  kValues,
};
inline constexpr Claim kClaims[] = {Claim::kBounds, Claim::kIntegers, Claim::kBarriers,
                                    Claim::kRaces,  Claim::kWrites,   Claim::kElements,
                                    Claim::kValues};
const char* Name(Claim claim);  // "bounds", ...

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_CLAIM_H_
