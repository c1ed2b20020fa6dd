// libFuzzer: the bytes choose an instance of an op; its maps in both directions are what the
// interpreter was seen to read.
#include "core/hlo/text.h"
#include "fuzz/generators/op_instances.h"
#include "fuzz/properties/observed_reads.h"
#include "fuzz/targets/abort_if_wrong.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using affirm::Direction;
  static const std::vector<affirm::hlo::Opcode> opcodes = affirm::fuzz::GeneratedOpcodes();
  affirm::fuzz::Choices choices({data, size});
  const affirm::hlo::Opcode opcode = opcodes[choices.Below(opcodes.size())];
  affirm::fuzz::OpLimits limits;
  limits.max_elements = 16;
  limits.max_size = 5;
  limits.dynamic_sizes = true;
  const auto module = affirm::fuzz::GenerateOpInstance(choices, opcode, limits);
  if (!module) return 0;
  auto run = affirm::fuzz::Observe(*module, size);
  if (!run) {
    llvm::consumeError(run.takeError());
    return 0;
  }
  int64_t claims = 0;
  for (Direction direction : {Direction::kOutputToInput, Direction::kInputToOutput}) {
    for (bool exact : {false, true}) {
      affirm::fuzz::AbortIfWrong(
          affirm::hlo::ToString(*module),
          affirm::fuzz::Disagreement(*run, direction, {.exact = exact}, claims));
    }
  }
  return 0;
}
