// What a step of a check adds to the report of a module, as a record that can be sent from one
// process to another, kept in a file, and added to a report later.
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

// A verdict on a map of the instruction with that id.
struct MapVerdict {
  int64_t instruction = 0;
  Verdict verdict = Verdict::kUnknown;
  friend bool operator==(const MapVerdict&, const MapVerdict&) = default;
};

// What came of one unit of a check (unit.h). Where it was given up, the rest says nothing.
struct UnitRecord {
  std::optional<std::string> given_up;  // why
  double seconds = 0;                   // of processor time
  std::vector<MapVerdict> map_verdicts;
  std::vector<MapCheck> maps;
  std::vector<ComposedCheck> composed;
  SimplificationCheck simplification;             // what it counted
  std::optional<CertificatesCheck> certificates;  // the same
  std::optional<MemoryCheck> memory;
  // The kernels from `first_kernel` on, as they are now.
  int64_t first_kernel = 0;
  std::vector<KernelCheck> kernels;
  // Of the module as a whole, as it is now; nothing where it is as it was before.
  std::optional<WholeCheck> whole;
  std::vector<std::string> argument_kinds;
  std::vector<Finding> findings;
};

// {"seconds": .., "maps": [..], ..}; parts that are empty are left out.
llvm::json::Object ToJson(const UnitRecord& record);
// The error names what is missing or of another type.
llvm::Expected<UnitRecord> UnitRecordFrom(const llvm::json::Object& json);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_RECORDS_H_
