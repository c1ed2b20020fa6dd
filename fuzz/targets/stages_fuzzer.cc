// libFuzzer: the bytes choose a graph and some of the passes that devices get; the kernel computes
// the same after them.
#include "core/hlo/text.h"
#include "emit/device_pipeline.h"
#include "fuzz/generators/hlo_generator.h"
#include "fuzz/properties/kernels.h"
#include "fuzz/targets/abort_if_wrong.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  affirm::fuzz::Choices choices({data, size});
  const auto stages =
      static_cast<uint32_t>(~choices.Below(1u << affirm::emit::DevicePipelineNames().size()));
  affirm::fuzz::HloLimits limits;
  limits.max_fusions = 0;
  limits.max_ops = 5;
  const auto module = affirm::fuzz::GenerateModule(choices, limits);
  affirm::fuzz::AbortIfWrong(affirm::hlo::ToString(*module),
                             affirm::fuzz::CheckKernel(*module, stages, size));
  return 0;
}
