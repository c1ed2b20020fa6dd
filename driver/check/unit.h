// Splits a check into units, each with a share of the module's time.
//
// Units run in order in a worker process, which sends a record for each finished unit. If a unit
// exceeds its share, its process is killed, and the next unit runs in a new one. Unused time is
// left for later units. Maps that were given up are tried again after the proofs of all kernels,
// with the remaining time. Records may be kept in a ledger, whose units are not repeated.
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
  // Phases with their own share of time, plus the unused time of earlier ones: maps and their
  // compositions; emission and proofs of kernels; runs of kernels and the interpreter.
  enum class Phase : uint8_t { kMaps, kKernels, kExecution };

  std::string name;  // "maps of main"
  Phase phase = Phase::kMaps;
  // The range of the report's kernels that it may change.
  size_t first_kernel = 0, end_kernel = 0;
  // Whether there is work to do, given the report after earlier units; empty: always.
  std::function<bool()> is_needed = {};
  // Whether it only copies results of the report to other kernels. Such a unit runs regardless of
  // the time left, in the process that reads the records.
  bool is_copy = false;
  std::function<void()> work = {};
  // Records in the report that it was not done, and why.
  std::function<void(const std::string& why)> give_up = {};
};

// Runs the units, and adds their results to the report of `state`. An error if a record of the
// ledger cannot be read or written. The time of this process counts too, from the start of `spent`.
llvm::Error RunUnits(State& state, std::vector<Unit> units, UnitLedger* ledger,
                     const SpentHere& spent);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_UNIT_H_
