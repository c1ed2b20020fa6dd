// Maps of the ops over sliding windows: reduce-window and select-and-scatter.
#include "core/analysis/ops/window.h"

#include "core/analysis/ops/op_helpers.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {

SymbolicExpr WindowInput(const hlo::WindowDimension& window, SymbolicExpr out, SymbolicExpr tap,
                         int64_t in_size, std::vector<Constraint>& constraints) {
  SymbolicExpr padded = out * window.stride + tap * window.window_dilation - window.padding_low;
  Interval inside = Interval{0, in_size - 1} * Interval::Point(window.base_dilation);
  constraints.push_back({padded, inside});
  return ExactQuotient(padded, window.base_dilation, constraints);
}

SymbolicExpr WindowOutput(const hlo::WindowDimension& window, SymbolicExpr in, SymbolicExpr tap,
                          int64_t out_size, std::vector<Constraint>& constraints) {
  SymbolicExpr start =
      in * window.base_dilation - tap * window.window_dilation + window.padding_low;
  Interval inside = Interval{0, out_size - 1} * Interval::Point(window.stride);
  constraints.push_back({start, inside});
  return ExactQuotient(start, window.stride, constraints);
}

bool IsWellFormed(const std::vector<hlo::WindowDimension>& window) {
  return llvm::all_of(window, [](const hlo::WindowDimension& w) {
    return w.size >= 0 && w.stride > 0 && w.base_dilation > 0 && w.window_dilation > 0;
  });
}

namespace {

// Maps between window positions (sizes `positions`) and array elements (sizes `array`); range
// variable i is the tap of dimension i. `to_array` says which side the dims are on.
IndexingMap Windowed(const std::vector<hlo::WindowDimension>& window,
                     llvm::ArrayRef<int64_t> positions, llvm::ArrayRef<int64_t> array,
                     bool to_array, Context& context) {
  std::vector<SymbolicExpr> results;
  std::vector<int64_t> taps;
  std::vector<Constraint> constraints;
  for (size_t i = 0; i < window.size(); ++i) {
    SymbolicExpr d = context.Dim(i), tap = context.Range(i);
    results.push_back(to_array ? WindowInput(window[i], d, tap, array[i], constraints)
                               : WindowOutput(window[i], d, tap, positions[i], constraints));
    taps.push_back(window[i].size);
  }
  return Canonical(
      IndexingMap::FromShapes(context, results, to_array ? positions : array, taps, constraints));
}

bool IsWindowed(const hlo::Instruction& op, const hlo::Shape& positions, const hlo::Shape& array) {
  const auto& window = op.attributes.window;
  return IsWellFormed(window) && static_cast<int64_t>(window.size()) == positions.rank() &&
         positions.rank() == array.rank();
}

}  // namespace

// A tap over padding or a hole of the base dilation reads the initial value, which every result
// reads anyway.
InstructionIndexing ReduceWindowOutputToInput(const hlo::Instruction& op, int64_t id,
                                              Session& session) {
  InstructionIndexing out = NothingRead(op);
  const hlo::Shape& result = *LeafShape(op.shape, id);
  size_t inputs = op.operands.size() / 2;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const hlo::Shape& in = op.operands[k]->shape;
    if (k >= inputs) {
      out.maps[k].push_back(Exact(ReadsScalar(session.context, result.dims)));
    } else if (IsWindowed(op, result, in)) {
      out.maps[k].push_back(
          Exact(Windowed(op.attributes.window, result.dims, in.dims, true, session.context)));
    } else {
      out.maps[k].push_back(Unknown());
    }
  }
  return out;
}

InstructionIndexing ReduceWindowInputToOutput(const hlo::Instruction& op, int64_t operand,
                                              Session& session) {
  const hlo::Shape& in = op.operands[operand]->shape;
  if (operand >= static_cast<int64_t>(op.operands.size() / 2)) {
    return InvertedInputToOutput(op, operand, session);
  }
  InstructionIndexing out = NothingWritten(op);
  for (size_t id = 0; id < out.maps.size(); ++id) {
    const hlo::Shape& result = *LeafShape(op.shape, static_cast<int64_t>(id));
    if (!IsWindowed(op, result, in)) return UnknownInputToOutput(op, operand, session);
    out.maps[id].push_back(
        Exact(Windowed(op.attributes.window, result.dims, in.dims, false, session.context)));
  }
  return out;
}

// Operands: the array, a source element per window, the initial value. A result element gathers the
// source elements of the windows around it in which it was selected, and selecting looks at the
// whole window, so the maps are over-approximate.
InstructionIndexing SelectAndScatterOutputToInput(const hlo::Instruction& op, int64_t,
                                                  Session& session) {
  const hlo::Shape& array = op.operands[0]->shape;
  const hlo::Shape& source = op.operands[1]->shape;
  if (!IsWindowed(op, source, array) || array.dims != op.shape.dims) {
    return UnknownOutputToInput(op, 0, session);
  }
  const auto& window = op.attributes.window;
  IndexingMap windows = Windowed(window, source.dims, array.dims, false, session.context);
  IndexingMap elements = Windowed(window, source.dims, array.dims, true, session.context);
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(OverApproximate(Canonical(Compose(windows, elements))));
  out.maps[1].push_back(OverApproximate(windows));
  out.maps[2].push_back(Exact(ReadsScalar(session.context, op.shape.dims)));
  return out;
}

}  // namespace affirm::analysis
