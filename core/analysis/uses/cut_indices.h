// Constraints of a map as cuts of indices: which of the values of one index remain. Internal to
// core/analysis.
//
// In (d0)[s0] -> (d0 * 2 + s0 - 1), where d0 * 2 + s0 in [1, 9], the index is d0 * 2 + s0: the map
// is (d0)[s0, s1] -> (s1 - 1), where s1 stands for the values of that sum from 1 to 9. In (d0) ->
// ((d0 - 1) floordiv 3), where (d0 - 1) mod 3 in [0, 0], the index is d0, of which every third
// value remains.
#ifndef AFFIRM_CORE_ANALYSIS_USES_CUT_INDICES_H_
#define AFFIRM_CORE_ANALYSIS_USES_CUT_INDICES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/indexing/indexing_map.h"

namespace affirm::analysis {

// Dims and range variables move within a tile; all other expressions are fixed there.
inline bool Moves(SymbolicExpr e) {
  return e.HasVariables(VarKind::kDim) || e.HasVariables(VarKind::kRange);
}

// lower <= index <= upper, either of which may be null; or index mod modulus == lower mod modulus.
// The ends are fixed.
struct IndexCut {
  SymbolicExpr lower, upper;
  std::optional<int64_t> modulus;
};

struct CutIndex {
  // A sum of multiples of variables, whose factors have no common divisor.
  SymbolicExpr index;
  std::vector<IndexCut> cuts;  // those with a modulus last
};

struct CutMap {
  // Without constraints. Range variable `first` + k stands for indices[k], and no variable of
  // indices[k] occurs elsewhere in the map.
  IndexingMap map;
  int64_t first = 0;
  std::vector<CutIndex> indices;
  std::vector<Constraint> fixed;  // what the constraints say of fixed expressions
};

// nullopt where a constraint cuts no index, or where something else depends on its variables.
std::optional<CutMap> CutByConstraints(const IndexingMap& map);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_USES_CUT_INDICES_H_
