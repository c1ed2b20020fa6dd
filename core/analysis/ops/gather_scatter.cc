// Maps of gather and scatter (XLA's operation semantics, batching dims included). A gather of rows,
// f32[5,8] from f32[100,8] at the indices s32[5], reads (d0, d1){rt0} -> (rt0, d1), where rt0 is
// element d0 of the indices, clamped to [0, 99].
#include <algorithm>

#include "core/analysis/ops/op_helpers.h"
#include "core/analysis/runtime_indices.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

// How the dims of an indexed array relate to those of the indices and of the windows: gather's
// names; scatter's are its mirror image.
struct Indexed {
  llvm::ArrayRef<int64_t> array;          // sizes
  llvm::ArrayRef<int64_t> indices;        // sizes
  llvm::ArrayRef<int64_t> windows;        // sizes of the gathered result / of the updates
  llvm::ArrayRef<int64_t> window_dims;    // of `windows`: run over a slice
  llvm::ArrayRef<int64_t> collapsed;      // of `array`: slices have size one there
  llvm::ArrayRef<int64_t> array_batch;    // of `array`, paired with
  llvm::ArrayRef<int64_t> indices_batch;  // these of `indices`
  llvm::ArrayRef<int64_t> index_map;      // start component k belongs to this dim of `array`
  int64_t vector_dim;  // of `indices`; its rank when the vectors are single components
};

int64_t Rank(llvm::ArrayRef<int64_t> sizes) { return static_cast<int64_t>(sizes.size()); }

bool IsWellFormedIndexing(const Indexed& x) {
  bool dims_ok = AreDistinctDims(x.window_dims, Rank(x.windows)) &&
                 AreDistinctDims(x.collapsed, Rank(x.array)) &&
                 AreDistinctDims(x.array_batch, Rank(x.array)) &&
                 AreDistinctDims(x.indices_batch, Rank(x.indices)) &&
                 AreDistinctDims(x.index_map, Rank(x.array)) &&
                 x.array_batch.size() == x.indices_batch.size() && x.vector_dim >= 0 &&
                 x.vector_dim <= Rank(x.indices) && !Contains(x.indices_batch, x.vector_dim);
  if (!dims_ok) return false;
  bool explicit_vector = x.vector_dim < Rank(x.indices);
  int64_t batch_dims = Rank(x.indices) - (explicit_vector ? 1 : 0);
  int64_t components = explicit_vector ? x.indices[x.vector_dim] : 1;
  return components == Rank(x.index_map) && Rank(x.windows) == batch_dims + Rank(x.window_dims) &&
         Rank(x.window_dims) + Rank(x.collapsed) + Rank(x.array_batch) == Rank(x.array);
}

// The index, in the array of indices, of component `component` of the start vector that belongs to
// an index of `windows`.
std::vector<SymbolicExpr> StartPlace(const Indexed& x, SymbolicExpr component,
                                     llvm::ArrayRef<SymbolicExpr> window_index) {
  std::vector<SymbolicExpr> batch;
  for (int64_t d = 0; d < Rank(x.windows); ++d) {
    if (!Contains(x.window_dims, d)) batch.push_back(window_index[d]);
  }
  std::vector<SymbolicExpr> place;
  place.reserve(Rank(x.indices));
  size_t next = 0;
  for (int64_t i = 0; i < Rank(x.indices); ++i) {
    place.push_back(i == x.vector_dim ? component : batch[next++]);
  }
  return place;
}

// The coordinate within the slice of each dim of the array, from an index of `windows`; null where
// slices have size one.
std::vector<SymbolicExpr> OffsetInSlice(const Indexed& x,
                                        llvm::ArrayRef<SymbolicExpr> window_index) {
  std::vector<int64_t> window_dims(x.window_dims.begin(), x.window_dims.end());
  std::sort(window_dims.begin(), window_dims.end());
  std::vector<SymbolicExpr> offsets(x.array.size());
  size_t next = 0;
  for (int64_t j = 0; j < Rank(x.array); ++j) {
    if (Contains(x.collapsed, j) || Contains(x.array_batch, j)) continue;
    offsets[j] = window_index[window_dims[next++]];
  }
  return offsets;
}

// The coordinate of a batching dim of the array: that of its partner in the indices.
SymbolicExpr BatchCoordinate(const Indexed& x, int64_t pair, llvm::ArrayRef<SymbolicExpr> place) {
  return place[x.indices_batch[pair]];
}

Indexed GatherView(const hlo::Instruction& op) {
  const hlo::Attributes& a = op.attributes;
  return {op.operands[0]->shape.dims,
          op.operands[1]->shape.dims,
          op.shape.dims,
          a.offset_dims,
          a.collapsed_slice_dims,
          a.operand_batching_dims,
          a.start_indices_batching_dims,
          a.start_index_map,
          a.index_vector_dim};
}

// The number of inputs of a variadic scatter; operands are inputs, indices, updates.
size_t ScatterInputs(const hlo::Instruction& op) { return op.operands.size() / 2; }

Indexed ScatterView(const hlo::Instruction& op) {
  const hlo::Attributes& a = op.attributes;
  size_t n = ScatterInputs(op);
  return {op.operands[0]->shape.dims,
          op.operands[n]->shape.dims,
          op.operands[n + 1]->shape.dims,
          a.update_window_dims,
          a.inserted_window_dims,
          a.input_batching_dims,
          a.scatter_indices_batching_dims,
          a.scatter_dims_to_operand_dims,
          a.index_vector_dim};
}

// The update elements that may land on an element of the result: the index along a window is that
// of the element where the window has no start component, and everything elsewhere.
IndexingMap ScatterUpdates(const Indexed& x, Context& context) {
  std::vector<SymbolicExpr> results;
  results.reserve(Rank(x.windows));
  for (int64_t i = 0; i < Rank(x.windows); ++i) results.push_back(context.Range(i));
  std::vector<Constraint> constraints;
  std::vector<SymbolicExpr> offsets = OffsetInSlice(x, results);
  std::vector<SymbolicExpr> place = StartPlace(x, context.Constant(0), results);
  for (size_t p = 0; p < x.array_batch.size(); ++p) {
    SymbolicExpr gap = BatchCoordinate(x, p, place) - context.Dim(x.array_batch[p]);
    constraints.push_back({gap, Interval::Point(0)});
  }
  for (int64_t j = 0; j < Rank(x.array); ++j) {
    if (!offsets[j] || Contains(x.index_map, j)) continue;
    // Ranges of the window are replaced by the dim they are equal to.
    for (SymbolicExpr& r : results) {
      if (r == offsets[j]) r = context.Dim(j);
    }
    int64_t size = x.windows[offsets[j].value()];
    constraints.push_back({context.Dim(j), {0, size - 1}});
  }
  return Canonical(IndexingMap::FromShapes(context, results, x.array, x.windows, constraints));
}

}  // namespace

// Dim j of the operand is read at the clamped start component that belongs to it plus the offset
// within the slice.
InstructionIndexing GatherOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  Context& context = session.context;
  Indexed x = GatherView(op);
  const std::vector<int64_t>& slice_sizes = op.attributes.slice_sizes;
  if (!IsWellFormedIndexing(x) || slice_sizes.size() != x.array.size()) {
    return UnknownOutputToInput(op, 0, session);
  }
  std::vector<SymbolicExpr> dims = Dims(context, op.shape.rank());
  std::vector<SymbolicExpr> results = OffsetInSlice(x, dims);
  RuntimeIndices indices(session, op.shape.dims);
  for (SymbolicExpr& e : results) e = e ? e : context.Constant(0);
  // Runtime variables are numbered by the dims of the operand, whichever component is theirs.
  for (int64_t j = 0; j < Rank(x.array); ++j) {
    auto component = llvm::find(x.index_map, j);
    if (component == x.index_map.end()) continue;
    std::vector<SymbolicExpr> place =
        StartPlace(x, context.Constant(component - x.index_map.begin()), dims);
    results[j] = results[j] + indices.Add(*op.operands[1], place, x.array[j] - slice_sizes[j]);
  }
  std::vector<SymbolicExpr> place = StartPlace(x, context.Range(0), dims);
  for (size_t p = 0; p < x.array_batch.size(); ++p) {
    results[x.array_batch[p]] = BatchCoordinate(x, static_cast<int64_t>(p), place);
  }
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(Exact(indices.Build(results)));
  std::vector<int64_t> vector;
  if (x.vector_dim < Rank(x.indices)) vector.push_back(x.indices[x.vector_dim]);
  out.maps[1].push_back(Exact(IndexingMap::FromShapes(context, place, op.shape.dims, vector)));
  return out;
}

// Any index vector may point at the element, so the maps are over-approximate.
InstructionIndexing ScatterOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  size_t n = ScatterInputs(op);
  const hlo::Shape& result = *LeafShape(op.shape, id);
  if (op.operands.size() != 2 * n + 1 || n == 0) return UnknownOutputToInput(op, id, session);
  Indexed x = ScatterView(op);
  if (!IsWellFormedIndexing(x) || x.array != llvm::ArrayRef<int64_t>(result.dims)) {
    return UnknownOutputToInput(op, id, session);
  }
  InstructionIndexing out = NothingRead(op);
  IndexingMap updates = ScatterUpdates(x, session.context);
  for (size_t k = 0; k < n; ++k) {
    out.maps[k].push_back(OverApproximate(IndexingMap::Identity(session.context, result.dims)));
    out.maps[n + 1 + k].push_back(OverApproximate(updates));
  }
  out.maps[n].push_back(
      OverApproximate(ReadsAll(session.context, result.dims, op.operands[n]->shape.dims)));
  return out;
}

}  // namespace affirm::analysis
