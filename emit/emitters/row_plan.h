// Which thread holds which elements of which row, in a kernel that keeps rows in registers. A row
// is the work of some lanes of a warp, of a warp, or of a block. Of f32[130,125], with 32 lanes a
// row and 8 rows a block, thread th_x holds four elements (the last lanes three):
//
//   (th_x, bl_x)[s0] -> (bl_x * 8 + th_x floordiv 32, s0 * 32 + th_x mod 32),
//   domain: th_x in [0, 255], bl_x in [0, 16], s0 in [0, 3], ...
#ifndef AFFIRM_EMIT_EMITTERS_ROW_PLAN_H_
#define AFFIRM_EMIT_EMITTERS_ROW_PLAN_H_

#include "emit/plan/launch.h"
#include "emit/plan/row_fusion.h"
#include "verify/reference/evaluation_order.h"

namespace affirm::emit {

struct RowPlan {
  LaunchShape launch;
  int64_t threads = 0;    // of a row
  int64_t registers = 0;  // elements of a row that a thread holds
  IndexingMap elements;   // to the element of the array; a bijection onto it
  IndexingMap held;       // the same with one more result: which of its elements that is
  IndexingMap row;        // each thread to its row, where there is one
  IndexingMap first;      // the first thread of each row to it; a bijection onto the rows
  hlo::EvaluationOrder order;

  int64_t lanes() const;  // of a warp, that hold a row or a part of one
  int64_t warps() const;  // that hold one row
};

RowPlan MakeRowPlan(Context& context, const RowFusion& fusion);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_ROW_PLAN_H_
