// Kernels of random graphs on the SIMT emulator, compared with the interpreter.
#ifndef AFFIRM_FUZZ_PROPERTIES_KERNELS_H_
#define AFFIRM_FUZZ_PROPERTIES_KERNELS_H_

#include <cstdint>
#include <string>

#include "core/hlo/module.h"

namespace affirm::fuzz {

// Emits the entry as one kernel, runs those passes of devices over it of which the bit is set in
// `stages` (emit/device_pipeline.h), and runs it on the SIMT emulator on arguments from a seed.
// Empty when it computes what the interpreter does, or when there is nothing to compare: the
// interpreter has no value, or no emitter takes the graph. Else the first difference, or what
// failed.
std::string CheckKernel(const hlo::Module& module, uint32_t stages, uint64_t seed);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_KERNELS_H_
