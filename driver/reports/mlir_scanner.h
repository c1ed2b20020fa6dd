// Scans MLIR text for the attributes that state maps, without knowing its operations.
//
// A file of a compiler's tests is several programs with lines "// -----" between them, and each
// program has names of its own for attributes:
//
//   #map = #xla.indexing_map<"(d0) -> (d0 mod 4)," " domain: d0 in [0, 7]">
//   func.func @f(%i: index) -> index {
//     %0 = xla.apply_indexing #map(%i)
//     return %0 : index
//   }
//
// has one map, at the use of its name. The lexical rules are those of MLIR (MLIR Language
// Reference, "Notation", "Attribute Value Aliases"): what a program defines, it defines once,
// outside of all operations, and before it is used. What breaks them is an error, as it would be in
// MLIR: brackets that do not match, strings that do not end, names that nothing defines.
#ifndef AFFIRM_DRIVER_REPORTS_MLIR_SCANNER_H_
#define AFFIRM_DRIVER_REPORTS_MLIR_SCANNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// An occurrence of a map in MLIR text: the attribute itself, or a name that stands for one.
struct MlirMap {
  // xla.indexing_map<"...">, strings unescaped and joined; affine_map<...>.
  enum class Kind : uint8_t { kIndexingMap, kAffineMap } kind = Kind::kIndexingMap;
  std::string text;
  int64_t line = 1, column = 1;
};

// Every use of a map in the programs of `text`, in order. A definition is a use only where nothing
// uses its name. Comments, other strings and locations are passed over. `first_line` is the number
// of the first line; errors are "file:line:column: error: ...".
llvm::Expected<std::vector<MlirMap>> ScanMlirMaps(llvm::StringRef text, llvm::StringRef file,
                                                  int64_t first_line = 1);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_MLIR_SCANNER_H_
