// Layouts: where the elements of an array lie in memory. The order of the dimensions and the tiles
// count (core/hlo/tiles.h); memory spaces do not.
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

// The sizes of the physical dims: those of the shape from the most major to the most minor, after
// each tile with the numbers of tiles and the tile's sizes in place of the dims that it covers.
// nullopt for tiles that are not understood, and where a padded size leaves int64.
std::optional<std::vector<int64_t>> PhysicalDims(const hlo::Shape& shape);

// (logical index) -> (physical index), and back. Padding belongs to no logical index: the way back
// is not defined there. Both are simplified, and undefined where PhysicalDims is nullopt.
IndexingMap LogicalToPhysical(const hlo::Shape& shape, Context& context);
IndexingMap PhysicalToLogical(const hlo::Shape& shape, Context& context);

// (logical index) -> (position in memory, in elements, padding included), and back. Both
// simplified. Undefined also when the number of elements leaves int64.
IndexingMap LogicalToLinear(const hlo::Shape& shape, Context& context);
IndexingMap LinearToLogical(const hlo::Shape& shape, Context& context);

// The maps of `instruction` in `direction` from `id`, between physical indices on both sides,
// simplified.
InstructionIndexing ToPhysical(const hlo::Instruction& instruction,
                               const InstructionIndexing& indexing, Direction direction, int64_t id,
                               Context& context);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_LAYOUT_H_
