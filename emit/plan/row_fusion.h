// A computation over the rows of one array that one kernel does, with a row in the registers of a
// warp or of a block: reductions along the rows, reductions of what is computed from these, and
// what reads them. It goes in stages, and each is given what those before it have kept. Of
//
//   m = max(x)    e = exp(x - m)    s = sum(e)    out = e / s          (a softmax of f32[2,65,125])
//
//   stage   computes for each element, from    keeps   reduces
//   0       x                                  x       x to m
//   1       e              x, m                e       e to s
//   2       e / s          e, s
//
// so that x is read, and e is computed, once.
#ifndef AFFIRM_EMIT_PLAN_ROW_FUSION_H_
#define AFFIRM_EMIT_PLAN_ROW_FUSION_H_

#include <optional>
#include <vector>

#include "emit/plan/partition.h"

namespace affirm::emit {

// The longest row that a block holds in its registers.
inline constexpr int64_t kMaxRow = 16384;

struct RowFusion {
  // What is computed at one index: of a row, or of an element. Nodes are those of the graph.
  struct Values {
    std::vector<int64_t> kept;   // for later stages
    std::vector<Index> at;       // of `kept`, over the index of the row or of the element
    std::vector<int64_t> given;  // what the functions get: reductions, and what has been kept
  };
  // First what the elements of a row have in common, such as the logarithm of a sum.
  struct Stage {
    Values row, element;
    std::vector<int64_t> reductions;  // along the rows, of what is computed of each element
  };
  // An output of one element a row, or of one for each element of the array.
  struct Output {
    bool of_rows = false;
    Index at;  // of the output, over the index of the row or of the element
  };

  std::vector<int64_t> shape;       // of the array
  std::vector<int64_t> dimensions;  // of a row, the most minor ones but for those of size one
  std::vector<int64_t> rows;        // the other sizes
  Index element;                    // of an element of the array, over itself
  std::vector<Stage> stages;        // the last reduces nothing; the outputs follow from it
  std::vector<Output> outputs;      // by output of the graph
};

// The graph as such a computation. Nothing when there are reductions of anything else, when an
// element of an operand is needed at several places of a row or of several rows, when a row is
// longer than kMaxRow or needs more registers than there are, and when nothing reads a reduction
// for the elements of its row, so that there is no need to keep these.
std::optional<RowFusion> FindRowFusion(const FlatGraph& graph, Context& context);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_ROW_FUSION_H_
