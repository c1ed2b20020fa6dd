// MLIR's affine_map<...> and affine_set<...> as maps that can be compared.
//
//   (d0)[s0] -> (d0 mod s0)                 (d0, s0) -> (d0 mod s0) where s0 in [1, inf]
//   (d0)[s0] : (d0 >= 0, s0 - d0 >= 0)      (d0, s0) -> (d0, s0) where both constraints hold
//
// Dims and symbols are both parameters, and nothing bounds either: a symbol is no range variable of
// XLA, which runs over all of its values. MLIR Language Reference, "Affine Expressions": what a
// divisor or modulus that is not positive gives is undefined. So two maps are compared where all
// divisors of both are positive.
#ifndef AFFIRM_DRIVER_REPORTS_AFFINE_TEXT_H_
#define AFFIRM_DRIVER_REPORTS_AFFINE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct AffineText {
  bool is_set = false;
  int64_t dims = 0, symbols = 0;
  // Over dims, and symbols as the dims behind them. Of a set its variables.
  std::vector<SymbolicExpr> results;
  std::vector<Constraint> constraints;  // of a set
  std::vector<SymbolicExpr> divisors;   // that are no constants
};

// Whether a text is affine_map<...> or affine_set<...>, or is meant to be.
bool LooksAffine(llvm::StringRef text);
// Reads the attribute; errors are "where:line:column: error: ...".
llvm::Expected<AffineText> ReadAffineAttribute(llvm::StringRef text, Context& context,
                                               llvm::StringRef where = "<map>");
// The same of what stands between the angle brackets of an affine_map.
llvm::Expected<AffineText> ReadAffineMap(llvm::StringRef text, Context& context,
                                         llvm::StringRef where = "<map>");

// Two maps over the same variables, where each has a value.
struct AffinePair {
  IndexingMap a, b;
  // "dims and symbols are parameters, without bounds, where s0 >= 1"; empty for maps with domains.
  std::string reading;
};
// An error when one is a set and the other is not, the numbers of dims, symbols or results differ,
// or no values make the divisors of both positive: then they are neither the same nor different.
llvm::Expected<AffinePair> MakeAffinePair(const AffineText& a, const AffineText& b,
                                          Context& context);
// The two attributes of these texts.
llvm::Expected<AffinePair> ReadAffinePair(llvm::StringRef a, llvm::StringRef b, Context& context,
                                          llvm::StringRef a_where, llvm::StringRef b_where);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_AFFINE_TEXT_H_
