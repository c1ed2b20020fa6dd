// The analyses of maps that `affirm indexing` prints: tiles, coalescing, utilization.
#ifndef AFFIRM_DRIVER_REPORTS_MAP_ANALYSES_H_
#define AFFIRM_DRIVER_REPORTS_MAP_ANALYSES_H_

#include <string>

#include "core/analysis/indexing.h"
#include "core/hlo/module.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct AnalysisReportOptions {
  std::string file;  // for errors
  int64_t id = 0;    // the output, or the operand
  Direction direction = Direction::kOutputToInput;
  bool exact = false, json = false;
};

// The tiles that a tile of output `id` needs of each instruction on the way to the parameters, or
// input-to-output the tiles that a tile of operand `id` goes into; for a fusion, inside of it.
// `sizes` is "4,8", or "symbolic": sizes, offsets and strides are unknowns then. `contracted`, if
// not empty, has the sizes of tiles of the contracted dims (contracted_tiles.h). Where one of both
// is "list", the sizes for which all tiles are exact are printed instead; `most` are tried.
struct TileRequest {
  std::string sizes, contracted;
  int64_t most = 4096;
};
llvm::Error PrintTiles(const hlo::Instruction& instruction, const TileRequest& request,
                       const AnalysisReportOptions& options);

// How much of each operand is read when all of the result is computed.
llvm::Error PrintUtilization(const hlo::Instruction& instruction,
                             const AnalysisReportOptions& options);

// The warps' accesses to memory in the kernel for a fusion, or for the entry: its writes and its
// reads. With a `thread_map`, the threads of any kernel that computes output `id` by that map.
struct KernelThreads {
  int64_t per_block = 128;
  std::string thread_map;
};
llvm::Error PrintCoalescing(const hlo::Instruction& instruction, const KernelThreads& threads,
                            const AnalysisReportOptions& options);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_REPORTS_MAP_ANALYSES_H_
