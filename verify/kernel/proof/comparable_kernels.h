// Decides which pairs of kernels may be compared by their terms. Terms are made for comparisons
// with HLO, where each element is written once and NaNs are identified; two kernels need more
// checks.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_COMPARABLE_KERNELS_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_COMPARABLE_KERNELS_H_

#include <optional>
#include <string>

#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

// Two functions of different libraries for which terms have one operation:
// "__nv_expf and llvm.exp.f32 are two functions". nullopt if there are none.
std::optional<std::string> FunctionsOfTwoLibraries(const KernelIr& before, const KernelIr& after);

// Why two kernels cannot be compared by their terms; empty if they can. Not supported are
//
// - kernels whose blocks run in order (KernelIr::in_order), or with different targets;
// - a read of a buffer that the kernel writes, an atomic whose result is used, local memory: the
//   value depends on the order of accesses;
// - different counts of barriers, shuffles and fences;
// - different counts of calls of a function whose rounding no standard determines;
// - sub-byte elements, since terms do not have the padding bits;
// - operations that observe NaN payloads, matrix products, and vectors whose fast-math flags leave
//   an order open.
std::string WhyNotCompared(const KernelIr& before, const KernelIr& after, const Launch& launch);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_COMPARABLE_KERNELS_H_
