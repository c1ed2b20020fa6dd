// reduce, reduce-window, sort. Every result of a variadic op reads all operands alike.
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/meanings.h"

namespace affirm::meaning {
namespace {

// Operands of variadic reductions are the arrays, then as many initial values.
bool IsInitialValue(const Query& q) {
  return q.operand >= static_cast<int64_t>(q.op.operands.size()) / 2;
}

}  // namespace

// The dimensions that stay, in order, have the output's index; the reduced ones take every value.
// The initial value is read for every element.
Answer Reduce(const Query& q) {
  if (IsInitialValue(q)) {
    return q.input.IsScalar() ? Answer(Everything(q)) : std::nullopt;
  }
  std::vector<Formula> facts;
  int64_t next = 0;
  for (int64_t j = 0; j < q.in_rank(); ++j) {
    if (llvm::is_contained(q.op.attributes.dimensions, j)) continue;
    if (next == q.out_rank()) return std::nullopt;
    facts.push_back(Formula::Eq(q.In(j), q.Out(next++)));
  }
  if (next != q.out_rank()) return std::nullopt;
  return All(q, std::move(facts));
}

// The window at output position o starts at o * stride in the padded, dilated input; its taps are
// window_dilation apart; input element i stands at padding_low + i * base_dilation.
Formula UnderWindow(const hlo::WindowDimension& window, SymbolicExpr out, SymbolicExpr in) {
  SymbolicExpr from_start = in * window.base_dilation + window.padding_low - out * window.stride;
  Context& context = *in.context();
  return Formula::And(
      {Formula::Eq(from_start.Mod(window.window_dilation), context.Constant(0)),
       Formula::In(from_start.FloorDiv(window.window_dilation), {0, window.size - 1})});
}

Answer ReduceWindow(const Query& q) {
  if (IsInitialValue(q)) {
    return q.input.IsScalar() ? Answer(Everything(q)) : std::nullopt;
  }
  const auto& window = q.op.attributes.window;
  if (static_cast<int64_t>(window.size()) != q.out_rank() || q.in_rank() != q.out_rank()) {
    return std::nullopt;
  }
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (window[i].window_dilation < 1 || window[i].base_dilation < 1) return std::nullopt;
    facts.push_back(UnderWindow(window[i], q.Out(i), q.In(i)));
  }
  return All(q, std::move(facts));
}

// A place in a sorted row may hold any element of the row, and the order is that of all operands.
Answer Sort(const Query& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  if (q.input.dims != q.output.dims || dims.size() != 1) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (i != dims[0]) facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  }
  return All(q, std::move(facts));
}

// Values and places of the largest elements of each row of the last dimension.
Answer TopK(const Query& q) {
  if (q.in_rank() != q.out_rank() || q.in_rank() == 0) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 0; i + 1 < q.out_rank(); ++i) {
    facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  }
  return AtMost(All(q, std::move(facts)));
}

// Operands are inputs and initial carries, results are stacked outputs and final carries. Step i
// sees slice i of the inputs and the carries, which hold what came before; it may mix the elements
// of a slice.
Answer Scan(const Query& q) {
  const hlo::Attributes& a = q.op.attributes;
  int64_t inputs = static_cast<int64_t>(q.op.operands.size()) - a.num_carries;
  int64_t outputs = NumLeaves(q.op.shape) - a.num_carries;
  if (a.dimensions.size() != 1 || a.dimensions[0] < 0) return std::nullopt;
  int64_t along = a.dimensions[0];
  if (q.operand >= inputs || q.output_id >= outputs) return AtMost(Everything(q));
  if (along >= q.in_rank() || along >= q.out_rank()) return std::nullopt;
  SymbolicExpr in = q.In(along), out = q.Out(along);
  return AtMost(All(q, {a.is_reverse ? Formula::Le(out, in) : Formula::Le(in, out)}));
}

// A result element adds up the source elements of the windows over it in which it was selected, and
// selecting looks at the whole window.
Answer SelectAndScatter(const Query& q) {
  const auto& window = q.op.attributes.window;
  if (q.operand == 2) return q.input.IsScalar() ? Answer(Everything(q)) : std::nullopt;
  const hlo::Shape& source = q.op.operands[1]->shape;
  bool fits = static_cast<int64_t>(window.size()) == q.out_rank() && q.in_rank() == q.out_rank() &&
              source.rank() == q.out_rank();
  for (const hlo::WindowDimension& w : window) {
    fits = fits && w.window_dilation > 0 && w.base_dilation > 0;
  }
  if (!fits) return std::nullopt;
  Relation r = Everything(q);
  std::vector<Formula> facts;
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (q.operand == 1) {
      facts.push_back(UnderWindow(window[i], q.In(i), q.Out(i)));
      continue;
    }
    // Some window is over both.
    positions.push_back(q.out_rank() + q.in_rank() + i);
    SymbolicExpr position = q.Runtime(i);
    r.extra.push_back({0, source.dims[i] - 1});
    facts.push_back(UnderWindow(window[i], position, q.Out(i)));
    facts.push_back(UnderWindow(window[i], position, q.In(i)));
  }
  Formula all = Formula::And(std::move(facts));
  r.reads = positions.empty() ? all : Formula::Exists(std::move(positions), std::move(all));
  return AtMost(std::move(r));
}

}  // namespace affirm::meaning
