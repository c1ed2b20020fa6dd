// Pairs of maps for the oracle, and what must be true of its answers.
#ifndef AFFIRM_FUZZ_PROPERTIES_ORACLE_H_
#define AFFIRM_FUZZ_PROPERTIES_ORACLE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::fuzz {

// Two maps that differ in one choice, or a map and its simplified form.
std::pair<IndexingMap, IndexingMap> GeneratePair(llvm::ArrayRef<uint8_t> bytes, Context& context);

// Compares the answers of the portfolio, and of all engines side by side, to "a equals b" with
// enumeration. A pair that can't be enumerated is fine. Queries are bounded by the solvers' own
// counters.
struct OracleCheck {
  enum class Kind : uint8_t { kFine, kUnknown, kWrong };
  Kind kind = Kind::kFine;
  std::string what;    // "the engine isl says equal"; the same for pairs that fail alike
  std::string detail;  // the first difference that enumeration finds; the reason of an unknown
};
OracleCheck CheckOracle(const IndexingMap& a, const IndexingMap& b);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_ORACLE_H_
