// Walks the leaves of a shape.
#include "core/hlo/leaves.h"

namespace affirm::hlo {
namespace {

void Collect(const Shape& shape, std::vector<const Shape*>& leaves) {
  if (!shape.IsTuple()) {
    leaves.push_back(&shape);
    return;
  }
  for (const Shape& element : shape.tuple) Collect(element, leaves);
}

// The leaf that `left` others come before; counts those of the shape down where it has fewer.
const Shape* FindLeaf(const Shape& shape, int64_t& left) {
  if (!shape.IsTuple()) return left-- == 0 ? &shape : nullptr;
  for (const Shape& element : shape.tuple) {
    if (left > 0 && !element.IsTuple())
      --left;
    else if (const Shape* leaf = FindLeaf(element, left))
      return leaf;
  }
  return nullptr;
}

}  // namespace

std::vector<const Shape*> LeafShapes(const Shape& shape) {
  std::vector<const Shape*> leaves;
  Collect(shape, leaves);
  return leaves;
}

std::vector<LeafRef> Leaves(const Shape& shape) {
  std::vector<LeafRef> leaves;
  for (const Shape* leaf : LeafShapes(shape)) leaves.push_back({std::ssize(leaves), leaf});
  return leaves;
}

int64_t NumLeavesOfTuple(const Shape& shape) {
  int64_t count = 0;
  for (const Shape& element : shape.tuple) count += NumLeaves(element);
  return count;
}

const Shape* LeafShape(const Shape& shape, int64_t id) {
  return id < 0 ? nullptr : FindLeaf(shape, id);
}

int64_t FirstLeafOfElement(const Shape& tuple, int64_t element) {
  if (element < 0 || element >= std::ssize(tuple.tuple)) return -1;
  int64_t leaf = 0;
  for (int64_t i = 0; i < element; ++i) leaf += NumLeaves(tuple.tuple[i]);
  return leaf;
}

}  // namespace affirm::hlo
