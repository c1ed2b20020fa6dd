// The annotations of a layout: its tiles, "T(8,128)(2,1)" (XLA's tiled-layout document), and the
// bits of an element, "E(4)".
#ifndef AFFIRM_CORE_HLO_TILES_H_
#define AFFIRM_CORE_HLO_TILES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hlo/shape.h"

namespace affirm::hlo {

// The sizes of one tile, most major first. A tile applies to the most minor dimensions; each of
// them becomes a number of tiles (the last one padded) and a position in the tile, with all
// positions behind all numbers: T(8,128) turns f32[20,300] into f32[3,3,8,128].
using TileSizes = std::vector<int64_t>;

// The tiles of the shape's layout, in the order in which they are applied; none for a plain layout.
// nullopt for sizes that are no positive numbers, "*" (a dimension joined to the next) among them.
std::optional<std::vector<TileSizes>> Tiles(const Shape& shape);

// The bits that an element takes where the shape's layout says so; elements of fewer than eight are
// packed. nullopt: it says nothing, and each element stands on whole bytes.
std::optional<int64_t> ElementSizeInBits(const Shape& shape);

// Whether two arrays of the same sizes and type lie in memory alike: in one order, with one
// arrangement of tiles and elements of one size. Memory spaces do not count.
bool LieAlike(const Shape& a, const Shape& b);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_TILES_H_
