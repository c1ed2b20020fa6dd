// Maps between logical indices and positions in memory. They depend on the order of the dimensions
// and the tiles (core/hlo/tiles.h), but not on memory spaces.
//
// For f32[2,3]{0,1}, whose columns are contiguous, LogicalToPhysical is (d0, d1) -> (d1, d0) and
// LogicalToLinear is (d0, d1) -> (d1 * 2 + d0).
#ifndef AFFIRM_CORE_ANALYSIS_LAYOUT_H_
#define AFFIRM_CORE_ANALYSIS_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/indexing.h"

namespace affirm {

// The sizes of the physical dims: the shape's from major to minor; each tile replaces the dims that
// it covers by the numbers of tiles, and the tile's sizes. nullopt for unsupported tiles, or if a
// padded size overflows int64.
std::optional<std::vector<int64_t>> PhysicalDims(const hlo::Shape& shape);

// (logical index) -> (physical index), and back. Padding has no logical index: the inverse is not
// defined there. Both maps are simplified, and undefined if PhysicalDims is nullopt.
IndexingMap LogicalToPhysical(const hlo::Shape& shape, Context& context);
IndexingMap PhysicalToLogical(const hlo::Shape& shape, Context& context);

// (logical index) -> (position in memory, in elements, padding included), and back. Both are
// simplified; undefined also if the number of elements overflows int64.
IndexingMap LogicalToLinear(const hlo::Shape& shape, Context& context);
IndexingMap LinearToLogical(const hlo::Shape& shape, Context& context);

// Rewrites the maps of `instruction` in `direction` from `id` to physical indices on both sides,
// simplified.
InstructionIndexing ToPhysical(const hlo::Instruction& instruction,
                               const InstructionIndexing& indexing, Direction direction, int64_t id,
                               Context& context);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_LAYOUT_H_
