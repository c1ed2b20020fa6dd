// slice, pad and concatenate for all sizes: the map and the access relation as formulas of the
// sizes.
#include "verify/hlo/symbolic/builder.h"

namespace affirm::hlo_semantics::all_shapes {

// [start : start + length : stride] of start + length + rest elements: every legal slice.
std::vector<SymbolicOp> Slices(int64_t rank, Context& context) {
  Builder b(context);
  std::vector<SymbolicExpr> start = b.Parameters("start", rank, 0);
  std::vector<SymbolicExpr> length = b.Parameters("length", rank, 0);
  std::vector<SymbolicExpr> rest = b.Parameters("rest", rank, 0);
  std::vector<SymbolicExpr> stride = b.Parameters("stride", rank, 1);
  for (int64_t i = 0; i < rank; ++i) b.op.output_sizes.push_back(length[i].CeilDiv(stride[i]));
  SymbolicRead read;
  for (int64_t i = 0; i < rank; ++i) {
    read.input_sizes.push_back(start[i] + length[i] + rest[i]);
    read.results.push_back(b.Out(i) * stride[i] + start[i]);
    read.relation.push_back({b.In(i), start[i] + stride[i] * b.Out(i)});
  }
  b.op.operands.push_back(std::move(read));
  b.op.text = "slice";
  b.op.instruction = [rank](llvm::ArrayRef<int64_t> v) {
    std::string text = "slice(p0), slice={";
    for (int64_t i = 0; i < rank; ++i) {
      text += (i ? ", [" : "[") + std::to_string(v[i]) + ":" + std::to_string(v[i] + v[rank + i]) +
              ":" + std::to_string(v[3 * rank + i]) + "]";
    }
    return text + "}";
  };
  return {std::move(b.op)};
}

// Element j of the operand lands at low + j * step, where step - 1 elements of padding lie
// between two. Operands have at least one element a dimension.
std::vector<SymbolicOp> Pads(int64_t rank, Context& context) {
  Builder b(context);
  std::vector<SymbolicExpr> low, high, size = b.Parameters("n", rank, 1);
  std::vector<SymbolicExpr> step = b.Parameters("step", rank, 1);
  for (int64_t i = 0; i < rank; ++i) {
    low.push_back(b.Parameter("low" + std::to_string(i), std::nullopt));
  }
  for (int64_t i = 0; i < rank; ++i) {
    high.push_back(b.Parameter("high" + std::to_string(i), std::nullopt));
  }
  for (int64_t i = 0; i < rank; ++i) {
    b.op.output_sizes.push_back(low[i] + (size[i] - 1) * step[i] + 1 + high[i]);
  }
  SymbolicRead read;
  read.input_sizes = size;
  for (int64_t i = 0; i < rank; ++i) {
    SymbolicExpr from_low = b.Out(i) - low[i];
    read.results.push_back(from_low.FloorDiv(step[i]));
    read.domain.push_back({from_low.Mod(step[i]), b.Constant(0)});
    read.domain.push_back({b.Constant(0), from_low, /*equal=*/false});
    read.domain.push_back({from_low, (size[i] - 1) * step[i], /*equal=*/false});
    read.relation.push_back({b.In(i) * step[i] + low[i], b.Out(i)});
  }
  b.op.operands.push_back(std::move(read));
  b.op.text = "pad";
  b.op.instruction = [rank](llvm::ArrayRef<int64_t> v) {
    std::string text = "pad(p0, z), padding=";
    for (int64_t i = 0; i < rank; ++i) {
      text += (i ? "x" : "") + std::to_string(v[2 * rank + i]) + "_" +
              std::to_string(v[3 * rank + i]) + "_" + std::to_string(v[rank + i] - 1);
    }
    return text;
  };
  return {std::move(b.op)};
}

// Three operands, one behind the other along dimension `along`.
std::vector<SymbolicOp> Concatenates(int64_t rank, Context& context) {
  constexpr int64_t kOperands = 3;
  std::vector<SymbolicOp> all;
  for (int64_t along = 0; along < rank; ++along) {
    Builder b(context);
    std::vector<SymbolicExpr> size = b.Parameters("n", rank, 0);
    std::vector<SymbolicExpr> part = b.Parameters("part", kOperands, 0);
    b.op.output_sizes = size;
    b.op.output_sizes[along] = part[0] + part[1] + part[2];
    SymbolicExpr before = b.Constant(0);
    for (SymbolicExpr own : part) {
      SymbolicRead read;
      read.input_sizes = size;
      read.input_sizes[along] = own;
      for (int64_t i = 0; i < rank; ++i) {
        read.results.push_back(i == along ? b.Out(i) - before : b.Out(i));
        read.relation.push_back({i == along ? b.In(i) + before : b.In(i), b.Out(i)});
      }
      read.domain.push_back({before, b.Out(along), /*equal=*/false});
      read.domain.push_back({b.Out(along), before + own - 1, /*equal=*/false});
      before = before + own;
      b.op.operands.push_back(std::move(read));
    }
    b.op.text = "concatenate, dimensions={" + std::to_string(along) + "}";
    b.op.instruction = [along](llvm::ArrayRef<int64_t>) {
      return "concatenate(p0, p1, p2), dimensions={" + std::to_string(along) + "}";
    };
    all.push_back(std::move(b.op));
  }
  return all;
}

}  // namespace affirm::hlo_semantics::all_shapes
