// gather and scatter, with batching dimensions and several operands.
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/hlo/fold_opcodes.h"
#include "core/hlo/start_indices.h"
#include "core/symbolic/checked.h"
#include "verify/reference/fold.h"
#include "verify/reference/move_boxes.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

// The operand indices that the index array of either op stands for, in the words of gather.
struct StartIndices {
  const Literal* indices;
  int64_t index_vector_dim;
  llvm::ArrayRef<int64_t> start_index_map;
  llvm::ArrayRef<int64_t> operand_batching, indices_batching;

  // Sizes of the index array without its vector dimension, which may be implicit.
  Index BatchSizes() const {
    Index sizes(llvm::ArrayRef<int64_t>(indices->shape().dims));
    if (index_vector_dim < std::ssize(sizes)) sizes.erase(sizes.begin() + index_vector_dim);
    return sizes;
  }
  int64_t VectorSize() const {
    const auto& dims = indices->shape().dims;
    return index_vector_dim < std::ssize(dims) ? dims[index_vector_dim] : 1;
  }
  // Row-major position of component k of the index vector at `batch`.
  int64_t Component(llvm::ArrayRef<int64_t> batch, int64_t k) const {
    Index index(batch);
    if (index_vector_dim < indices->shape().rank())
      index.insert(index.begin() + index_vector_dim, k);
    return indices->Linear(index);
  }
  // The operand index where the slice of `batch` starts.
  Index Start(llvm::ArrayRef<int64_t> batch, int64_t rank) const {
    Index start(rank, 0);
    for (size_t k = 0; k < start_index_map.size(); ++k) {
      start[start_index_map[k]] = LoadIndex(*indices, Component(batch, k));
    }
    for (size_t k = 0; k < operand_batching.size(); ++k) {
      // Dimensions of the index array behind the vector dimension move up in the batch.
      const int64_t d = indices_batching[k];
      start[operand_batching[k]] = batch[d > index_vector_dim ? d - 1 : d];
    }
    return start;
  }

  llvm::Error Check(const Instruction& instruction, int64_t operand_rank) const {
    const int64_t rank = indices->shape().rank();
    if (!IsInt(indices->shape().type) || index_vector_dim < 0 || index_vector_dim > rank ||
        std::ssize(start_index_map) != VectorSize() ||
        operand_batching.size() != indices_batching.size() ||
        llvm::is_contained(indices_batching, index_vector_dim)) {
      return Fail(instruction, "does not fit its indices");
    }
    Index used(start_index_map);
    used.append(operand_batching.begin(), operand_batching.end());
    if (auto error = CheckDimensions(instruction, used, operand_rank)) return error;
    return CheckDimensions(instruction, indices_batching, rank);
  }

  // Whether the starts in the operand ascend ("XLA operation semantics, Gather": sorted after
  // scattering the values according to start_index_map).
  bool AreSorted(const Instruction& op) const {
    const auto order = OrderOfComponents(op);
    Index last;
    for (IndexIterator at(BatchSizes()); !at.Done(); at.Next()) {
      Index vector;
      for (int64_t k : order) vector.push_back(LoadIndex(*indices, Component(at.index(), k)));
      if (std::lexicographical_compare(vector.begin(), vector.end(), last.begin(), last.end()))
        return false;
      last = std::move(vector);
    }
    return true;
  }

  // Checks that index vectors ascend, if they are said to and the options ask for the check. If
  // open elements are asked for, this is no error, but all elements of `results` are open.
  llvm::Error CheckOrder(const OpInvocation& call, llvm::ArrayRef<Literal> results) const {
    constexpr llvm::StringLiteral kWhy = "has indices that are not sorted, and says they are";
    const bool is_held = call.options != nullptr && call.options->promises.indices_are_sorted;
    if (!is_held && !call.notes_open()) return llvm::Error::success();
    if (!call.attributes().indices_are_sorted || AreSorted(call.instruction))
      return llvm::Error::success();
    if (!call.notes_open()) return FailOpen(call.instruction, kWhy);
    call.NoteAllOpen(results, OpInvocation::Openness::kUndefined, kWhy);
    return llvm::Error::success();
  }
};

}  // namespace

// Start indices are clamped so that the slice lies inside the operand.
Result EvaluateGather(const OpInvocation& call) {
  const Attributes& a = call.attributes();
  const Shape& shape = call.operand(0).shape();
  const Shape& result = call.instruction.shape;
  const StartIndices starts{&call.operand(1), a.index_vector_dim, a.start_index_map,
                            a.operand_batching_dims, a.start_indices_batching_dims};
  if (auto error = starts.Check(call.instruction, shape.rank())) return error;
  if (auto error = CheckDimensions(call.instruction, a.offset_dims, result.rank())) return error;
  const Index window = Without(shape.rank(), {a.collapsed_slice_dims, a.operand_batching_dims});
  const Index batch_dims = Without(result.rank(), {a.offset_dims});
  bool fits = a.slice_sizes.size() == shape.dims.size() && window.size() == a.offset_dims.size() &&
              Select(result.dims, batch_dims) == starts.BatchSizes();
  for (size_t d = 0; fits && d < shape.dims.size(); ++d) {
    fits = 0 <= a.slice_sizes[d] && a.slice_sizes[d] <= shape.dims[d];
  }
  for (size_t k = 0; fits && k < window.size(); ++k) {
    fits = result.dims[a.offset_dims[k]] == a.slice_sizes[window[k]];
  }
  if (!fits) return Fail(call.instruction, "does not fit its operands");
  BoxMover mover(call);
  const BoxSide operand_box = BoxSide::Whole(shape.dims), result_box = BoxSide::Whole(result.dims);
  const Index sizes = Select(a.slice_sizes, window);
  const Index batch_strides = Select(result_box.strides, batch_dims);
  BoxSide from{0, Select(operand_box.strides, window)};
  BoxSide to{0, Select(result_box.strides, a.offset_dims)};
  for (IndexIterator batch(starts.BatchSizes()); !batch.Done(); batch.Next()) {
    const Index start = starts.Start(batch.index(), shape.rank());
    from.first = to.first = 0;
    for (size_t d = 0; d < start.size(); ++d) {
      const int64_t last = shape.dims[d] - a.slice_sizes[d];
      from.first += operand_box.strides[d] * std::clamp<int64_t>(start[d], 0, last);
    }
    for (size_t d = 0; d < batch_dims.size(); ++d) to.first += batch[d] * batch_strides[d];
    mover.Move(0, sizes, from, to);
  }
  for (IndexIterator at(result.dims); call.observer != nullptr && !at.Done(); at.Next()) {
    for (int64_t k = 0; k < starts.VectorSize(); ++k)
      call.Read(0, at.linear(), 1, 0, starts.Component(Select(at.index(), batch_dims), k));
  }
  auto gathered = mover.Finish();
  if (!gathered) return gathered;
  if (auto error = starts.CheckOrder(call, *gathered)) return error;
  return gathered;
}

namespace {

// A scatter of n operands: operands, indices, updates.
class Scatter {
 public:
  explicit Scatter(const OpInvocation& call)
      : call_(call),
        arity_(call.operands.size() / 2),
        starts_{call.operands[arity_], call.attributes().index_vector_dim,
                call.attributes().scatter_dims_to_operand_dims,
                call.attributes().input_batching_dims,
                call.attributes().scatter_indices_batching_dims},
        window_(Without(operand(0).rank(), {call.attributes().inserted_window_dims,
                                            call.attributes().input_batching_dims})),
        batch_dims_(Without(update(0).rank(), {call.attributes().update_window_dims})) {}

  llvm::Error Check() const;
  Result Run(ScalarFunction& function);

 private:
  // Whether no element may get two updates.
  bool IsHeldTo(const OperandPromises& promises) const {
    const bool says_so = promises.unique_indices && call_.attributes().unique_indices;
    return says_so || (promises.order_is_open && OrderOfUpdatesCounts(call_.instruction));
  }
  const Shape& operand(size_t k) const { return call_.operand(k).shape(); }
  const Shape& update(size_t k) const { return call_.operand(arity_ + 1 + k).shape(); }
  // The row-major position in the operand that an update element goes to; nullopt when its window
  // does not lie within the operand.
  std::optional<int64_t> Target(const IndexIterator& at) const;
  void ReportReads(const IndexIterator& at, int64_t target) const;
  llvm::Error Apply(const IndexIterator& at, ScalarFunction& function,
                    std::vector<Literal>& results);
  std::vector<IndexIterator> UpdatesIn(const EvaluationOrder& order) const;
  // Notes the element as open where it has an update that is not the same as the one before.
  void NoteSeveral(int64_t target, int64_t update_linear);

  std::vector<bool> written_;  // elements that have an update; empty where several may be
  std::vector<int64_t> last_;  // the update that each element has; -1: none; empty: not asked

  const OpInvocation& call_;
  size_t arity_;
  StartIndices starts_;
  Index window_, batch_dims_;
  std::vector<Scalar> values_;  // of one step
};

llvm::Error Scatter::Check() const {
  const Instruction& instruction = call_.instruction;
  if (auto error = starts_.Check(instruction, operand(0).rank())) return error;
  const auto& update_window = call_.attributes().update_window_dims;
  if (auto error = CheckDimensions(instruction, update_window, update(0).rank())) return error;
  bool fits = update_window.size() == window_.size() &&
              Select(update(0).dims, batch_dims_) == starts_.BatchSizes();
  for (size_t k = 0; fits && k < arity_; ++k) {
    fits = operand(k).dims == operand(0).dims && update(k).dims == update(0).dims &&
           operand(k).type == update(k).type;
  }
  return fits ? llvm::Error::success() : Fail(instruction, "does not fit its operands");
}

std::optional<int64_t> Scatter::Target(const IndexIterator& at) const {
  const std::vector<int64_t>& sizes = operand(0).dims;
  Index index = starts_.Start(Select(at.index(), batch_dims_), sizes.size());
  Index extent(sizes.size(), 1), offset(sizes.size(), 0);
  for (size_t k = 0; k < window_.size(); ++k) {
    const int64_t d = call_.attributes().update_window_dims[k];
    extent[window_[k]] = update(0).dims[d];
    offset[window_[k]] = at[d];
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (index[d] < 0 || index[d] > sizes[d] - extent[d]) return std::nullopt;
    index[d] += offset[d];
  }
  return Linearize(index, sizes);
}

void Scatter::ReportReads(const IndexIterator& at, int64_t target) const {
  if (call_.observer == nullptr) return;
  const Index batch = Select(at.index(), batch_dims_);
  for (size_t leaf = 0; leaf < arity_; ++leaf) {
    for (size_t k = 0; k < arity_; ++k) call_.Read(leaf, target, arity_ + 1 + k, 0, at.linear());
    for (int64_t k = 0; k < starts_.VectorSize(); ++k) {
      call_.Read(leaf, target, arity_, 0, starts_.Component(batch, k));
    }
  }
}

void Scatter::NoteSeveral(int64_t target, int64_t update_linear) {
  const int64_t last = std::exchange(last_[target], update_linear);
  if (last < 0) return;
  const bool unique = call_.attributes().unique_indices;
  for (size_t k = 0; k < arity_; ++k) {
    const Literal& updates = call_.operand(arity_ + 1 + k);
    const size_t width = ByteWidth(updates.shape().type);
    // Several times the same update gives one value, in whatever order.
    if (!unique && std::memcmp(updates.data() + last * width,
                               updates.data() + update_linear * width, width) == 0)
      continue;
    for (size_t leaf = 0; leaf < arity_; ++leaf)
      call_.NoteOpen(leaf, target,
                     unique ? OpInvocation::Openness::kUndefined : OpInvocation::Openness::kChoice,
                     unique ? "has windows that overlap, and says they do not"
                            : "leaves open which of two updates comes last");
    return;
  }
}

llvm::Error Scatter::Apply(const IndexIterator& at, ScalarFunction& function,
                           std::vector<Literal>& results) {
  const std::optional<int64_t> target = Target(at);
  if (!target) return llvm::Error::success();
  if (!written_.empty()) {
    if (written_[*target])
      return FailOpen(call_.instruction, call_.attributes().unique_indices
                                             ? "has windows that overlap, and says they do not"
                                             : "leaves open which of two updates comes last");
    written_[*target] = true;
  }
  if (!last_.empty()) NoteSeveral(*target, at.linear());
  ReportReads(at, *target);
  for (size_t k = 0; k < arity_; ++k) {
    values_[k] = Load(results[k], *target);
    values_[arity_ + k] = Load(call_.operand(arity_ + 1 + k), at.linear());
  }
  if (auto error =
          function.Apply(values_, llvm::MutableArrayRef<Scalar>(values_).take_front(arity_))) {
    return error;
  }
  for (size_t k = 0; k < arity_; ++k) Store(results[k], *target, values_[k]);
  return llvm::Error::success();
}

// Slot after slot from the last one, and in each from the last position.
std::vector<IndexIterator> Scatter::UpdatesIn(const EvaluationOrder& order) const {
  std::vector<IndexIterator> updates;
  for (IndexIterator at(update(0).dims); !at.Done(); at.Next()) updates.push_back(at);
  std::stable_sort(updates.begin(), updates.end(),
                   [&](const IndexIterator& a, const IndexIterator& b) {
                     return std::pair(order.SlotOf(a.linear()), a.linear()) >
                            std::pair(order.SlotOf(b.linear()), b.linear());
                   });
  return updates;
}

Result Scatter::Run(ScalarFunction& function) {
  std::vector<Literal> results;
  for (size_t k = 0; k < arity_; ++k) {
    results.push_back(call_.operand(k));
    for (int64_t i = 0; i < results[k].NumElements(); ++i) {
      for (size_t leaf = 0; leaf < arity_; ++leaf) call_.Read(leaf, i, k, 0, i);
    }
  }
  values_.resize(2 * arity_);
  if (auto error = starts_.CheckOrder(call_, results)) return error;
  const bool counts = call_.attributes().unique_indices || OrderOfUpdatesCounts(call_.instruction);
  if (call_.notes_open() && counts) last_.assign(operand(0).NumElements(), -1);
  if (call_.options != nullptr && IsHeldTo(call_.options->promises))
    written_.assign(operand(0).NumElements(), false);
  if (const EvaluationOrder* order = call_.order()) {
    for (const IndexIterator& at : UpdatesIn(*order)) {
      if (auto error = Apply(at, function, results)) return error;
    }
  } else {
    for (IndexIterator at(update(0).dims); !at.Done(); at.Next()) {
      if (auto error = Apply(at, function, results)) return error;
    }
  }
  return Assemble(call_.instruction.shape, std::move(results));
}

}  // namespace

bool OrderOfUpdatesCounts(const Instruction& op) {
  const bool selects = op.opcode == Opcode::kSelectAndScatter;
  const size_t arrays = selects ? 1 : op.operands.size() / 2;
  const auto of_updates = llvm::find(op.called_as, selects ? "scatter" : "to_apply");
  if (of_updates == op.called_as.end()) return true;
  const Computation& combiner = *op.called[of_updates - op.called_as.begin()];
  const bool is_tuple = combiner.root->opcode == Opcode::kTuple;
  if (is_tuple && combiner.root->operands.size() != arrays) return true;
  for (size_t k = 0; k < arrays; ++k) {
    const Instruction& value = is_tuple ? *combiner.root->operands[k] : *combiner.root;
    if (!FoldsInAnyOrder(value.opcode)) return true;
    int64_t seen = 0;
    for (const Instruction* operand : value.operands) {
      while (operand->opcode == Opcode::kConvert) operand = operand->operands[0];
      if (operand->opcode != Opcode::kParameter) return true;
      const auto number = static_cast<size_t>(operand->parameter_number);
      seen |= number == k ? 1 : number == k + arrays ? 2 : 4;
    }
    if (seen != 3) return true;
  }
  return false;
}

// Update elements are applied in row-major order, unless there is another. A window that does not
// lie within the operand is skipped as a whole. A result element reads the operand, and the updates
// that land on it with their index vectors.
Result EvaluateScatter(const OpInvocation& call) {
  if (call.operands.size() % 2 == 0) {
    return Fail(call.instruction, "needs operands, indices and as many updates");
  }
  Scatter scatter(call);
  if (auto error = scatter.Check()) return error;
  auto callee = Callee(call.instruction, "to_apply");
  if (!callee) return callee.takeError();
  const std::vector<PrimitiveType> types =
      ElementTypes(call.operands.take_front(call.operands.size() / 2));
  std::vector<PrimitiveType> parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  auto function = ScalarFunction::Create(call.instruction, **callee, parameters, types);
  if (!function) return function.takeError();
  return scatter.Run(*function);
}

}  // namespace affirm::hlo
