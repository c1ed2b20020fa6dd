// Maps of dot and scaled-dot. A matrix product reads (d0, d1)[s0] -> (d0, s0) on the left and
// (d0, d1)[s0] -> (s0, d1) on the right. In general the result's dims are the batch dims, then the
// free dims of the left and of the right operand; one range variable per pair of contracting dims.
#include "core/analysis/ops/op_helpers.h"

namespace affirm::analysis {
namespace {

struct Side {
  llvm::ArrayRef<int64_t> sizes;
  llvm::ArrayRef<int64_t> batch;
  llvm::ArrayRef<int64_t> contracting;
  int64_t first_free_dim;  // in the result
};

bool IsWellFormedSide(const Side& side) {
  std::vector<int64_t> used(side.batch.begin(), side.batch.end());
  used.insert(used.end(), side.contracting.begin(), side.contracting.end());
  return AreDistinctDims(used, static_cast<int64_t>(side.sizes.size()));
}

int64_t NumFree(const Side& side) {
  return static_cast<int64_t>(side.sizes.size() - side.batch.size() - side.contracting.size());
}

// The index that one operand is read at.
std::vector<SymbolicExpr> ReadIndex(const Side& side, Context& context) {
  std::vector<SymbolicExpr> index(side.sizes.size());
  for (size_t i = 0; i < side.batch.size(); ++i) index[side.batch[i]] = context.Dim(i);
  for (size_t i = 0; i < side.contracting.size(); ++i) {
    index[side.contracting[i]] = context.Range(i);
  }
  int64_t next = side.first_free_dim;
  for (SymbolicExpr& e : index) {
    if (!e) e = context.Dim(next++);
  }
  return index;
}

// The index into the scale of an operand: each scale element serves a block of operand elements.
std::optional<std::vector<SymbolicExpr>> ScaleIndex(const Side& side, const hlo::Shape& scale,
                                                    Context& context) {
  if (scale.IsScalar()) return std::vector<SymbolicExpr>{};
  std::vector<SymbolicExpr> index = ReadIndex(side, context);
  if (scale.dims.size() != index.size()) return std::nullopt;
  for (size_t i = 0; i < index.size(); ++i) {
    if (scale.dims[i] == side.sizes[i]) continue;
    if (scale.dims[i] <= 0 || side.sizes[i] % scale.dims[i] != 0) return std::nullopt;
    int64_t block = side.sizes[i] / scale.dims[i];
    if (block == 0) return std::nullopt;
    index[i] = index[i].FloorDiv(block);
  }
  return index;
}

struct Contraction {
  Side lhs, rhs;
  std::vector<int64_t> ranges;
};

std::optional<Contraction> Analyze(const hlo::Instruction& op) {
  const hlo::Attributes& a = op.attributes;
  if (op.operands.size() < 2 || !op.shape.IsArray()) return std::nullopt;
  Contraction c;
  c.lhs = {op.operands[0]->shape.dims, a.lhs_batch, a.lhs_contracting,
           static_cast<int64_t>(a.lhs_batch.size())};
  c.rhs = {op.operands[1]->shape.dims, a.rhs_batch, a.rhs_contracting, 0};
  if (!IsWellFormedSide(c.lhs) || !IsWellFormedSide(c.rhs)) return std::nullopt;
  c.rhs.first_free_dim = c.lhs.first_free_dim + NumFree(c.lhs);
  bool fits = a.lhs_batch.size() == a.rhs_batch.size() &&
              a.lhs_contracting.size() == a.rhs_contracting.size() &&
              op.shape.rank() == c.rhs.first_free_dim + NumFree(c.rhs);
  if (!fits) return std::nullopt;
  for (int64_t d : a.lhs_contracting) c.ranges.push_back(c.lhs.sizes[d]);
  return c;
}

}  // namespace

InstructionIndexing DotOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  std::optional<Contraction> c = Analyze(op);
  // More than two operands carry sparsity metadata, which is not supported.
  if (!c || op.operands.size() != 2) return UnknownOutputToInput(op, 0, session);
  InstructionIndexing out = NothingRead(op);
  const Side* sides[] = {&c->lhs, &c->rhs};
  for (int k = 0; k < 2; ++k) {
    out.maps[k].push_back(Exact(IndexingMap::FromShapes(
        session.context, ReadIndex(*sides[k], session.context), op.shape.dims, c->ranges)));
  }
  return out;
}

// Operands: left, right, scale of left, scale of right.
InstructionIndexing ScaledDotOutputToInput(const hlo::Instruction& op, int64_t, Session& session) {
  std::optional<Contraction> c = Analyze(op);
  if (!c || op.operands.size() != 4) return UnknownOutputToInput(op, 0, session);
  InstructionIndexing out = NothingRead(op);
  const Side* sides[] = {&c->lhs, &c->rhs};
  for (int k = 0; k < 2; ++k) {
    out.maps[k].push_back(Exact(IndexingMap::FromShapes(
        session.context, ReadIndex(*sides[k], session.context), op.shape.dims, c->ranges)));
    auto scale = ScaleIndex(*sides[k], op.operands[2 + k]->shape, session.context);
    out.maps[2 + k].push_back(scale ? Exact(Canonical(IndexingMap::FromShapes(
                                          session.context, *scale, op.shape.dims, c->ranges)))
                                    : Unknown());
  }
  return out;
}

}  // namespace affirm::analysis
