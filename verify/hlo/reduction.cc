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

// A place in a sorted row depends on the whole row of every operand.
Answer Sort(const Query& q) {
  const std::vector<int64_t>& dims = q.op.attributes.dimensions;
  if (q.input.dims != q.output.dims || dims.size() != 1) return std::nullopt;
  std::vector<Formula> facts;
  for (int64_t i = 0; i < q.out_rank(); ++i) {
    if (i != dims[0]) facts.push_back(Formula::Eq(q.In(i), q.Out(i)));
  }
  return All(q, std::move(facts));
}

}  // namespace affirm::meaning
