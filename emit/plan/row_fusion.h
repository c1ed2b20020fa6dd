// Row fusion: one kernel that computes reductions along the rows of one array, further reductions
// that depend on these, and their users, with each row in the registers of a warp or a block. It
// works in stages, which pass kept values on to later ones. In
//
//   m = max(x)    e = exp(x - m)    s = sum(e)    out = e / s          (a softmax of f32[2,65,125])
//
//   stage   computes for each element, from    keeps   reduces
//   0       x                                  x       x to m
//   1       e              x, m                e       e to s
//   2       e / s          e, s
//
// x is read once, and e is computed once.
#ifndef AFFIRM_EMIT_PLAN_ROW_FUSION_H_
#define AFFIRM_EMIT_PLAN_ROW_FUSION_H_

#include <optional>
#include <vector>

#include "emit/plan/partition.h"

namespace affirm::emit {

// The longest row that a block holds in its registers.
inline constexpr int64_t kMaxRow = 16384;

struct RowFusion {
  // The values computed at one index, of a row or of an element. Numbers are nodes of the graph.
  struct Values {
    std::vector<int64_t> kept;   // nodes kept for later stages
    std::vector<Index> at;       // indices of `kept`, over the index of the row or the element
    std::vector<int64_t> given;  // inputs: reductions, and values kept by earlier stages
  };
  // A stage computes first the values that a row shares, such as the logarithm of a sum.
  struct Stage {
    Values row, element;
    std::vector<int64_t> reductions;  // reductions along the rows, of values of each element
  };
  // An output with one element for each row, or for each element of the array.
  struct Output {
    bool of_rows = false;
    Index at;  // index in the output, over the index of the row or the element
  };

  std::vector<int64_t> shape;       // shape of the array
  std::vector<int64_t> dimensions;  // dimensions of a row: minor-most, up to those of size one
  std::vector<int64_t> rows;        // sizes of the other dimensions
  Index element;                    // the identity index of an element
  std::vector<Stage> stages;        // the last one has no reductions, and computes the outputs
  std::vector<Output> outputs;      // by output of the graph
};

// Recognizes a row fusion. nullopt if there are other reductions; if an operand's element is needed
// at several positions of a row, or in several rows; if a row is longer than kMaxRow, or needs too
// many registers; or if no reduction is used by the elements of its row, so that keeping these has
// no benefit.
std::optional<RowFusion> FindRowFusion(const FlatGraph& graph, Context& context);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_ROW_FUSION_H_
