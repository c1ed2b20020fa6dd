// A check in units, each with its share of the time that the module has.
//
// Units are done in order, in a worker process that sends a record for each that is finished. One
// that takes more than its share is given up, with its process, and the next begins in a new one;
// what it did not use is there for those that follow. Maps that were given up are tried again once
// all kernels had their proofs, with the time that these left. Records are kept in a ledger where
// one is wanted: what stands there is not done again.
#ifndef AFFIRM_DRIVER_CHECK_UNIT_H_
#define AFFIRM_DRIVER_CHECK_UNIT_H_

#include <functional>
#include <string>
#include <vector>

#include "driver/check/spent_here.h"
#include "driver/check/steps.h"
#include "driver/work_limits.h"

namespace affirm::driver {

struct Unit {
  // Each has time of its own, beside what those before it left: maps and their compositions; the
  // emission and the proofs of kernels; runs of kernels and of the interpreter.
  enum class Phase : uint8_t { kMaps, kKernels, kExecution };

  std::string name;  // "maps of main"
  Phase phase = Phase::kMaps;
  // Which kernels of the report it may change.
  size_t first_kernel = 0, end_kernel = 0;
  // Whether there is anything to do, from the report as the units before left it; empty: always.
  std::function<bool()> is_needed = {};
  // It takes what the report already says over to other kernels, which is done whatever time is
  // left, and in the process that reads the records.
  bool is_copy = false;
  std::function<void()> work = {};
  // States in the report that it was not done, and why.
  std::function<void(const std::string& why)> give_up = {};
};

// Does the units and adds to the report of `state` what they find. An error when a record of the
// ledger cannot be read, or none can be written.
// What this process itself takes counts, with what it had taken when `spent` was read.
llvm::Error RunUnits(State& state, std::vector<Unit> units, UnitLedger* ledger,
                     const SpentHere& spent);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_UNIT_H_
