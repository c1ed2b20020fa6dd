// The loads and stores of an emitted kernel, and what they cost: the report of `affirm indexing
// --coalescing` for kernels whose LLVM IR was lifted.
#ifndef AFFIRM_DRIVER_REPORTS_ACCESS_COUNTS_H_
#define AFFIRM_DRIVER_REPORTS_ACCESS_COUNTS_H_

#include <string>

#include "core/hlo/module.h"
#include "emit/kernel.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/lift/accesses.h"

namespace affirm::driver {

// The counts of a kernel, with the launch that names its buffers.
struct KernelAccesses {
  kernel::Launch launch;
  kernel::AccessCounts counts;
};

// An error where the kernel has no form as terms.
llvm::Expected<KernelAccesses> CountKernelAccesses(const emit::Kernel& kernel);

// Prints them: `name` is the instruction or the kernel, `root` that of the kernel's computation.
// The JSON is one object, without a line's end.
void PrintKernelAccesses(const std::string& name, const std::string& description,
                         const hlo::Instruction& root, const KernelAccesses& accesses,
                         llvm::raw_ostream& os);
void WriteKernelAccesses(const std::string& name, const std::string& description,
                         const hlo::Instruction& root, const KernelAccesses& accesses,
                         llvm::json::OStream& json);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_ACCESS_COUNTS_H_
