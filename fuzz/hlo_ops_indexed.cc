// How the generator builds ops whose places are known at run time only.
#include <algorithm>

#include "fuzz/hlo_body.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::PrimitiveType;
using hlo::Shape;

// Start indices of one integer type, one a dimension.
bool AddStarts(HloBody& body, int64_t rank, std::vector<Instruction*>& operands) {
  PrimitiveType type = body.Type(kInteger);
  if (type == PrimitiveType::kInvalid) return false;
  for (int64_t d = 0; d < rank; ++d) operands.push_back(body.Scalar(type));
  return true;
}

Sizes Within(HloBody& body, const Sizes& sizes) {
  Sizes window;
  for (int64_t size : sizes) window.push_back(size - body.UpTo(size));
  return window;
}

Instruction* DynamicSlice(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  hlo::Attributes attributes;
  attributes.dynamic_slice_sizes = Within(body, operand->shape.dims);
  std::vector<Instruction*> operands = {operand};
  if (!AddStarts(body, operand->shape.rank(), operands)) return nullptr;
  return body.Add(opcode, operands, attributes);
}

Instruction* DynamicUpdateSlice(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  Sizes window = Within(body, operand->shape.dims);
  std::vector<Instruction*> operands = {operand, body.ArrayOf(operand->shape.type, window)};
  if (!AddStarts(body, operand->shape.rank(), operands)) return nullptr;
  return body.Add(opcode, operands);
}

// What gather and scatter share: which dimensions of the operand an index vector names, how large
// the slices are, and how the indices are laid out.
struct Indexing {
  Sizes mapped;       // start_index_map
  Sizes dropped;      // of size 1 in a slice, and not in the window
  Sizes slice_sizes;  // by dimension of the operand
  Sizes batch;        // sizes of the index array without the vector
  int64_t vector_dim = 0;
  Instruction* indices = nullptr;
  Sizes window;       // sizes of the slices without the dropped dimensions
  Sizes window_dims;  // where they stand among the batch sizes
};

Indexing AnyIndexing(HloBody& body, const Shape& operand) {
  Choices& choices = body.choices();
  Indexing result;
  result.mapped = body.Subset(operand.rank());
  if (choices.OneIn(2)) std::reverse(result.mapped.begin(), result.mapped.end());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    int64_t size = operand.dims[d];
    bool drop = size > 0 && choices.OneIn(3);
    if (drop) result.dropped.push_back(d);
    result.slice_sizes.push_back(drop ? 1 : size - body.UpTo(size));
    if (!drop) result.window.push_back(result.slice_sizes.back());
  }
  result.batch = body.SizesOf(choices.Pick<int64_t>({1, 0, 2}), 6);
  PrimitiveType type = body.Type(kInteger);
  int64_t rank = static_cast<int64_t>(result.batch.size());
  result.vector_dim = choices.Between(0, rank);
  Sizes sizes = result.batch;
  bool scalar = result.mapped.size() == 1 && choices.OneIn(2);
  if (scalar) result.vector_dim = rank;
  if (!scalar) {
    sizes.insert(sizes.begin() + result.vector_dim, static_cast<int64_t>(result.mapped.size()));
  }
  if (type != PrimitiveType::kInvalid) result.indices = body.ArrayOf(type, sizes);
  // The window dimensions are an increasing choice among all of the result.
  Sizes places = body.Permutation(rank + static_cast<int64_t>(result.window.size()));
  places.resize(result.window.size());
  llvm::sort(places);
  result.window_dims = places;
  return result;
}

Instruction* Gather(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kAnyType);
  if (!operand) return nullptr;
  Indexing indexing = AnyIndexing(body, operand->shape);
  hlo::Attributes attributes;
  attributes.start_index_map = indexing.mapped;
  attributes.collapsed_slice_dims = indexing.dropped;
  attributes.slice_sizes = indexing.slice_sizes;
  attributes.index_vector_dim = indexing.vector_dim;
  attributes.offset_dims = indexing.window_dims;
  return body.Add(opcode, {operand, indexing.indices}, attributes);
}

Instruction* Scatter(HloBody& body, Opcode opcode) {
  Instruction* operand = body.Array(kInteger | kFloat);
  if (!operand) return nullptr;
  PrimitiveType type = operand->shape.type;
  Indexing indexing = AnyIndexing(body, operand->shape);
  hlo::Attributes attributes;
  attributes.scatter_dims_to_operand_dims = indexing.mapped;
  attributes.inserted_window_dims = indexing.dropped;
  attributes.index_vector_dim = indexing.vector_dim;
  attributes.update_window_dims = indexing.window_dims;
  Sizes updates;
  size_t batch = 0, window = 0;
  for (size_t d = 0; d < indexing.batch.size() + indexing.window.size(); ++d) {
    bool in_window = llvm::is_contained(indexing.window_dims, static_cast<int64_t>(d));
    updates.push_back(in_window ? indexing.window[window++] : indexing.batch[batch++]);
  }
  Instruction* update = body.ArrayOf(type, updates);
  Opcode combine = body.choices().Pick({Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum});
  return body.Add(opcode, {operand, indexing.indices, update}, attributes, {},
                  {body.Combiner(combine, type)});
}

constexpr GraphOp kOps[] = {
    {Opcode::kDynamicSlice, DynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
    {Opcode::kGather, Gather},
    {Opcode::kScatter, Scatter, false},
};

}  // namespace

llvm::ArrayRef<GraphOp> IndexedGraphOps() { return kOps; }

}  // namespace affirm::fuzz
