// libFuzzer: the bytes choose a module with fusions; the composed maps of each, in both directions,
// are what the interpreter was seen to read through it.
#include "core/hlo/text.h"
#include "fuzz/generators/hlo_generator.h"
#include "fuzz/properties/observed_reads.h"
#include "fuzz/targets/abort_if_wrong.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using affirm::Direction;
  affirm::fuzz::Choices choices({data, size});
  affirm::fuzz::HloLimits limits;
  limits.max_ops = 5;
  limits.max_elements = 24;
  limits.max_work = 500;
  const auto module = affirm::fuzz::GenerateModule(choices, limits);
  for (const auto& instruction : module->entry->instructions) {
    if (instruction->opcode != affirm::hlo::Opcode::kFusion) continue;
    auto run = affirm::fuzz::Observe(*module, *instruction, size);
    if (!run) {
      llvm::consumeError(run.takeError());
      continue;
    }
    int64_t claims = 0;
    for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
      affirm::fuzz::AbortIfWrong(affirm::hlo::ToString(*module),
                                 affirm::fuzz::Disagreement(*run, direction, {}, claims));
    }
  }
  return 0;
}
