// Tiles whose sizes, offsets and strides are unknowns. A tile of the result has, along dim k, the
// elements o_k + t_k * j, 0 <= j < n_k; what does it need of an operand, in terms of o, n and t?
//
//   (d0, d1) -> (d1, d0 * 2)      offsets o1, o0 * 2     sizes n1, n0     strides t1, t0 * 2
//   (d0)[s0] -> (d0 + s0),        offsets o0             sizes n0 + 4     strides 1
//     s0 in [0, 4]                where t0 in [1, 1]
#ifndef AFFIRM_CORE_ANALYSIS_USES_SYMBOLIC_TILE_H_
#define AFFIRM_CORE_ANALYSIS_USES_SYMBOLIC_TILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/indexing/indexing_map.h"

namespace affirm {

// One case of a symbolic tile. All expressions are over the variables of
// SymbolicTile::parameters.
struct SymbolicTileCase {
  std::vector<SymbolicExpr> offsets, sizes, strides;  // by dim
  // Where these hold, within the domain of the parameters, the tile is the image under the map.
  std::vector<Constraint> conditions;
};

struct SymbolicTile {
  // (o0, .., n0, .., t0, ..){runtime variables} -> (): offsets, sizes and strides of the tile that
  // is given, in elements, as dims. The domain says that it lies where the map is defined.
  IndexingMap parameters;
  // None when there is no symbolic tile; `reason` then says why not. There are several where a
  // reshape cuts an index in two: the tile covers whole periods of it, or lies within one.
  std::vector<SymbolicTileCase> cases;
  std::string reason;
  Exactness exactness = Exactness::kUnknown;  // of the map
};

// The image of a tile of `map`'s dims under `map`, as a tile.
SymbolicTile SymbolicTileOf(const LabeledMap& map);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_USES_SYMBOLIC_TILE_H_
