// How the threads of a grid share a reduction.
//
// The operand is seen as [major, reduced, minor]: f32[8, 128, 4] that is reduced over dimension 1
// is [8, 128, 4], and over dimension 2 it is [1024, 4, 1]. The reduced dims must be neighbours. A
// thread combines some elements of a row or column, then the threads of a warp combine theirs by
// shuffles, and, where a block works on one row or on 32 columns, its warps combine theirs in
// shared memory. Of columns a thread may take several neighbors, and then has as many results.
#ifndef AFFIRM_EMIT_EMITTERS_REDUCTION_PLAN_H_
#define AFFIRM_EMIT_EMITTERS_REDUCTION_PLAN_H_

#include <optional>
#include <string>
#include <vector>

#include "emit/plan/launch.h"
#include "verify/reference/evaluation_order.h"

namespace affirm::emit {

struct Shuffle {
  int64_t first = 0, last = 0;  // distances; 0: none
};

struct ReductionPlan {
  std::string name;  // "row reduction", "multi-row reduction", ...
  LaunchShape launch;
  IndexingMap read;  // to the element of the operand; a bijection onto it
  // How many neighboring columns a thread takes at once, which the last range variable of `read`
  // counts along a dimension of the operand. It combines each by itself.
  int64_t neighbors = 1;
  size_t neighbors_dim = 0;
  Shuffle shuffle;  // of each of a thread's values
  // With shared memory: a tile of [warps][columns], which warp w fills in row w from lanes that
  // hold a value. No tile: columns == 0.
  int64_t columns = 0;
  IndexingMap store;     // (th_x, bl_x) -> (row, column of each neighbor)
  Shuffle tile_shuffle;  // of the values that threads load: thread t loads [t mod warps][t / warps]
  IndexingMap write;     // to the element of the result, by the threads that hold it
  hlo::EvaluationOrder order;  // in which the terms of one element of the result are combined
};

// The plan for reducing `dims` of an array; nothing when the dims aren't neighbours or the
// reduction is so small that one thread does it. A thread takes up to `most_neighbors` columns.
std::optional<ReductionPlan> MakeReductionPlan(Context& context, llvm::ArrayRef<int64_t> shape,
                                               llvm::ArrayRef<int64_t> dims,
                                               int64_t most_neighbors = 1);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_REDUCTION_PLAN_H_
