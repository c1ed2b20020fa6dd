// Access relations of reduce-window and select-and-scatter.
#include <utility>

#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

// The window at output position o starts at o * stride in the padded, dilated input. Its taps are
// window_dilation apart. Element i of the input lies at padding_low + i * base_dilation.
Formula UnderWindow(const hlo::WindowDimension& window, SymbolicExpr out, SymbolicExpr in) {
  SymbolicExpr from_start = in * window.base_dilation + window.padding_low - out * window.stride;
  Context& context = *in.context();
  return Formula::And(
      {Formula::Eq(from_start.Mod(window.window_dilation), context.Constant(0)),
       Formula::In(from_start.FloorDiv(window.window_dilation), {0, window.size - 1})});
}

// The arrays are read under the window, the initial values for every element.
OptionalRelation ReduceWindow(const AccessQuery& q) {
  if (IsInitialValue(q)) {
    return q.input.IsScalar() ? OptionalRelation(ReadsAll(q)) : std::nullopt;
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
  return Where(q, std::move(facts));
}

// An element of the result combines the source elements of those windows over it in which it was
// selected, and the selection compares all elements of a window.
OptionalRelation SelectAndScatter(const AccessQuery& q) {
  const auto& window = q.op.attributes.window;
  if (q.operand == 2) return q.input.IsScalar() ? OptionalRelation(ReadsAll(q)) : std::nullopt;
  const hlo::Shape& source = q.op.operands[1]->shape;
  bool fits = static_cast<int64_t>(window.size()) == q.out_rank() && q.in_rank() == q.out_rank() &&
              source.rank() == q.out_rank();
  for (const hlo::WindowDimension& w : window) {
    fits = fits && w.window_dilation > 0 && w.base_dilation > 0;
  }
  if (!fits) return std::nullopt;
  AccessRelation r = ReadsAll(q);
  std::vector<Formula> facts;
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (q.operand == 1) {
      facts.push_back(UnderWindow(window[i], q.In(i), q.Out(i)));
      continue;
    }
    // There is a window over both, at `position` of the source.
    positions.push_back(q.out_rank() + q.in_rank() + i);
    SymbolicExpr position = q.Runtime(i);
    r.extra.push_back({0, source.dims[i] - 1});
    facts.push_back(UnderWindow(window[i], position, q.Out(i)));
    facts.push_back(UnderWindow(window[i], position, q.In(i)));
  }
  Formula all = Formula::And(std::move(facts));
  r.reads = positions.empty() ? all : Formula::Exists(std::move(positions), std::move(all));
  return UpperBound(std::move(r));
}

}  // namespace affirm::hlo_semantics
