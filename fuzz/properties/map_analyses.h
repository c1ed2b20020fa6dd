// Tiles, utilization and coalescing as the analyses say, compared with following maps point by
// point.
#ifndef AFFIRM_FUZZ_PROPERTIES_MAP_ANALYSES_H_
#define AFFIRM_FUZZ_PROPERTIES_MAP_ANALYSES_H_

#include <cstdint>
#include <string>

#include "core/analysis/uses/coalescing.h"
#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::fuzz {

// The tiles of every instruction below leaf `output_id` of `root`, cut into tiles of `sizes`: each
// holds what the maps give for the elements of the tile, and nothing else where it is said to be
// exact. Runtime variables have made-up values. `fit`: how well the worst of them does ("exact",
// "wider", "none"). `problem` is empty, or what is wrong.
struct TileCheck {
  std::string problem, fit;
};
TileCheck CheckTiles(const hlo::Instruction& root, int64_t output_id, llvm::ArrayRef<int64_t> sizes,
                     int64_t seed);

// How much of each operand is read, against marking the elements one by one for `seeds` choices of
// runtime values.
struct UtilizationCheck {
  std::string problem;
  bool is_exact = true;  // all of them
};
UtilizationCheck CheckUtilization(const hlo::Instruction& root, int64_t seeds);

// The sectors of each access of (th_x, ..)[..], counted byte by byte.
Coalescing CountSectors(const IndexingMap& addresses, int64_t bytes, const MemoryModel& model);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_PROPERTIES_MAP_ANALYSES_H_
