// The passes with which the device pipeline begins, pass by pass. Tests run chosen ones over a
// kernel, ahead of all of them, and compare what it then computes.
#ifndef AFFIRM_EMIT_DEVICE_PIPELINE_H_
#define AFFIRM_EMIT_DEVICE_PIPELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "emit/codegen/kernel_artifact.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

// The names of the passes, in the order of the pipeline.
std::vector<std::string> DevicePipelineNames();

// Runs the passes of which the bit is set in `chosen` (bit k: DevicePipelineNames()[k]) over the
// kernel's module. What the kernel computes stays; an error says which pass failed.
llvm::Error RunDevicePasses(Kernel& kernel, uint32_t chosen);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_DEVICE_PIPELINE_H_
