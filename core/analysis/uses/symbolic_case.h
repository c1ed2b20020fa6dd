// One case of a symbolic tile: arithmetic on progressions whose ends are expressions of the tile's
// parameters. Internal to core/analysis.
#ifndef AFFIRM_CORE_ANALYSIS_USES_SYMBOLIC_CASE_H_
#define AFFIRM_CORE_ANALYSIS_USES_SYMBOLIC_CASE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/uses/cut_indices.h"
#include "core/analysis/uses/symbolic_tile.h"

namespace affirm::analysis {

// An index and its divisor.
struct Division {
  SymbolicExpr index;
  int64_t by = 1;
  friend bool operator==(const Division&, const Division&) = default;
};
// An index divided by a positive constant, if the expression is its quotient or residue.
std::optional<Division> DivisionOf(SymbolicExpr e);

// How a division by c acts on the values of an index in a tile: `size` values, `stride` apart.
enum class DivisionCase : uint8_t {
  kWithin,     // all lie within one period: the quotient stays
  kMultiples,  // the stride is a multiple of c: the residue stays
  kWhole,      // the values, one after the other, make up whole periods
};
inline constexpr uint64_t kDivisionCases = 3;

// A map, and the case to assume for each of its divisions.
struct CaseOfMap {
  const CutMap& cut;
  llvm::ArrayRef<Constraint> everywhere;  // what must hold at each point of the tile
  llvm::ArrayRef<Division> divisions;
  llvm::ArrayRef<DivisionCase> cases;  // of each division
};

// The tile in that case, not simplified; nullopt, and the reason, where there is none.
std::optional<SymbolicTileCase> MakeCase(const CaseOfMap& of, std::string& reason);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_USES_SYMBOLIC_CASE_H_
