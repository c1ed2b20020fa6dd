// Indexing maps in MLIR text: the attributes #xla.indexing_map<"...">, and names for them.
#ifndef AFFIRM_DRIVER_REPORTS_MLIR_MAPS_H_
#define AFFIRM_DRIVER_REPORTS_MLIR_MAPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// An occurrence of a map in MLIR text: the attribute itself, or a name that stands for one.
struct MlirMap {
  std::string text;  // of the map, unescaped
  int64_t line = 1, column = 1;
};

// Every use of a map, in order. The definition of a name is a use only where nothing else uses the
// name. Comments and other strings are passed over; `first_line` is the number of the first line.
std::vector<MlirMap> FindMlirMaps(llvm::StringRef text, int64_t first_line = 1);

// The map of an occurrence in `file`; errors name its line and column.
llvm::Expected<IndexingMap> ReadMlirMap(const MlirMap& place, llvm::StringRef file,
                                        Context& context);

// The maps before and after a pass, from the output of -mlir-print-ir-before-all and
// -mlir-print-ir-after-all. Without a dump before it, a pass is compared with the dump above it.
struct PassMaps {
  std::string pass;  // "Canonicalizer (canonicalize)"
  std::vector<MlirMap> before, after;
};
std::vector<PassMaps> FindPassMaps(llvm::StringRef text);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_MLIR_MAPS_H_
