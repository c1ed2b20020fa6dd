// Tiles of a computation whose dot or reduction is cut along its contracted dims too.
//
// dot f32[4,64] x f32[64,8], in tiles of 4x8 and steps of 16 along the contracted dim, needs in
// step i of a tile the elements [0, 4) x [16 * i, 16 * i + 16) of its left operand:
//   lhs: (pid_0, pid_1, step_0) -> (0, step_0 * 16), sizes [4, 16]
#ifndef AFFIRM_CORE_ANALYSIS_USES_CONTRACTED_TILES_H_
#define AFFIRM_CORE_ANALYSIS_USES_CONTRACTED_TILES_H_

#include <cstdint>
#include <vector>

#include "core/analysis/uses/tiling.h"
#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm {

// The tiles of ComputationTiles, with those of every instruction that the computation's one dot or
// reduction reads for each step. `contracted` has a size for each contracted dim, in the order of
// the range variables of its maps. An error unless there is exactly one dot or reduction with that
// many contracted dims, or when an array below it is also read on a path that bypasses it, for all
// steps at once.
llvm::Expected<GroupedTiles> ContractedTiles(const hlo::Instruction& root, int64_t output_id,
                                             llvm::ArrayRef<int64_t> sizes,
                                             llvm::ArrayRef<int64_t> contracted, Context& context,
                                             const IndexingOptions& options = {});

// The extents of the contracted dims that ContractedTiles takes sizes for. An error where it has
// one whatever the sizes are.
llvm::Expected<std::vector<int64_t>> ContractedExtents(const hlo::Instruction& root,
                                                       int64_t output_id, Context& context,
                                                       const IndexingOptions& options = {});

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_USES_CONTRACTED_TILES_H_
