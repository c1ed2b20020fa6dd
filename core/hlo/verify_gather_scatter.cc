// Shape rules of gather and scatter.
#include "core/hlo/shape_inference.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::hlo {
namespace {

using Expected = llvm::Expected<Shape>;
using Ints = std::vector<int64_t>;

// The sizes of the index array without the dimension that holds an index vector, which may be one
// past the last: then every index is a scalar.
llvm::Expected<Ints> BatchSizes(const Shape& indices, int64_t index_vector_dim) {
  if (!IsInt(indices.type)) {
    return Violation("expected an array of integers as indices, found " + indices.ToString(false));
  }
  if (index_vector_dim < 0 || index_vector_dim > indices.rank()) {
    return Violation("expected index_vector_dim from 0 to " + llvm::Twine(indices.rank()) +
                     ", found " + llvm::Twine(index_vector_dim));
  }
  return SizesWithout(indices, index_vector_dim);
}

llvm::Error CheckIndexVector(const Shape& indices, int64_t index_vector_dim, size_t expected,
                             llvm::StringRef what) {
  const int64_t length = index_vector_dim == indices.rank() ? 1 : indices.dims[index_vector_dim];
  if (SameSizes(length, static_cast<int64_t>(expected))) return llvm::Error::success();
  return Violation("expected " + llvm::Twine(length) + " dimensions in " + what +
                   ", one for each number of an index, found " + llvm::Twine(expected));
}

// Batching dimensions of the operand pair up with equal ones of the indices.
llvm::Error CheckBatching(const Shape& operand, llvm::ArrayRef<int64_t> operand_dims,
                          const Shape& indices, llvm::ArrayRef<int64_t> index_dims,
                          int64_t index_vector_dim) {
  if (operand_dims.size() != index_dims.size()) {
    return Violation("expected as many batching dimensions of the operand as of the indices");
  }
  if (llvm::Error error =
          CheckDimensions(index_dims, indices.rank(), "batching dimensions of the indices")) {
    return error;
  }
  if (llvm::is_contained(index_dims, index_vector_dim)) {
    return Violation("expected other batching dimensions of the indices than index_vector_dim, " +
                     llvm::Twine(index_vector_dim));
  }
  for (size_t i = 0; i < operand_dims.size(); ++i) {
    if (!SameSizes(operand.dims[operand_dims[i]], indices.dims[index_dims[i]])) {
      return Violation("expected batching dimensions of the same size in operand and indices");
    }
  }
  return llvm::Error::success();
}

// Batch sizes and window sizes in the order of the result: windows stand at `window_dims`.
Ints Interleave(llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> window,
                llvm::ArrayRef<int64_t> window_dims) {
  Ints sizes;
  size_t next_batch = 0;
  size_t next_window = 0;
  for (size_t d = 0; d < batch.size() + window.size(); ++d) {
    const bool is_window = llvm::is_contained(window_dims, static_cast<int64_t>(d));
    sizes.push_back(is_window ? window[next_window++] : batch[next_batch++]);
  }
  return sizes;
}

llvm::Error CheckSliceSizes(const Shape& operand, llvm::ArrayRef<int64_t> slice_sizes,
                            llvm::ArrayRef<int64_t> dropped) {
  if (slice_sizes.size() != operand.dims.size()) {
    return Violation("expected " + llvm::Twine(operand.rank()) + " slice_sizes, found " +
                     llvm::Twine(slice_sizes.size()));
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const bool inside = operand.dims[d] == kUnboundedSize || slice_sizes[d] <= operand.dims[d];
    if (slice_sizes[d] < 0 || !inside) {
      return Violation("expected a slice size of at most " + llvm::Twine(operand.dims[d]) +
                       " for dimension " + llvm::Twine(d) + ", found " +
                       llvm::Twine(slice_sizes[d]));
    }
    if (llvm::is_contained(dropped, d) && slice_sizes[d] > 1) {
      return Violation("expected a slice size of at most 1 for dimension " + llvm::Twine(d) +
                       ", which the result drops, found " + llvm::Twine(slice_sizes[d]));
    }
  }
  return llvm::Error::success();
}

Expected Gather(const Instruction& instruction) {
  for (int64_t i : {0, 1}) {
    if (llvm::Error error = CheckArray(instruction, i)) return error;
  }
  const Attributes& a = instruction.attributes;
  const Shape& operand = instruction.operands[0]->shape;
  const Shape& indices = instruction.operands[1]->shape;
  llvm::Expected<Ints> batch = BatchSizes(indices, a.index_vector_dim);
  if (!batch) return batch.takeError();
  const Ints dropped = Joined(a.collapsed_slice_dims, a.operand_batching_dims);
  if (llvm::Error error = CheckDimensions(dropped, operand.rank(), "dropped dimensions")) {
    return error;
  }
  if (llvm::Error error = CheckDimensions(Joined(a.start_index_map, a.operand_batching_dims),
                                          operand.rank(), "dimensions in start_index_map")) {
    return error;
  }
  if (llvm::Error error = CheckIndexVector(indices, a.index_vector_dim, a.start_index_map.size(),
                                           "start_index_map")) {
    return error;
  }
  if (llvm::Error error = CheckBatching(operand, a.operand_batching_dims, indices,
                                        a.start_indices_batching_dims, a.index_vector_dim)) {
    return error;
  }
  if (llvm::Error error = CheckSliceSizes(operand, a.slice_sizes, dropped)) return error;
  const Ints window = SizesWithout(Shape::Array(operand.type, a.slice_sizes), dropped);
  const auto rank = static_cast<int64_t>(batch->size() + window.size());
  if (llvm::Error error = CheckDimensions(a.offset_dims, rank, "offset_dims")) return error;
  if (a.offset_dims.size() != window.size()) {
    return Violation("expected " + llvm::Twine(window.size()) + " offset_dims, found " +
                     llvm::Twine(a.offset_dims.size()));
  }
  if (!llvm::is_sorted(a.offset_dims)) return Violation("expected offset_dims in rising order");
  Shape result = Shape::Array(operand.type, Interleave(*batch, window, a.offset_dims));
  // A slice without elements has none to give to a result that drops its dimension.
  auto empty = llvm::find_if(dropped, [&](int64_t d) { return a.slice_sizes[d] == 0; });
  if (empty != dropped.end() && !llvm::is_contained(result.dims, 0)) {
    return Violation("expected a slice size of 1 for dimension " + llvm::Twine(*empty) +
                     ", which the result " + result.ToString(false) + " drops, found 0");
  }
  return result;
}

// An update has the batch sizes of the indices, and windows no larger than the operand.
llvm::Error CheckUpdate(const Attributes& a, const Shape& operand, llvm::ArrayRef<int64_t> batch,
                        const Shape& update) {
  const Ints dropped = Joined(a.inserted_window_dims, a.input_batching_dims);
  const Ints bounds = SizesWithout(operand, dropped);
  const auto rank = static_cast<int64_t>(batch.size() + bounds.size());
  if (update.rank() != rank || a.update_window_dims.size() != bounds.size()) {
    return Violation("expected updates of rank " + llvm::Twine(rank) + " with " +
                     llvm::Twine(bounds.size()) + " update_window_dims, found " +
                     update.ToString(false) + " with " + llvm::Twine(a.update_window_dims.size()));
  }
  if (llvm::Error error = CheckDimensions(a.update_window_dims, rank, "update_window_dims")) {
    return error;
  }
  if (!llvm::is_sorted(a.update_window_dims)) {
    return Violation("expected update_window_dims in rising order");
  }
  const Ints largest = Interleave(batch, bounds, a.update_window_dims);
  for (int64_t d = 0; d < rank; ++d) {
    const bool unknown = largest[d] == kUnboundedSize || update.dims[d] == kUnboundedSize;
    const bool is_window = llvm::is_contained(a.update_window_dims, d);
    const bool fits = is_window ? update.dims[d] <= largest[d] : update.dims[d] == largest[d];
    if (!unknown && !fits) {
      return Violation("expected " + llvm::Twine(is_window ? "at most " : "") +
                       llvm::Twine(largest[d]) + " elements in dimension " + llvm::Twine(d) +
                       " of the updates, found " + llvm::Twine(update.dims[d]));
    }
  }
  return llvm::Error::success();
}

// N operands, the indices, N updates.
Expected Scatter(const Instruction& instruction) {
  const size_t count = instruction.operands.size();
  if (count < 3 || count % 2 == 0) {
    return Violation("expected operands, indices and as many updates for scatter, found " +
                     llvm::Twine(count) + " operands");
  }
  for (size_t i = 0; i < count; ++i) {
    if (llvm::Error error = CheckArray(instruction, static_cast<int64_t>(i))) return error;
  }
  const Attributes& a = instruction.attributes;
  const size_t n = count / 2;
  const Shape& indices = instruction.operands[n]->shape;
  llvm::Expected<Ints> batch = BatchSizes(indices, a.index_vector_dim);
  if (!batch) return batch.takeError();
  if (llvm::Error error =
          CheckIndexVector(indices, a.index_vector_dim, a.scatter_dims_to_operand_dims.size(),
                           "scatter_dims_to_operand_dims")) {
    return error;
  }
  std::vector<Shape> results;
  for (size_t i = 0; i < n; ++i) {
    const Shape& operand = instruction.operands[i]->shape;
    const Shape& update = instruction.operands[n + 1 + i]->shape;
    if (!SameTypeUpToPrecision(operand.type, update.type) ||
        !SameSizes(operand.dims, instruction.operands[0]->shape.dims)) {
      return Violation("expected operands of one size, with updates of their element type, found " +
                       operand.ToString(false) + " and " + update.ToString(false));
    }
    if (llvm::Error error = CheckDimensions(Joined(a.inserted_window_dims, a.input_batching_dims),
                                            operand.rank(), "inserted_window_dims")) {
      return error;
    }
    if (llvm::Error error =
            CheckDimensions(Joined(a.scatter_dims_to_operand_dims, a.input_batching_dims),
                            operand.rank(), "scatter_dims_to_operand_dims")) {
      return error;
    }
    if (llvm::Error error = CheckBatching(operand, a.input_batching_dims, indices,
                                          a.scatter_indices_batching_dims, a.index_vector_dim)) {
      return error;
    }
    if (llvm::Error error = CheckUpdate(a, operand, *batch, update)) return error;
    results.push_back(Shape::Array(operand.type, operand.dims));
  }
  if (llvm::Error error = CheckCombiner(instruction, n)) return error;
  return n == 1 ? results[0] : Shape::Tuple(std::move(results));
}

constexpr OpcodeRule kGatherScatterRules[] = {
    {Opcode::kGather, Gather},
    {Opcode::kScatter, Scatter},
};

}  // namespace

llvm::ArrayRef<OpcodeRule> GatherScatterRules() { return kGatherScatterRules; }

}  // namespace affirm::hlo
