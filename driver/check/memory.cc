// Whether the memory that the program's arrays are given is right: no two that are needed at one
// time share bytes. The order in which the assigner hands memory out is not believed: lives are
// found anew (driver/buffers/buffer_lives.h), and that a kernel may write over what it reads is
// proved of its code.
#include "driver/buffers/buffer_lives.h"
#include "driver/check/steps.h"
#include "driver/check/unit.h"

namespace affirm::driver {

namespace {

void CheckMemory(State& state) {
  const AssignedBuffers& buffers = state.program.buffers();
  const BufferLives lives = CheckBufferLives(*state.program.entry().module, buffers.slices);
  state.report.memory = {.arrays = lives.values,
                         .bytes = buffers.bytes,
                         .sharing_pairs = lives.pairs,
                         .conflicts = static_cast<int64_t>(lives.conflicts.size()),
                         .copies = static_cast<int64_t>(buffers.copies.size())};
  for (const BufferConflict& conflict : lives.conflicts) {
    state.AddFinding(Finding::Kind::kRefuted, "memory",
                     "memory: " + conflict.overwritten_by + " is written over " + conflict.value +
                         ", which " + conflict.read_by + " reads afterwards");
  }
}

}  // namespace

void AddMemoryUnit(State& state, std::vector<Unit>& units) {
  units.push_back({.name = "memory",
                   .work = [&state] { CheckMemory(state); },
                   .give_up =
                       [&state](const std::string& why) {
                         state.AddFinding(Finding::Kind::kUnknown, "memory", "memory: " + why);
                       }});
}

}  // namespace affirm::driver
