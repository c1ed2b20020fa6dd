// The tile sizes for which every tile on the way is exact.
//
// f32[4,6] is reshaped to [24]. Tiles of 1, 2, 3, 6, 12, 18 and 24 elements each need one tile of
// the operand; one of 4 needs parts of two rows:
//   ExactTilings({24}, 4096, [&](auto sizes) { return AreExact(TilesAlong(maps, tile of sizes)); })
#ifndef AFFIRM_CORE_ANALYSIS_USES_EXACT_TILINGS_H_
#define AFFIRM_CORE_ANALYSIS_USES_EXACT_TILINGS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/uses/tiling.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace affirm {

// Which sizes are tried along a dim, of those from 1 to its extent.
enum class TileSizes : uint8_t {
  kAll,
  kDivisorsAndPowersOfTwo,  // and the extent
  kPowersOfTwo,             // and the extent
};

// The sizes in ascending order. {1} for an extent below 1. Divisors are left out of extents above
// 2^40. Requires an extent of at most 2^20 for kAll.
std::vector<int64_t> SizesToTry(int64_t extent, TileSizes which);

struct TilingList {
  std::vector<std::vector<int64_t>> exact;  // a size for each extent, in lexicographic order
  TileSizes which = TileSizes::kAll;
  int64_t tried = 0;
  int64_t candidates = 0;  // more than `tried` where that stopped at the limit; saturates
};

// The tilings of the extents that `is_exact` accepts. The first of TileSizes that gives at most
// `most` candidates is tried; of the last one the first `most` candidates, in lexicographic order.
TilingList ExactTilings(llvm::ArrayRef<int64_t> extents, int64_t most,
                        llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> is_exact);

// Whether each tile is known and exact.
bool AreExact(const GroupedTiles& tiles);

}  // namespace affirm

#endif  // AFFIRM_CORE_ANALYSIS_USES_EXACT_TILINGS_H_
