// libFuzzer: the bytes choose a graph; its kernel on the SIMT emulator computes what the
// interpreter computes.
#include "core/hlo/text.h"
#include "fuzz/generators/hlo_generator.h"
#include "fuzz/properties/kernels.h"
#include "fuzz/targets/abort_if_wrong.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  affirm::fuzz::Choices choices({data, size});
  affirm::fuzz::HloLimits limits;
  limits.max_fusions = 0;
  const auto module = affirm::fuzz::GenerateModule(choices, limits);
  affirm::fuzz::AbortIfWrong(affirm::hlo::ToString(*module),
                             affirm::fuzz::CheckKernel(*module, 0, size));
  return 0;
}
