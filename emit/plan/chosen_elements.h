// What a gather chooses of rows that a kernel holds in registers, taken from these. Of
//
//   gather(x: f32[3,1000], label: s32[3]): f32[3]          (the logits of the right classes)
//
// x becomes the broadcast over each row of
//
//   or over k of (k == clamp(0, label, 999) ? bits of x[row, k] : 0), as f32
//
// so that no element of x is read a second time, at an address that is data. One of these numbers
// is chosen, and the or of it and zeros is itself, NaNs included.
#ifndef AFFIRM_EMIT_PLAN_CHOSEN_ELEMENTS_H_
#define AFFIRM_EMIT_PLAN_CHOSEN_ELEMENTS_H_

#include <optional>

#include "emit/plan/flat_graph.h"

namespace affirm::emit {

// The graph with this for each op that takes one element of each row of an array: gathers as those
// of take_along_axis, and dynamic slices of one element. Nothing where there is none. It is meant
// for kernels that have all elements of a row in any case (row_fusion.h): to others they would be
// much to read.
std::optional<FlatGraph> WithChosenElements(const FlatGraph& graph);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_CHOSEN_ELEMENTS_H_
