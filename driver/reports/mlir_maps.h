// Maps in MLIR text: the attributes #xla.indexing_map<"..."> and affine_map<...>, and names for
// them.
#ifndef AFFIRM_DRIVER_REPORTS_MLIR_MAPS_H_
#define AFFIRM_DRIVER_REPORTS_MLIR_MAPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "driver/reports/mlir_scanner.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// The uses of maps in `text`, as ScanMlirMaps has them: the indexing maps; where there is none, the
// affine maps.
llvm::Expected<std::vector<MlirMap>> FindMlirMaps(llvm::StringRef text, llvm::StringRef file,
                                                  int64_t first_line = 1);

// The map of an occurrence in `file`; errors name its line and column. The dims and symbols of an
// affine map are dims, since both are parameters of it (affine_text.h).
llvm::Expected<IndexingMap> ReadMlirMap(const MlirMap& place, llvm::StringRef file,
                                        Context& context);
// The maps of two occurrences, as they can be compared; an error when they cannot.
struct MlirPair {
  IndexingMap a, b;
  std::string reading;  // of affine maps: AffinePair::reading
};
llvm::Expected<MlirPair> ReadMlirPair(const MlirMap& a, llvm::StringRef a_file, const MlirMap& b,
                                      llvm::StringRef b_file, Context& context);

// The maps before and after a pass, from the output of -mlir-print-ir-before-all and
// -mlir-print-ir-after-all. Without a dump before it, a pass is compared with the dump above it.
struct PassMaps {
  std::string pass;  // "Canonicalizer (canonicalize)"
  std::vector<MlirMap> before, after;
  std::string problem;  // why a dump could not be read; empty: it was
};
std::vector<PassMaps> FindPassMaps(llvm::StringRef text, llvm::StringRef file);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_MLIR_MAPS_H_
