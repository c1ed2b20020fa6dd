// Rewrites a gather of one element per row to a one-hot selection, for kernels that hold the rows
// in registers. In
//
//   gather(x: f32[3,1000], label: s32[3]): f32[3]          (the logits of the right classes)
//
// x becomes the broadcast over each row of
//
//   or over k of (k == clamp(0, label, 999) ? bits of x[row, k] : 0), as f32
//
// so that no element of x is read again, at a data-dependent address. Exactly one value is
// selected, and its `or` with zeros is itself, NaNs included.
#ifndef AFFIRM_EMIT_PLAN_CHOSEN_ELEMENTS_H_
#define AFFIRM_EMIT_PLAN_CHOSEN_ELEMENTS_H_

#include <optional>

#include "emit/plan/flat_graph.h"

namespace affirm::emit {

// Rewrites each op that takes one element of each row of an array: gathers as in take_along_axis,
// and dynamic slices of one element. nullopt if there is none. Only useful for kernels that read
// whole rows anyway (row_fusion.h).
std::optional<FlatGraph> WithChosenElements(const FlatGraph& graph);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_CHOSEN_ELEMENTS_H_
