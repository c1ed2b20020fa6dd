// Whether a kernel observes the payload of a NaN that it may have changed (changed_nans.h).
//
//   const OpenNans nans = FindOpenNans(lifted, ir);
//   if (!nans.why.empty()) { /* its values are unknown */ }
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_SEEN_NANS_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_SEEN_NANS_H_

#include <string>

#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/lift/lift.h"

namespace affirm::kernel {

struct OpenNans {
  // "line 9: the bits of its NaN are seen, which LLVM IR leaves open"; empty if no stored value,
  // address or guard observes them.
  std::string why;
  // Whether such bits decide more than the values that are stored: an address, a guard, an
  // obligation, or what they cancel in. No claim of the terms holds then.
  bool decide = false;
};

OpenNans FindOpenNans(const LiftedKernel& lifted, const KernelIr& ir);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_SEEN_NANS_H_
