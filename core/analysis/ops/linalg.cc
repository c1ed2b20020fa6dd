// Maps of the linear-algebra ops: fft, cholesky, triangular-solve. The triangular ops are
// recurrences, whose maps include the reads of all earlier elements that an element depends on.
#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/attribute_values.h"

namespace affirm::analysis {
namespace {

// The index of one matrix element: the batch dims of the result, then row and column.
std::vector<SymbolicExpr> MatrixIndex(Context& context, int64_t rank, SymbolicExpr row,
                                      SymbolicExpr column) {
  std::vector<SymbolicExpr> index = Dims(context, rank - 2);
  index.push_back(row);
  index.push_back(column);
  return index;
}

bool IsSquare(const hlo::Shape& shape) {
  const int64_t rank = shape.rank();
  return rank >= 2 && shape.dims[rank - 1] == shape.dims[rank - 2];
}

}  // namespace

// An element depends on all elements along the transformed dims, which are the last ones.
InstructionIndexing FftOutputToInput(const hlo::Instruction& op, int64_t id, Session& session) {
  const hlo::Shape &in = op.operands[0]->shape, &result = *LeafShape(op.shape, id);
  auto lengths = hlo::IntsAttribute(op.attributes, "fft_length");
  if (!lengths || in.rank() != result.rank() || std::ssize(*lengths) > in.rank()) {
    return UnknownOutputToInput(op, id, session);
  }
  const int64_t first = in.rank() - std::ssize(*lengths);
  std::vector<SymbolicExpr> results = Dims(session.context, first);
  for (int64_t d = first; d < in.rank(); ++d) results.push_back(session.context.Range(d - first));
  for (int64_t d = 0; d < first; ++d) {
    if (in.dims[d] != result.dims[d]) return UnknownOutputToInput(op, id, session);
  }
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(Exact(IndexingMap::FromShapes(
      session.context, results, result.dims, llvm::ArrayRef<int64_t>(in.dims).drop_front(first))));
  return out;
}

// L(i, j) depends on row i of A up to column j, and on the triangle of A above and left of (j, j).
// The other triangle of the result is zero. An upper factor is the mirror image.
InstructionIndexing CholeskyOutputToInput(const hlo::Instruction& op, int64_t id,
                                          Session& session) {
  Context& context = session.context;
  const hlo::Shape& in = op.operands[0]->shape;
  const bool lower = hlo::BoolAttribute(op.attributes, "lower").value_or(false);
  if (!IsSquare(in) || in.dims != op.shape.dims) return UnknownOutputToInput(op, id, session);
  const int64_t rank = in.rank(), n = in.dims[rank - 1];
  const Interval size{0, n - 1};
  SymbolicExpr i = context.Dim(rank - 2), j = context.Dim(rank - 1);
  if (!lower) std::swap(i, j);
  auto element = [&](SymbolicExpr row, SymbolicExpr column) {
    if (!lower) std::swap(row, column);
    return MatrixIndex(context, rank, row, column);
  };
  SymbolicExpr p = context.Range(0), q = context.Range(1);
  InstructionIndexing out = NothingRead(op);
  out.maps[0] = {Exact(IndexingMap::FromShapes(context, element(i, p), in.dims, {n},
                                               {{i - j, size}, {j - p, size}})),
                 Exact(IndexingMap::FromShapes(context, element(p, q), in.dims, {n, n},
                                               {{i - j, size}, {j - p, size}, {p - q, size}}))};
  return out;
}

// In T x = b with a triangular T, unknown i depends on the rows of T and b from the first solved
// row to row i. T is op(A) on the left side and its transpose on the right; x and b
// are columns on the left, rows on the right. By default the maps are unknown, as in XLA.
InstructionIndexing TriangularSolveOutputToInput(const hlo::Instruction& op, int64_t id,
                                                 Session& session) {
  Context& context = session.context;
  const hlo::Attributes& a = op.attributes;
  const hlo::Shape &matrix = op.operands[0]->shape, &sides = op.operands[1]->shape;
  const bool left = hlo::BoolAttribute(a, "left_side").value_or(false),
             lower = hlo::BoolAttribute(a, "lower").value_or(false),
             unit = hlo::BoolAttribute(a, "unit_diagonal").value_or(false);
  const llvm::StringRef transpose = hlo::WordAttribute(a, "transpose_a");
  const int64_t rank = matrix.rank();
  if (!session.options.exact || !IsSquare(matrix) || sides.rank() != rank ||
      sides.dims != op.shape.dims) {
    return UnknownOutputToInput(op, id, session);
  }
  const int64_t n = matrix.dims[rank - 1];
  const bool transposed = (transpose == "TRANSPOSE" || transpose == "ADJOINT") == left;
  // From the first row on where T is lower triangular, else from the last.
  const bool forward = lower != transposed;
  auto up_to = [&](SymbolicExpr late, SymbolicExpr early, int64_t least) {
    return Constraint{forward ? late - early : early - late, {least, n - 1}};
  };
  SymbolicExpr row = context.Dim(rank - 2), column = context.Dim(rank - 1);
  SymbolicExpr p = context.Range(0), q = context.Range(1), unknown = left ? row : column;
  InstructionIndexing out = NothingRead(op);
  out.maps[0].push_back(Exact(IndexingMap::FromShapes(
      context, MatrixIndex(context, rank, transposed ? q : p, transposed ? p : q), sides.dims,
      {n, n}, {up_to(unknown, p, 0), up_to(p, q, unit ? 1 : 0)})));
  out.maps[1].push_back(Exact(IndexingMap::FromShapes(
      context, MatrixIndex(context, rank, left ? p : row, left ? column : p), sides.dims, {n},
      {up_to(unknown, p, 0)})));
  return out;
}

}  // namespace affirm::analysis
