// Which pairs of kernels terms tell apart. Terms were made for kernels that are held against HLO,
// where each element is written once and NaNs are one; of two kernels that is not known.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_COMPARABLE_KERNELS_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_COMPARABLE_KERNELS_H_

#include <optional>
#include <string>

#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

// Two functions of floats of which terms have one name and which are of two libraries:
// "__nv_expf and llvm.exp.f32 are two functions". nullopt where there are none.
std::optional<std::string> FunctionsOfTwoLibraries(const KernelIr& before, const KernelIr& after);

// Why terms do not tell whether two kernels do the same; empty where they do. Not compared are
//
// - kernels whose blocks work in order (KernelIr::in_order), or for two targets;
// - a read of a buffer that the kernel writes, an atomic whose result is used, local memory: what
// is
//   found there depends on the order;
// - other barriers, shuffles and fences in one than in the other;
// - a function that no standard rounds and that both do not call equally often;
// - elements of less than a byte, of which terms do not have the other bits;
// - what shows which NaN a computed value is, products of matrices, and lanes of vectors with flags
//   that leave an order open.
std::string WhyNotCompared(const KernelIr& before, const KernelIr& after, const Launch& launch);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_COMPARABLE_KERNELS_H_
