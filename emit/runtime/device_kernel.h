// A kernel of affirm like any other kernel: its LLVM IR for a device and its launch, as
// verify/kernel takes them.
#ifndef AFFIRM_EMIT_RUNTIME_DEVICE_KERNEL_H_
#define AFFIRM_EMIT_RUNTIME_DEVICE_KERNEL_H_

#include <string>

#include "emit/codegen/kernel_artifact.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::emit {

struct DeviceKernel {
  kernel::KernelIr ir;
  kernel::Launch launch;
  std::string text;  // which `ir` was read from, with the lines that it names
};

// The IR is what `affirm emit --target nvptx --stage llvm` prints: what the passes for devices
// make, before LLVM's own passes and before the device's library of functions is linked in. The
// kernel takes one pointer for each slice of memory; a result that is updated in place has no
// pointer of its own operand.
// Stage::kLlvm, or Stage::kOptimized: behind LLVM's passes.
llvm::Expected<DeviceKernel> DeviceKernelOf(const Kernel& kernel, Stage stage = Stage::kLlvm);
kernel::Launch LaunchOf(const Kernel& kernel);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_RUNTIME_DEVICE_KERNEL_H_
