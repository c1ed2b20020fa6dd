// Instances of gather and scatter, from one description of how index vectors address an array.
#include <algorithm>

#include "fuzz/generators/ops/families.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::fuzz {
namespace {

// Windows of an array at the starts that an array of indices names.
struct Addressing {
  Sizes window;             // size per dim of the operand
  Sizes dropped, batching;  // dims of the operand without a dim in the window
  Sizes index_map;          // dim of the operand for each number of an index vector
  Sizes indices;            // sizes of the array of indices
  Sizes index_batching;     // its dims that pair up with `batching`
  int64_t vector_dim = 0;   // its dim along which an index vector lies
  Sizes window_dims;        // where the dims of the window stand in the gathered array
  Sizes gathered;           // its sizes
};

// Batch dims, the paired ones among them at random places, then the dim of the index vectors, which
// may be left out when they have one number.
void PlaceIndices(OpBuilder& b, Addressing& a, const Sizes& operand) {
  const int64_t most = std::max<int64_t>(b.limits().max_rank - 1, std::ssize(a.batching));
  Sizes batch(b.Small(std::ssize(a.batching), most));
  Sizes places = b.Permutation(std::ssize(batch));
  places.resize(a.batching.size());
  int64_t budget = b.limits().max_elements;
  for (int64_t size : a.window) budget /= std::max<int64_t>(size, 1);
  for (int64_t& size : batch) {
    size = b.Size(1, budget);
    budget /= size;
  }
  for (size_t i = 0; i < places.size(); ++i) batch[places[i]] = operand[a.batching[i]];
  const bool scalars = a.index_map.size() == 1 && b.Flip();
  a.vector_dim = scalars ? std::ssize(batch) : b.Small(0, std::ssize(batch));
  a.indices = batch;
  if (!scalars) {
    a.indices.insert(a.indices.begin() + a.vector_dim, std::ssize(a.index_map));
    for (int64_t& place : places) place += place >= a.vector_dim;
  }
  a.index_batching = places;
  // The gathered array: its batch dims in order, the window's dims at random rising places.
  Sizes kept;
  for (int64_t d = 0; d < std::ssize(operand); ++d) {
    if (!llvm::is_contained(a.dropped, d) && !llvm::is_contained(a.batching, d)) {
      kept.push_back(a.window[d]);
    }
  }
  a.window_dims = b.Permutation(std::ssize(batch) + std::ssize(kept));
  a.window_dims.resize(kept.size());
  llvm::sort(a.window_dims);
  size_t next_batch = 0, next_kept = 0;
  for (int64_t d = 0; d < std::ssize(batch) + std::ssize(kept); ++d) {
    const bool is_window = llvm::is_contained(a.window_dims, d);
    a.gathered.push_back(is_window ? kept[next_kept++] : batch[next_batch++]);
  }
}

Addressing AnyAddressing(OpBuilder& b, const Sizes& operand) {
  Addressing a;
  const auto rank = std::ssize(operand);
  for (int64_t d = 0; d < rank; ++d) {
    // A dropped dim has a window of one, or of none where the array has none.
    const bool has_one = operand[d] > 0;
    const int64_t kind = has_one ? b.Small(0, 4) : 4;
    if (kind == 0 || kind == 1) {
      a.dropped.push_back(d);
    } else if (kind == 2 && b.Flip()) {
      a.batching.push_back(d);
    }
    a.window.push_back(kind <= 2 && has_one
                           ? 1
                           : operand[d] - b.UpTo(operand[d] - std::min<int64_t>(1, operand[d])));
  }
  Sizes order = b.Permutation(rank);
  llvm::erase_if(order, [&](int64_t d) { return llvm::is_contained(a.batching, d); });
  order.resize(b.Small(std::min<int64_t>(1, std::ssize(order)), std::ssize(order)));
  a.index_map = order;
  PlaceIndices(b, a, operand);
  return a;
}

Instruction* IndexOperand(OpBuilder& b, const Addressing& a) {
  const PrimitiveType type = b.AnyType(TypeClass::kInteger);
  return b.Operand(b.Array(type, a.indices));
}

Instruction* Gather(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  const Addressing a = AnyAddressing(b, operand->shape.dims);
  Attributes attributes;
  attributes.slice_sizes = a.window;
  attributes.collapsed_slice_dims = a.dropped;
  attributes.operand_batching_dims = a.batching;
  attributes.start_indices_batching_dims = a.index_batching;
  attributes.start_index_map = a.index_map;
  attributes.index_vector_dim = a.vector_dim;
  attributes.offset_dims = a.window_dims;
  attributes.indices_are_sorted = b.choices().OneIn(8);
  return b.Add(opcode, {operand, IndexOperand(b, a)}, attributes);
}

// One or several operands of one size, with the same windows.
Instruction* Scatter(OpBuilder& b, Opcode opcode) {
  Instruction* operand = b.MainOperand();
  const Addressing a = AnyAddressing(b, operand->shape.dims);
  Attributes attributes;
  attributes.inserted_window_dims = a.dropped;
  attributes.input_batching_dims = a.batching;
  attributes.scatter_indices_batching_dims = a.index_batching;
  attributes.scatter_dims_to_operand_dims = a.index_map;
  attributes.index_vector_dim = a.vector_dim;
  attributes.update_window_dims = a.window_dims;
  std::vector<Instruction*> operands = {operand};
  if (b.limits().tuples && b.choices().OneIn(4)) {
    operands.push_back(b.Operand(b.Array(b.AnyType(TypeClass::kNumber), operand->shape.dims)));
  }
  std::vector<PrimitiveType> types;
  std::vector<Opcode> combine;
  for (const Instruction* o : operands) {
    types.push_back(o->shape.type);
    combine.push_back(b.CombiningOpcode(types.back()));
  }
  operands.push_back(IndexOperand(b, a));
  for (PrimitiveType type : types) operands.push_back(b.Operand(b.Array(type, a.gathered)));
  return b.Add(opcode, operands, attributes, {}, {{"to_apply", b.Combiner(types, combine)}});
}

constexpr OpEntry kGatherScatterOps[] = {
    {Opcode::kGather, Gather},
    {Opcode::kScatter, Scatter},
};

}  // namespace

llvm::ArrayRef<OpEntry> GatherScatterFamily() { return kGatherScatterOps; }

}  // namespace affirm::fuzz
