#include "verify/enclosure/evaluation.h"

#include "llvm/ADT/STLExtras.h"

namespace affirm::enclosure {

namespace {

void AddLeaves(const hlo::Literal& value, std::vector<const hlo::Literal*>& leaves) {
  if (!value.shape().IsTuple()) return leaves.push_back(&value);
  for (const hlo::Literal& element : value.tuple()) AddLeaves(element, leaves);
}

}  // namespace

std::vector<const hlo::Literal*> LeavesOf(const hlo::Literal& value) {
  std::vector<const hlo::Literal*> leaves;
  AddLeaves(value, leaves);
  return leaves;
}

int64_t CountOf(const hlo::Literal& leaf) {
  return leaf.shape().IsArray() ? leaf.NumElements() : 0;
}

bool IsExact(const EnclosedValue& value) {
  return llvm::all_of(value.leaves, [](const LeafEnclosures& leaf) { return leaf.empty(); });
}

bool AreExact(EnclosedOperands operands) {
  return llvm::all_of(operands, [](const EnclosedValue* operand) { return IsExact(*operand); });
}

EnclosedValue Hull(EnclosedValue a, const EnclosedValue& b) {
  std::vector<LeafEnclosures> hulls(a.leaves.size());
  for (auto [k, leaf] : llvm::enumerate(LeavesOf(a.value))) {
    const hlo::PrimitiveType type = leaf->shape().type;
    for (int64_t i = 0; i < CountOf(*leaf); ++i)
      hulls[k].push_back(Hull(type, a.At(k, i), b.At(k, i)));
  }
  a.leaves = std::move(hulls);
  return a;
}

std::vector<int64_t> SlicePositions(const hlo::Shape& array, int64_t dimension, int64_t position) {
  int64_t stride = 1;
  for (int64_t d = dimension + 1; d < array.rank(); ++d) stride *= array.dims[d];
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < array.NumElements(); ++i) {
    if (i / stride % array.dims[dimension] == position) positions.push_back(i);
  }
  return positions;
}

EnclosedValue SliceOf(const EnclosedValue& array, int64_t dimension, int64_t position) {
  const hlo::Shape& shape = array.value.shape();
  std::vector<int64_t> dims = shape.dims;
  dims.erase(dims.begin() + dimension);
  EnclosedValue slice = {hlo::Literal(hlo::Shape::Array(shape.type, std::move(dims))), {{}}};
  for (auto [to, from] : llvm::enumerate(SlicePositions(shape, dimension, position))) {
    hlo::Store(slice.value, static_cast<int64_t>(to), hlo::Load(array.value, from));
    if (!IsExact(array)) slice.leaves[0].push_back(array.At(0, from));
  }
  return slice;
}

void Evaluation::MakeWhole(std::optional<size_t> only) {
  is_known = false;
  for (auto [k, leaf] : llvm::enumerate(LeavesOf(result.value))) {
    if (only && *only != k) continue;
    result.leaves[k].assign(CountOf(*leaf), Enclosure::Whole(leaf->shape().type));
  }
}

}  // namespace affirm::enclosure
