// Layouts: where the elements of an array lie in memory. Only the order of the dimensions counts;
// tiles and memory spaces do not.
#ifndef AFFIRM_CORE_ANALYSIS_LAYOUT_H_
#define AFFIRM_CORE_ANALYSIS_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "core/analysis/indexing.h"

namespace affirm {

// The sizes of the dims from the most major to the most minor.
std::vector<int64_t> PhysicalDims(const hlo::Shape& shape);

// (logical index) -> (physical index): the same index with its dims from the most major to the most
// minor.
IndexingMap LogicalToPhysical(const hlo::Shape& shape, Context& context);
IndexingMap PhysicalToLogical(const hlo::Shape& shape, Context& context);

// (logical index) -> (position in memory, in elements), and back. Both simplified. Undefined when
// the number of elements leaves int64.
IndexingMap LogicalToLinear(const hlo::Shape& shape, Context& context);
IndexingMap LinearToLogical(const hlo::Shape& shape, Context& context);

// The maps of `instruction` in `direction` from `id`, between physical indices on both sides,
// simplified.
InstructionIndexing ToPhysical(const hlo::Instruction& instruction,
                               const InstructionIndexing& indexing, Direction direction, int64_t id,
                               Context& context);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_LAYOUT_H_
