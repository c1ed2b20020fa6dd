// Runs work in processes of its own, so that a crash or a hang is an answer like any other.
#ifndef AFFIRM_DRIVER_CAMPAIGN_ISOLATED_PROCESS_H_
#define AFFIRM_DRIVER_CAMPAIGN_ISOLATED_PROCESS_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::driver {

// How the process ended that worked on an item.
struct ProcessOutcome {
  enum class Kind : uint8_t { kDone, kCrash, kHang };
  Kind kind = Kind::kDone;
  std::string text;  // kDone: what the work returned; kCrash: how the process ended
};

// Runs work(0), ..., work(count - 1) in order, in a process that is replaced when it dies, and
// calls `done` here with each outcome, in order, until it returns false. An item that takes
// more than `cpu_seconds` of processor time with all that it starts (so that a busy machine changes
// nothing), or none for two minutes, is a hang.
// Memory that the work leaves behind goes with its process, which serves a few dozen items.
void RunIsolated(uint64_t count, int cpu_seconds, llvm::function_ref<std::string(uint64_t)> work,
                 llvm::function_ref<bool(uint64_t, const ProcessOutcome&)> done);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CAMPAIGN_ISOLATED_PROCESS_H_
