// Maps of ragged-dot. The sizes of the groups are runtime values, so no map can say which group an
// element belongs to. The maps lead to all groups and are over-approximate.
#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/attribute_values.h"

namespace affirm::analysis {
namespace {

struct RaggedDot {
  hlo::Ints ragged, group;  // one dim of the left side; at most one of the right
  int64_t groups = 0;
  bool sums_each_group = false;  // the ragged dim is contracted: dim 0 of the result is the group
  // The result's dim, or a range variable, for each dim of the sides.
  std::vector<SymbolicExpr> lhs, rhs;
  std::vector<int64_t> ranges;  // the contracted sizes, then the groups
};

std::optional<RaggedDot> Analyze(const hlo::Instruction& op, Context& context) {
  const hlo::Attributes& a = op.attributes;
  auto ragged = hlo::IntsAttribute(a, "lhs_ragged_dims");
  if (!ragged || ragged->size() != 1 || op.operands.size() != 3) return std::nullopt;
  RaggedDot d;
  d.ragged = *ragged;
  d.group = hlo::IntsAttribute(a, "rhs_group_dims").value_or(hlo::Ints());
  const hlo::Shape &lhs = op.operands[0]->shape, &rhs = op.operands[1]->shape;
  const hlo::Shape& sizes = op.operands[2]->shape;
  if (sizes.rank() < 1 || d.group.size() > 1 || !AreDistinctDims(d.ragged, lhs.rank()) ||
      a.lhs_batch.size() != a.rhs_batch.size() ||
      a.lhs_contracting.size() != a.rhs_contracting.size()) {
    return std::nullopt;
  }
  hlo::Ints lhs_used = a.lhs_batch, rhs_used = a.rhs_batch;
  lhs_used.insert(lhs_used.end(), a.lhs_contracting.begin(), a.lhs_contracting.end());
  rhs_used.insert(rhs_used.end(), a.rhs_contracting.begin(), a.rhs_contracting.end());
  rhs_used.insert(rhs_used.end(), d.group.begin(), d.group.end());
  if (!AreDistinctDims(lhs_used, lhs.rank()) || !AreDistinctDims(rhs_used, rhs.rank())) {
    return std::nullopt;
  }
  d.groups = sizes.dims.back();
  d.sums_each_group = Contains(a.lhs_contracting, d.ragged[0]);
  d.lhs.resize(lhs.rank());
  d.rhs.resize(rhs.rank());
  int64_t next = d.sums_each_group ? 1 : 0;
  for (size_t k = 0; k < a.lhs_batch.size(); ++k) {
    d.lhs[a.lhs_batch[k]] = d.rhs[a.rhs_batch[k]] = context.Dim(next++);
  }
  for (size_t k = 0; k < a.lhs_contracting.size(); ++k) {
    d.lhs[a.lhs_contracting[k]] = d.rhs[a.rhs_contracting[k]] = context.Range(k);
    d.ranges.push_back(lhs.dims[a.lhs_contracting[k]]);
  }
  for (int64_t dim : d.group) d.rhs[dim] = context.Range(std::ssize(d.ranges));
  d.ranges.push_back(d.groups);
  for (auto* side : {&d.lhs, &d.rhs}) {
    for (SymbolicExpr& e : *side) {
      if (!e) e = context.Dim(next++);
    }
  }
  return next == op.shape.rank() ? std::optional(d) : std::nullopt;
}

// The index into the group sizes: the batch dims, the dims of the ragged dim's kind (contracted or
// free) before it, then the group. If the ragged dim is a batch dim, only the batch dims before it.
std::optional<std::vector<SymbolicExpr>> SizesIndex(const hlo::Instruction& op, const RaggedDot& d,
                                                    Context& context) {
  const hlo::Attributes& a = op.attributes;
  SymbolicExpr group = context.Range(std::ssize(d.ranges) - 1);
  const int64_t rank = op.operands[2]->shape.rank();
  if (rank == 1) return std::vector<SymbolicExpr>{group};
  std::vector<SymbolicExpr> index;
  const int64_t ragged = d.ragged[0];
  for (int64_t dim : a.lhs_batch) {
    if (dim == ragged) break;
    index.push_back(d.lhs[dim]);
  }
  const bool is_batch = Contains(a.lhs_batch, ragged);
  for (int64_t dim : a.lhs_contracting) {
    if (!d.sums_each_group || dim == ragged) break;
    index.push_back(d.lhs[dim]);
  }
  for (int64_t dim = 0; dim < ragged && !is_batch && !d.sums_each_group; ++dim) {
    if (!Contains(a.lhs_batch, dim) && !Contains(a.lhs_contracting, dim)) {
      index.push_back(d.lhs[dim]);
    }
  }
  index.push_back(group);
  return std::ssize(index) == rank ? std::optional(index) : std::nullopt;
}

}  // namespace

InstructionIndexing RaggedDotOutputToInput(const hlo::Instruction& op, int64_t id,
                                           Session& session) {
  Context& context = session.context;
  std::optional<RaggedDot> d = Analyze(op, context);
  if (!d) return UnknownOutputToInput(op, id, session);
  auto sizes = SizesIndex(op, *d, context);
  if (!sizes) return UnknownOutputToInput(op, id, session);
  auto cover = [&](llvm::ArrayRef<SymbolicExpr> results) {
    return std::vector<LabeledMap>{OverApproximate(
        Canonical(IndexingMap::FromShapes(context, results, op.shape.dims, d->ranges)))};
  };
  return {{cover(d->lhs), cover(d->rhs), cover(*sizes)}};
}

}  // namespace affirm::analysis
