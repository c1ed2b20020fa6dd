// A reduce-window over all elements up to its own, or from its own on, as JAX writes cumsum,
// cumprod, cummax and cumlogsumexp. What would be n elements for each of n is done in steps of 1,
// 2, 4, ...
//
//   y[i] = i < step ? y[i] : f(y[i - step], y[i])     for steps 1, 2, 4, ..., up to three a launch
//   result[i] = f(init, y[i])
//
// which keeps the order of the elements, and the initial value counts once. Each result must be one
// operation on what it was and an element of its array that gives the same in any grouping; by any
// other computation, and for sums of floats, the loop emitter folds each window in its order.
#include "emit/plan/expander.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

// Shorter rows take no steps.
constexpr int64_t kShortestRow = 32;
constexpr int kStepsOfALaunch = 3;

// The dimension along which the window reaches from each element to the end of its row; -1 where
// there is none. `from_start`: to that end.
int64_t CumulativeDimension(const Instruction& window, bool& from_start) {
  const Shape& shape = window.operands[0]->shape;
  int64_t found = -1;
  for (auto [d, of] : llvm::enumerate(window.attributes.window)) {
    if (of.stride != 1 || of.base_dilation != 1 || of.window_dilation != 1) return -1;
    if (of.size == 1 && of.padding_low == 0 && of.padding_high == 0) continue;
    const int64_t size = shape.dims[d];
    const bool start = of.padding_low == size - 1 && of.padding_high == 0,
               end = of.padding_low == 0 && of.padding_high == size - 1;
    if (found >= 0 || of.size != size || !(start || end)) return -1;
    found = static_cast<int64_t>(d);
    from_start = start;
  }
  return found;
}

// One operation on the parameters of an array that gives the same in any grouping, to the bit: no
// sums and products of floats.
bool IsAssociative(const Instruction& op, int64_t array, int64_t arrays) {
  if (op.operands.size() != 2 || hlo::IsComplex(op.shape.type)) return false;
  const Instruction &so_far = *op.operands[0], &element = *op.operands[1];
  if (so_far.opcode != Opcode::kParameter || so_far.parameter_number != array ||
      element.opcode != Opcode::kParameter || element.parameter_number != arrays + array) {
    return false;
  }
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
      return hlo::IsInt(op.shape.type);
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool ExpandsCumulative(const Instruction& window) {
  bool from_start = false;
  if (window.called.size() != 1 || window.operands.size() % 2 != 0) return false;
  const Shape& shape = window.operands[0]->shape;
  const size_t arrays = window.operands.size() / 2;
  const int64_t dimension = CumulativeDimension(window, from_start);
  if (dimension < 0 || shape.dims[dimension] < kShortestRow || shape.NumElements() == 0)
    return false;
  if (llvm::is_contained(shape.dynamic, true) || !IsOfElements(*window.called[0])) return false;
  // The computation gives values of the operands' types.
  const Instruction& root = *window.called[0]->root;
  const size_t leaves = root.shape.IsTuple() ? root.operands.size() : 1;
  if (leaves != arrays || (root.shape.IsTuple() && root.opcode != Opcode::kTuple)) return false;
  for (size_t k = 0; k < arrays; ++k) {
    const Shape& leaf = root.shape.IsTuple() ? root.shape.tuple[k] : root.shape;
    const Instruction& combined = root.shape.IsTuple() ? *root.operands[k] : root;
    if (!IsAssociative(combined, static_cast<int64_t>(k), static_cast<int64_t>(arrays)))
      return false;
    if (leaf.type != window.operands[k]->shape.type ||
        leaf.type != window.operands[arrays + k]->shape.type) {
      return false;
    }
  }
  return true;
}

Instruction* ExpandCumulative(Expander& expander, const Instruction& window,
                              llvm::ArrayRef<Instruction*> operands) {
  HloBuilder& b = expander.b();
  bool from_start = false;
  const int64_t dimension = CumulativeDimension(window, from_start);
  const std::vector<int64_t> dims = operands[0]->shape.dims;
  const size_t count = operands.size() / 2;
  const int64_t size = dims[dimension];
  std::vector<Instruction*> arrays = operands.take_front(count).vec();
  Instruction* position = b.Iota(hlo::PrimitiveType::kS32, dims, dimension);
  int steps = 0;
  for (int64_t step = 1; step < size; step *= 2) {
    // The element a step before, which there is not for the first ones.
    std::vector<Instruction*> arguments;
    for (size_t k = 0; k < count; ++k) {
      hlo::Attributes attributes;
      attributes.padding.resize(dims.size());
      attributes.padding[dimension].low = from_start ? step : -step;
      attributes.padding[dimension].high = from_start ? -step : step;
      arguments.push_back(b.Add(Opcode::kPad, "before", Shape::Array(arrays[k]->shape.type, dims),
                                {arrays[k], operands[count + k]}, std::move(attributes)));
    }
    // In the order of the row.
    arguments.insert(from_start ? arguments.end() : arguments.begin(), arrays.begin(),
                     arrays.end());
    const int64_t first = from_start ? step : size - step;
    Instruction* bound = b.Broadcast(b.Scalar("first", hlo::PrimitiveType::kS32, first), dims);
    Instruction* exists = b.Compare(from_start ? "GE" : "LT", position, bound);
    const std::vector<Instruction*> combined = b.Apply(*window.called[0], arguments);
    for (size_t k = 0; k < count; ++k)
      arrays[k] =
          b.Add(Opcode::kSelect, "step", combined[k]->shape, {exists, combined[k], arrays[k]});
    if (++steps % kStepsOfALaunch == 0) expander.Materialize(arrays);
  }
  std::vector<Instruction*> arguments;
  arguments.reserve(2 * count);
  for (size_t k = 0; k < count; ++k) arguments.push_back(b.Broadcast(operands[count + k], dims));
  arguments.insert(arguments.end(), arrays.begin(), arrays.end());
  const std::vector<Instruction*> results = b.Apply(*window.called[0], arguments);
  return window.shape.IsTuple() ? b.Tuple(results) : results[0];
}

}  // namespace affirm::emit
