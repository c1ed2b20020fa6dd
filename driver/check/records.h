// The contribution of a step to a module's report, as a record that is sent between processes, kept
// in a file, and merged into a report.
#ifndef AFFIRM_DRIVER_CHECK_RECORDS_H_
#define AFFIRM_DRIVER_CHECK_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/check/check.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace affirm::driver {

// A verdict on a map of the instruction with this ID.
struct MapVerdict {
  int64_t instruction = 0;
  Verdict verdict = Verdict::kUnknown;
  friend bool operator==(const MapVerdict&, const MapVerdict&) = default;
};

// The result of one unit of a check (unit.h). If it was given up, the rest is meaningless.
struct UnitRecord {
  std::optional<std::string> given_up;  // why
  double seconds = 0;                   // processor time
  std::vector<MapVerdict> map_verdicts;
  std::vector<MapCheck> maps;
  std::vector<ComposedCheck> composed;
  SimplificationCheck simplification;             // the unit's counts
  std::optional<CertificatesCheck> certificates;  // the unit's counts
  std::optional<MemoryCheck> memory;
  // The current state of the kernels from `first_kernel` on.
  int64_t first_kernel = 0;
  std::vector<KernelCheck> kernels;
  // The current state of the module as a whole; nullopt if unchanged.
  std::optional<WholeCheck> whole;
  std::vector<std::string> argument_kinds;
  std::vector<Finding> findings;
};

// {"seconds": .., "maps": [..], ..}; empty parts are omitted.
llvm::json::Object ToJson(const UnitRecord& record);
// The error names a missing field, or one of the wrong type.
llvm::Expected<UnitRecord> UnitRecordFrom(const llvm::json::Object& json);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_RECORDS_H_
