// Arguments for what a program asserts of its indices: unique_indices, that the windows of a
// scatter's updates do not overlap, and indices_are_sorted, that the index vectors of a scatter or
// gather ascend; if they did not, its behavior would be undefined. And for scatters that leave open
// which of several updates comes last.
#include <algorithm>

#include "core/hlo/start_indices.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/reference/arguments.h"
#include "verify/reference/index_uses.h"
#include "verify/reference/ops.h"
#include "verify/scalar/scalar.h"

namespace affirm::hlo {
namespace {

// The parameter of the outermost computation that has the same elements in the same order; -1 if
// none has.
struct IndexSource {
  int64_t parameter = -1;
  // A negative index counts from the end: an index outside of the operand may come back inside.
  bool wraps = false;
};
using IndexSources = llvm::SmallVector<IndexSource>;  // of each parameter of a computation

// More index vectors are not compared with each other: they get a slot each.
constexpr int64_t kMostCompared = 4096;

// The windows of a scatter that index vectors lead to, of which no two may overlap.
class Windows {
 public:
  using Start = llvm::SmallVector<int64_t>;

  Windows(const Instruction& scatter, IntType type) {
    const Shape& operand = scatter.operands.front()->shape;
    const std::vector<int64_t> window = ScatterWindowSizes(scatter);
    largest_ = type.bits >= 63 ? INT64_MAX : type.Max();
    for (int64_t d : scatter.attributes.scatter_dims_to_operand_dims) {
      widths_.push_back(std::max<int64_t>(window[d], 1));
      last_.push_back(operand.dims[d] - window[d]);
      const int64_t starts = operand.dims[d] / widths_.back();
      const int64_t last_counted = largest_ / widths_.back();  // + 1 may not fit
      slots_.push_back(last_counted < starts ? last_counted + 1 : starts);
      room_ *= slots_.back();
    }
  }

  // How many windows fit side by side, in what the type can count.
  int64_t room() const { return room_; }
  // The window of a slot; behind the operand, so that its update is skipped, where there is none.
  Start OfSlot(int64_t slot) const {
    Start start(widths_.size(), largest_);
    if (slot >= room_) return start;
    for (size_t c = start.size(); c-- > 0; slot /= slots_[c])
      start[c] = slot % slots_[c] * widths_[c];
    return start;
  }
  bool IsInside(const Start& start) const {
    for (size_t c = 0; c < start.size(); ++c) {
      if (start[c] < 0 || start[c] > last_[c]) return false;
    }
    return true;
  }
  // Whether the window lies apart from all that were taken.
  bool IsFree(const Start& start) const {
    return llvm::none_of(taken_, [&](const Start& other) {
      for (size_t c = 0; c < start.size(); ++c) {
        if (std::abs(start[c] - other[c]) >= widths_[c]) return false;
      }
      return true;
    });
  }
  void Take(Start start) { taken_.push_back(std::move(start)); }

 private:
  Start widths_, last_, slots_;
  int64_t room_ = 1, largest_ = 0;
  std::vector<Start> taken_;
};

// One in this many index vectors that lead outside of the operand, where an update is skipped, is
// kept: small numbers are outside of most small operands.
constexpr int64_t kOutside = 4;

// Gives index vectors whose windows overlap others, or lie outside, others; where indices wrap, all
// that are negative.
void Separate(const Instruction& scatter, bool wraps, Literal& indices) {
  const Attributes& a = scatter.attributes;
  const Shape& shape = indices.shape();
  const bool has_vector = a.index_vector_dim < shape.rank();
  const int64_t components = has_vector ? shape.dims[a.index_vector_dim] : 1;
  if (components != static_cast<int64_t>(a.scatter_dims_to_operand_dims.size())) return;
  Windows windows(scatter, IntType::Of(shape.type));
  int64_t inner = 1;  // elements behind the vector's dimension
  for (int64_t d = a.index_vector_dim + 1; d < shape.rank(); ++d) inner *= shape.dims[d];
  const int64_t rows = components == 0 ? 0 : shape.NumElements() / components;
  const int64_t step = rows == 0 ? 0 : std::max<int64_t>(windows.room() / rows, 1);
  for (int64_t row = 0; row < rows; ++row) {
    auto place = [&](int64_t c) { return (row / inner * components + c) * inner + row % inner; };
    Windows::Start start;
    for (int64_t c = 0; c < components; ++c) start.push_back(indices.GetInt(place(c)));
    if (rows > kMostCompared) {
      start = windows.OfSlot(row * step);
    } else if (wraps || windows.IsInside(start) || row % kOutside != kOutside - 1) {
      int64_t slot = row * step;
      auto fits = [&] { return windows.IsInside(start) && windows.IsFree(start); };
      for (int64_t tries = 0; !fits() && tries <= windows.room(); ++tries, ++slot)
        start = windows.OfSlot(tries < windows.room() ? slot % windows.room() : windows.room());
      if (windows.IsInside(start)) windows.Take(start);
    }
    for (int64_t c = 0; c < components; ++c) indices.SetInt(place(c), start[c]);
  }
}

// Brings the index vectors into ascending order; where indices wrap, none is negative.
void Ascend(const Instruction& op, bool wraps, Literal& indices) {
  const int64_t dim = op.attributes.index_vector_dim;
  const Shape& shape = indices.shape();
  const int64_t components = dim < shape.rank() ? shape.dims[dim] : 1;
  int64_t inner = 1;  // elements behind the vector's dimension
  for (int64_t d = dim + 1; d < shape.rank(); ++d) inner *= shape.dims[d];
  const int64_t rows = components == 0 ? 0 : shape.NumElements() / components;
  auto place = [&](int64_t row, int64_t c) {
    return (row / inner * components + c) * inner + row % inner;
  };
  const auto order = OrderOfComponents(op);
  if (components != std::ssize(order)) return;
  std::vector<llvm::SmallVector<int64_t>> vectors(rows);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t c : order) {
      const int64_t index = LoadIndex(indices, place(row, c));
      vectors[row].push_back(wraps ? std::max<int64_t>(index, 0) : index);
    }
  }
  llvm::sort(vectors, [](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = 0; k < components; ++k) indices.SetInt(place(row, order[k]), vectors[row][k]);
  }
}

// In select(index < 0, index + size, index): the last operand, which has the arguments' indices if
// none is negative.
constexpr size_t kCountsFromTheStart = 2;

// Returns the source of the result.
IndexSource Visit(const Computation& computation, const IndexSources& parameters, bool all,
                  std::vector<Literal>& arguments) {
  llvm::DenseMap<const Instruction*, IndexSource> sources;
  auto source_of = [&](const Instruction* instruction) { return sources.lookup(instruction); };
  for (const auto& instruction : computation.instructions) {
    switch (instruction->opcode) {
      case Opcode::kParameter:
        sources[instruction.get()] = parameters[instruction->parameter_number];
        break;
      case Opcode::kBitcast:
      case Opcode::kBroadcast:
      case Opcode::kCopy:
      case Opcode::kReshape:
        if (instruction->shape.type == instruction->operands[0]->shape.type &&
            instruction->shape.NumElements() == instruction->operands[0]->shape.NumElements())
          sources[instruction.get()] = source_of(instruction->operands[0]);
        break;
      case Opcode::kConvert:
        if (IsInt(instruction->shape.type) && IsInt(instruction->operands[0]->shape.type))
          sources[instruction.get()] = source_of(instruction->operands[0]);
        break;
      case Opcode::kSelect:
        sources[instruction.get()] = {
            source_of(instruction->operands[kCountsFromTheStart]).parameter, /*wraps=*/true};
        break;
      case Opcode::kFusion:
      case Opcode::kCall: {
        if (instruction->called.size() != 1) break;
        IndexSources passed;
        for (const Instruction* operand : instruction->operands)
          passed.push_back(source_of(operand));
        if (passed.size() == instruction->called[0]->parameters.size())
          sources[instruction.get()] = Visit(*instruction->called[0], passed, all, arguments);
        break;
      }
      case Opcode::kGather:
      case Opcode::kScatter: {
        const bool is_scatter = instruction->opcode == Opcode::kScatter;
        const Instruction* indices =
            instruction->operands[is_scatter ? instruction->operands.size() / 2 : 1];
        const auto [source, wraps] = source_of(indices);
        const bool are_unique = is_scatter && (instruction->attributes.unique_indices ||
                                               (all && OrderOfUpdatesCounts(*instruction)));
        const bool are_sorted = instruction->attributes.indices_are_sorted;
        if (!(are_unique || are_sorted) || source < 0 || !IsInt(indices->shape.type)) break;
        // A reshape keeps the order of the elements, so the argument is written through the shape
        // that the operation sees.
        Literal seen(indices->shape);
        if (arguments[source].NumElements() != seen.NumElements()) break;
        for (int64_t i = 0; i < seen.NumElements(); ++i)
          seen.SetInt(i, arguments[source].GetInt(i));
        if (are_unique) Separate(*instruction, wraps, seen);
        if (are_sorted) Ascend(*instruction, wraps, seen);
        for (int64_t i = 0; i < seen.NumElements(); ++i)
          arguments[source].SetInt(i, seen.GetInt(i));
        break;
      }
      default:
        break;
    }
  }
  return source_of(computation.root);
}

}  // namespace

void EnforceIndexPromises(const Computation& computation, std::vector<Literal>& arguments,
                          bool where_order_counts) {
  IndexSources parameters;
  for (size_t k = 0; k < arguments.size(); ++k) parameters.push_back({static_cast<int64_t>(k)});
  Visit(computation, parameters, where_order_counts, arguments);
}

}  // namespace affirm::hlo
