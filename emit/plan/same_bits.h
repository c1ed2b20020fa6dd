// Which bitcasts keep each element in place, with another type.
#ifndef AFFIRM_EMIT_PLAN_SAME_BITS_H_
#define AFFIRM_EMIT_PLAN_SAME_BITS_H_

#include "core/hlo/shape.h"

namespace affirm::emit {

// Whether values of the types have the same width. False for predicates, whose width differs
// between compilers.
//
//   f32, s32: yes      f32, s16: no      pred, s8: no
inline bool HaveSameBits(hlo::PrimitiveType from, hlo::PrimitiveType to) {
  if (from == to) return true;
  return from != hlo::PrimitiveType::kPred && to != hlo::PrimitiveType::kPred &&
         hlo::BitWidth(from) == hlo::BitWidth(to);
}

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_SAME_BITS_H_
