// Tiles: hyper-rectangular parts of an array, and the tiles of the operands that are read to
// compute a tile of the result.
//
// A transpose to f32[6,12], computed in tiles of 2x3, reads tiles of 3x2. The tile of the result
// and that of the operand, as maps from tile ids to offsets:
//   result:  (pid_0, pid_1) -> (pid_0 * 2, pid_1 * 3), sizes [2, 3]
//   operand: (pid_0, pid_1) -> (pid_1 * 3, pid_0 * 2), sizes [3, 2]
#ifndef AFFIRM_CORE_ANALYSIS_USES_TILING_H_
#define AFFIRM_CORE_ANALYSIS_USES_TILING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Error.h"

namespace affirm {

// A family of tiles, one for each value of some parameters (the tile ids) and runtime variables.
// Along dim k a tile has the elements
//   offset[k] + strides[k] * j,  0 <= j < sizes[k],  that are below upper_bounds[k],
// and the tile is the product of these sets over all dims.
struct Tile {
  // (tile ids){runtime variables} -> offset in elements, by dim. Outside the domain nothing is in
  // the tile. Undefined when there is no tile: `reason` then says why not.
  IndexingMap offsets;
  std::vector<int64_t> sizes;              // at least 1
  std::vector<int64_t> strides;            // in elements, positive, also if an index decreases
  std::vector<SymbolicExpr> upper_bounds;  // over the variables of `offsets`; null: none is needed
  Exactness exactness = Exactness::kUnknown;  // over-approximate: a superset of the elements
  std::string reason;                         // why it is not exact; empty when it is

  bool IsKnown() const { return !offsets.IsUndefined(); }
  // (tile ids)[position in the tile]{runtime variables} -> element.
  IndexingMap Elements() const;
  friend bool operator==(const Tile&, const Tile&) = default;
};

// The array of `shape` cut into tiles of `sizes`, from the origin on: tile id i counts along dim i,
// and the last tile of a dim may be partial. An error unless there is one positive size for each
// dim.
llvm::Expected<Tile> TilesOfShape(const hlo::Shape& shape, llvm::ArrayRef<int64_t> sizes,
                                  Context& context);

// The set that `map` gives at each value of its dims, as a tile whose ids are the dims. Exact when
// the set is a tile; else a tile that covers it, with the reason; undefined when not even bounds
// are known. A runtime variable whose producer index depends on range variables is not
// one value for a whole tile: it counts as a range variable then.
Tile TileOf(const IndexingMap& map);

// The image of the elements of `tile` under `map`. Its label is the weakest on the way.
Tile PropagateTile(const Tile& tile, const LabeledMap& map);

// For a tile of leaf `output_id` of `root`, of `sizes` elements: the tiles that it needs of every
// instruction on the way to the parameters. PropagateTile along the maps of ComputationIndexing,
// each tile once. For collectives, tiles do not state the replica that holds the elements.
struct LeafTile {
  Tile tile;
  int64_t leaf = 0;  // of the instruction
  friend bool operator==(const LeafTile&, const LeafTile&) = default;
};
using GroupedTiles = llvm::MapVector<const hlo::Instruction*, std::vector<LeafTile>>;
// The tile along each of the maps, each result once.
GroupedTiles TilesAlong(const GroupedIndexing& maps_to, const Tile& tile);
llvm::Expected<GroupedTiles> ComputationTiles(const hlo::Instruction& root, int64_t output_id,
                                              llvm::ArrayRef<int64_t> sizes, Context& context,
                                              const IndexingOptions& options = {});

// The opposite direction: the tiles of `instruction` that a tile of its array operand `operand`
// goes into; for a fusion, those of every instruction on the way from the parameter to the root
// (see ConsumerIndexing). A tile of f32[6,12] reduced along dimension 1 goes into a tile of [6].
llvm::Expected<GroupedTiles> ConsumerTiles(const hlo::Instruction& instruction, int64_t operand,
                                           llvm::ArrayRef<int64_t> sizes, Context& context,
                                           const IndexingOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_USES_TILING_H_
