// gather and scatter. An index vector gives the start of a window of the operand. gather clamps the
// start so that the window lies inside; scatter skips a window that does not.

#include "llvm/ADT/Sequence.h"
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

// The starts that an index array gives. The fields are named after gather's attributes.
struct StartIndices {
  const Query& q;
  int64_t operand;  // the number of the operand that holds the indices
  int64_t index_vector_dim;
  llvm::ArrayRef<int64_t> start_index_map, operand_batching, indices_batching;

  // The unclamped start in each dimension of an operand; zero if the array gives none. `batch` is
  // the index into the index array without the dimension of the index vectors.
  llvm::Expected<Index> At(llvm::ArrayRef<Term> batch, int64_t rank) const {
    Pool& pool = q.pool();
    Index starts(rank, pool.Number(0));
    for (size_t k = 0; k < start_index_map.size(); ++k) {
      Index index = batch.vec();
      if (index_vector_dim < q.operand(operand).rank())
        index.insert(index.begin() + index_vector_dim, pool.Number(static_cast<int64_t>(k)));
      Value start = q.Operand(operand, index);
      if (!start) return start.takeError();
      starts[start_index_map[k]] = terms::IntegerIn(q.scope(), *start, q.operand(operand).type);
    }
    for (size_t k = 0; k < operand_batching.size(); ++k) {
      // `batch` lacks the dimension of the index vectors, so later dimensions move down by one.
      const int64_t d = indices_batching[k];
      starts[operand_batching[k]] = batch[d > index_vector_dim ? d - 1 : d];
    }
    return starts;
  }
};

// The dimensions of a rank that are in none of the lists, rising.
std::vector<int64_t> Others(int64_t rank, llvm::ArrayRef<int64_t> a,
                            llvm::ArrayRef<int64_t> b = {}) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!llvm::is_contained(a, d) && !llvm::is_contained(b, d)) others.push_back(d);
  }
  return others;
}

Index Chosen(llvm::ArrayRef<Term> index, llvm::ArrayRef<int64_t> dims) {
  Index chosen;
  for (int64_t d : dims) chosen.push_back(index[d]);
  return chosen;
}

}  // namespace

Value Gather(const Query& q) {
  const hlo::Attributes& a = q.op.attributes;
  const std::vector<int64_t>& sizes = q.operand(0).dims;
  const StartIndices starts{q,
                            1,
                            a.index_vector_dim,
                            a.start_index_map,
                            a.operand_batching_dims,
                            a.start_indices_batching_dims};
  auto index =
      starts.At(Chosen(q.index, Others(q.op.shape.rank(), a.offset_dims)), std::ssize(sizes));
  if (!index) return index.takeError();
  for (size_t d = 0; d < sizes.size(); ++d)
    (*index)[d] = ClampedStart(q.scope(), (*index)[d], sizes[d] - a.slice_sizes[d]);
  const std::vector<int64_t> window =
      Others(std::ssize(sizes), a.collapsed_slice_dims, a.operand_batching_dims);
  for (size_t k = 0; k < window.size(); ++k)
    (*index)[window[k]] = q.pool().Add((*index)[window[k]], q.index[a.offset_dims[k]]);
  return q.Operand(0, *index);
}

namespace {

// The windows of a scatter: the start of each in the operand, and their extents.
struct ScatterWindows {
  StartIndices starts;
  std::vector<int64_t> window_dims;  // of the operand, one for each of update_window_dims
  std::vector<int64_t> batch_dims;   // of the updates; they index the index vectors
  std::vector<int64_t> extents;      // in each dimension of the operand

  explicit ScatterWindows(const Query& q)
      : starts{q,
               std::ssize(q.op.operands) / 2,
               q.op.attributes.index_vector_dim,
               q.op.attributes.scatter_dims_to_operand_dims,
               q.op.attributes.input_batching_dims,
               q.op.attributes.scatter_indices_batching_dims} {
    const hlo::Attributes& a = q.op.attributes;
    const int64_t rank = q.operand(0).rank();
    const hlo::Shape& update = q.operand(std::ssize(q.op.operands) / 2 + 1);
    window_dims = Others(rank, a.inserted_window_dims, a.input_batching_dims);
    batch_dims = Others(update.rank(), a.update_window_dims);
    extents.assign(static_cast<size_t>(rank), 1);
    for (size_t k = 0; k < window_dims.size(); ++k)
      extents[window_dims[k]] = update.dims[a.update_window_dims[k]];
  }

  // Whether all of a window lies in the operand.
  Term Inside(Pool& pool, llvm::ArrayRef<Term> start, llvm::ArrayRef<int64_t> sizes) const {
    std::vector<Term> conditions;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const Term last = pool.Number(terms::Int128{sizes[d]} - extents[d]);
      conditions.push_back(Within(pool, start[d], pool.Number(0), last));
    }
    return pool.And(conditions);
  }
  // Whether two windows share no element, wherever the facts hold.
  bool AreApart(Scope& scope, llvm::ArrayRef<Term> a, llvm::ArrayRef<Term> b) const {
    return llvm::any_of(llvm::seq<size_t>(0, a.size()), [&](size_t d) {
      const terms::Range difference = scope.RangeOf(scope.pool().Subtract(a[d], b[d]));
      return difference.lo >= extents[d] || difference.hi <= -extents[d];
    });
  }
};

}  // namespace

llvm::Expected<ScatterParts> PartsOfScatter(const Query& q, llvm::ArrayRef<Term> update_index) {
  Pool& pool = q.pool();
  const int64_t arity = std::ssize(q.op.operands) / 2;
  const std::vector<int64_t>& sizes = q.operand(0).dims;
  const ScatterWindows windows(q);
  auto start = windows.starts.At(Chosen(update_index, windows.batch_dims), std::ssize(sizes));
  if (!start) return start.takeError();
  ScatterParts parts{.target = *start, .combiner = q.op.called[0]};
  for (size_t k = 0; k < windows.window_dims.size(); ++k) {
    Term& target = parts.target[windows.window_dims[k]];
    target = pool.Add(target, update_index[q.op.attributes.update_window_dims[k]]);
  }
  parts.inside = q.scope().Simplify(windows.Inside(pool, *start, sizes));
  for (int64_t k = 0; k < arity; ++k) {
    Value value = q.Operand(arity + 1 + k, update_index);
    if (!value) return value.takeError();
    parts.updates.push_back(*value);
  }
  return parts;
}

namespace {

// Most index vectors for which a scatter is written as one update for each vector.
constexpr int64_t kMostWindows = 64;

// The multi-index of row-major position `number` in an array of these sizes.
Index VectorIndex(Pool& pool, int64_t number, llvm::ArrayRef<int64_t> sizes) {
  Index index(sizes.size());
  for (size_t d = sizes.size(); d > 0; --d) {
    index[d - 1] = pool.Number(number % sizes[d - 1]);
    number /= sizes[d - 1];
  }
  return index;
}

// A scatter whose windows share no element: the operand's element, combined with the update in the
// only window that holds it. The order of the updates does not matter.
class ScatterApart {
 public:
  explicit ScatterApart(const Query& q) : q_(q), windows_(q) {
    for (int64_t d : windows_.batch_dims) sizes_.push_back(q.operand(Arity() + 1).dims[d]);
  }

  bool IsOneWindow() const {
    return llvm::all_of(sizes_, [](int64_t size) { return size == 1; });
  }

  // Whether it is proved that no two windows share an element; false for too many windows.
  llvm::Expected<bool> FindWindows() {
    int64_t count = 1;
    for (int64_t size : sizes_) {
      if (size > kMostWindows) return false;
      count *= size;
      if (count > kMostWindows) return false;
    }
    for (int64_t k = 0; k < count; ++k) {
      Index batch = VectorIndex(q_.pool(), k, sizes_);
      auto start = windows_.starts.At(batch, q_.operand(0).rank());
      if (!start) return start.takeError();
      const Term inside = windows_.Inside(q_.pool(), *start, q_.operand(0).dims);
      if (q_.scope().Decide(inside) == false) continue;
      const bool apart = llvm::all_of(
          kept_, [&](const Window& w) { return windows_.AreApart(q_.scope(), w.start, *start); });
      if (!apart) return false;
      kept_.push_back({std::move(batch), std::move(*start), inside});
    }
    return true;
  }

  // The value, after FindWindows gave true.
  Value At() { return From(0); }

 private:
  struct Window {
    Index batch, start;
    Term inside;
  };

  int64_t Arity() const { return std::ssize(q_.op.operands) / 2; }

  // The value of the element after the updates of window `k` and later ones.
  Value From(size_t k) {
    if (k == kept_.size()) return q_.Operand(q_.leaf, q_.index);
    return q_.Choose(
        Holds(kept_[k]), [&] { return Combined(kept_[k]); }, [&] { return From(k + 1); });
  }

  // Whether the element is in the window.
  Term Holds(const Window& window) const {
    Pool& pool = q_.pool();
    std::vector<Term> conditions = {window.inside};
    for (size_t d = 0; d < window.start.size(); ++d) {
      const Term offset = pool.Subtract(q_.index[d], window.start[d]);
      const Term last = pool.Number(windows_.extents[d] - 1);
      conditions.push_back(Within(pool, offset, pool.Number(0), last));
    }
    return pool.And(conditions);
  }

  Value Combined(const Window& window) {
    const hlo::Attributes& a = q_.op.attributes;
    Index at(a.update_window_dims.size() + windows_.batch_dims.size());
    for (size_t k = 0; k < windows_.batch_dims.size(); ++k)
      at[windows_.batch_dims[k]] = window.batch[k];
    for (size_t k = 0; k < windows_.window_dims.size(); ++k) {
      const int64_t d = windows_.window_dims[k];
      at[a.update_window_dims[k]] = q_.pool().Subtract(q_.index[d], window.start[d]);
    }
    // The operands' elements, and the updates.
    std::vector<Term> values;
    for (int64_t k = 0; k < 2 * Arity(); ++k) {
      Value value = k < Arity() ? q_.Operand(k, q_.index) : q_.Operand(k + 1, at);
      if (!value) return value;
      values.push_back(*value);
    }
    Frame& frame = q_.builder.CalledOn(q_.frame, q_.op, values);
    return q_.builder.At(frame, *q_.op.called[0]->root, q_.leaf, {});
  }

  const Query& q_;
  ScatterWindows windows_;
  std::vector<int64_t> sizes_;  // of the batch dimensions
  std::vector<Window> kept_;
};

}  // namespace

// The operand's element, combined with a fold over the updates that go to it. For combiners other
// than sums and the like, the result depends on the order of the updates, which HLO leaves open if
// two go to one element. Between modules, the fold is in the order of the scatter
// (Operation::IsInOrder); in a kernel it has no term.
Value Scatter(const Query& q) {
  Pool& pool = q.pool();
  const int64_t arity = std::ssize(q.op.operands) / 2;
  ScatterApart windows(q);
  const bool folds = SimpleCombiner(*q.op.called[0], q.leaf) != hlo::Opcode::kUnknown;
  if (!folds || windows.IsOneWindow()) {
    auto apart = windows.FindWindows();
    if (!apart) return apart.takeError();
    if (*apart) return windows.At();
    if (!q.builder.combiner_names)
      return Fail(q.op, "no value term for updates that may meet: " + q.op.name);
  }
  Value operand = q.Operand(q.leaf, q.index);
  if (!operand) return operand;
  const std::vector<int64_t>& sizes = q.operand(arity + 1).dims;
  if (llvm::is_contained(sizes, 0)) return operand;
  Index at;
  std::vector<Term> variables;
  for (size_t d = 0; d < sizes.size(); ++d) {
    at.push_back(q.Variable(static_cast<int64_t>(d), sizes[d]));
    if (sizes[d] > 1) variables.push_back(at.back());
  }
  auto parts = PartsOfScatter(q, at);
  if (!parts) return parts.takeError();
  std::vector<Term> conditions = {parts->inside};
  for (size_t d = 0; d < parts->target.size(); ++d)
    conditions.push_back(pool.Equal(parts->target[d], q.index[d]));
  std::vector<Term> inits;
  for (int64_t k = 0; k < arity; ++k) {
    Value init = q.Operand(k, q.index);
    if (!init) return init;
    inits.push_back(*init);
  }
  ReduceParts fold{.variables = variables,
                   .condition = q.scope().Simplify(pool.And(conditions)),
                   .inits = std::move(inits),
                   .values = parts->updates,
                   .combiner = parts->combiner};
  return Folded(q, fold);
}

}  // namespace affirm::hlo_values
