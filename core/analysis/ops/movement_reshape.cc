// Maps of reshape and dynamic-reshape. A reshape is cut into the smallest runs of dimensions with
// equal products; each run collapses, expands, or collapses and then expands:
//   f32[2,3,20] -> f32[6,4,5] is [2,3] -> [6], then [20] -> [4,5].
#include "core/analysis/ops/movement_reshape.h"

#include "core/analysis/ops/op_helpers.h"
#include "core/symbolic/linearize.h"

namespace affirm::analysis {
namespace {

std::optional<int64_t> Product(llvm::ArrayRef<int64_t> sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) {
    if (s == 0) return 0;
  }
  for (int64_t s : sizes) {
    auto product = CheckedMul(n, s);
    if (!product || s < 0) return std::nullopt;
    n = *product;
  }
  return n;
}

// Runs [from_begin, from_end) and [to_begin, to_end) with the same number of elements.
struct Run {
  size_t from_begin, from_end, to_begin, to_end;
};

// `from` and `to` hold the same positive number of elements, so that every run can be completed.
std::vector<Run> SmallestRuns(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  std::vector<Run> runs;
  size_t f = 0, t = 0;
  while (f < from.size() || t < to.size()) {
    Run run{f, f, t, t};
    int64_t from_count = 1, to_count = 1;
    if (f < from.size()) from_count = from[run.from_end++];
    if (t < to.size() && from_count != 1) to_count = to[run.to_end++];
    // A dimension of size one is a run of its own.
    if (f == from.size()) ++run.to_end;
    while (from_count != to_count) {
      if (from_count < to_count) {
        from_count *= from[run.from_end++];
      } else {
        to_count *= to[run.to_end++];
      }
    }
    runs.push_back(run);
    f = run.from_end;
    t = run.to_end;
  }
  return runs;
}

}  // namespace

IndexingMap ReshapeMap(Context& context, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  std::optional<int64_t> count = Product(from);
  if (!count || count != Product(to)) return IndexingMap::Undefined();
  if (*count == 0) return IndexingMap::KnownEmpty(context);
  std::vector<SymbolicExpr> results;
  for (const Run& run : SmallestRuns(from, to)) {
    std::vector<SymbolicExpr> dims;
    for (size_t i = run.from_begin; i < run.from_end; ++i) dims.push_back(context.Dim(i));
    SymbolicExpr linear =
        Linearize(context, dims, from.slice(run.from_begin, run.from_end - run.from_begin));
    std::vector<SymbolicExpr> part =
        Delinearize(linear, to.slice(run.to_begin, run.to_end - run.to_begin));
    results.insert(results.end(), part.begin(), part.end());
  }
  return Canonical(IndexingMap::FromShapes(context, results, from, {}));
}

InstructionIndexing ReshapeOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  InstructionIndexing out = NothingRead(op);
  IndexingMap map = ReshapeMap(session.context, op.shape.dims, op.operands[0]->shape.dims);
  out.maps[0].push_back(map.IsUndefined() ? Unknown() : Exact(std::move(map)));
  return out;
}

InstructionIndexing ReshapeInputToOutput(const hlo::Instruction& op, int64_t, Session& session) {
  InstructionIndexing out = NothingWritten(op);
  IndexingMap map = ReshapeMap(session.context, op.operands[0]->shape.dims, op.shape.dims);
  out.maps[0].push_back(map.IsUndefined() ? Unknown() : Exact(std::move(map)));
  return out;
}

// Sizes are at most those of the result's shape. Where that has no more elements than the operand,
// they are those of the shape, and the op is a reshape.
InstructionIndexing DynamicReshapeOutputToInput(const hlo::Instruction& op, int64_t id,
                                                Session& session) {
  if (op.operands.empty()) return UnknownOutputToInput(op, id, session);
  InstructionIndexing out = ReshapeOutputToInput(op, id, session);
  for (size_t k = 1; k < op.operands.size(); ++k) {
    const bool scalar = op.operands[k]->shape.IsScalar();
    out.maps[k].push_back(scalar ? Exact(ReadsScalar(session.context, op.shape.dims)) : Unknown());
  }
  return out;
}

}  // namespace affirm::analysis
