// The leaves of a shape: the arrays and tokens that a value is made of. A tuple has those of its
// elements in order (nested ones flattened), anything else is one leaf.
#ifndef AFFIRM_CORE_HLO_LEAVES_H_
#define AFFIRM_CORE_HLO_LEAVES_H_

#include <cstdint>
#include <vector>

#include "core/hlo/shape.h"

namespace affirm::hlo {

std::vector<const Shape*> LeafShapes(const Shape& shape);
int64_t NumLeaves(const Shape& shape);
// Leaf `id`; null when there is none.
const Shape* LeafShape(const Shape& shape, int64_t id);
// The number of the first leaf of an element of a tuple; -1 when there is no such element.
int64_t FirstLeafOfElement(const Shape& tuple, int64_t element);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_LEAVES_H_
