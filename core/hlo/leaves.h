// The leaves of a shape: the arrays and tokens that a value is made of. A tuple has those of its
// elements in order (nested ones flattened), anything else is one leaf. For example,
//   (f32[2], (s32[], token[]), f32[3])
// has the leaves 0: f32[2], 1: s32[], 2: token[] and 3: f32[3]; element 2 starts at leaf 3.
#ifndef AFFIRM_CORE_HLO_LEAVES_H_
#define AFFIRM_CORE_HLO_LEAVES_H_

#include <cstdint>
#include <vector>

#include "core/hlo/shape.h"

namespace affirm::hlo {

// One leaf of a shape, which must outlive it, and its number.
struct LeafRef {
  int64_t index = -1;
  const Shape* shape = nullptr;
};
// All leaves in order.
std::vector<LeafRef> Leaves(const Shape& shape);
// The same without their numbers.
std::vector<const Shape*> LeafShapes(const Shape& shape);
int64_t NumLeavesOfTuple(const Shape& shape);
inline int64_t NumLeaves(const Shape& shape) {
  return shape.IsTuple() ? NumLeavesOfTuple(shape) : 1;
}
// Leaf `id`; null when there is none.
const Shape* LeafShape(const Shape& shape, int64_t id);
// The number of the first leaf of an element of a tuple; -1 when there is no such element.
int64_t FirstLeafOfElement(const Shape& tuple, int64_t element);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_LEAVES_H_
