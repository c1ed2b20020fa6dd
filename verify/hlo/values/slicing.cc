// slice, pad, concatenate, and the size of a dimension.
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

Value Slice(const Query& q) {
  Index index;
  for (size_t d = 0; d < q.index.size(); ++d) {
    const hlo::SliceDimension& s = q.op.attributes.slice[d];
    index.push_back(q.pool().Add(q.pool().Scale(q.index[d], s.stride), q.pool().Number(s.start)));
  }
  return q.Operand(0, index);
}

// Element i of the operand lies at low + i * (interior + 1); elsewhere is the padding value.
Value Pad(const Query& q) {
  Scope& scope = q.scope();
  Pool& pool = q.pool();
  const auto& padding = q.op.attributes.padding;
  Index positions;
  std::vector<Term> conditions;
  for (size_t d = 0; d < padding.size(); ++d) {
    const terms::Int128 step = terms::Int128{padding[d].interior} + 1;
    const terms::Int128 last = step * (q.operand(0).dims[d] - 1);
    Term position = pool.Subtract(q.index[d], pool.Number(padding[d].low));
    positions.push_back(position);
    conditions.push_back(Within(pool, position, pool.Number(0), pool.Number(last)));
    if (step > 1) conditions.push_back(pool.IsZero(scope.Residue(position, step)));
  }
  auto inside = [&]() -> Value {
    Index index;
    for (size_t d = 0; d < padding.size(); ++d)
      index.push_back(scope.Quotient(positions[d], terms::Int128{padding[d].interior} + 1));
    return q.Operand(0, index);
  };
  return q.Choose(pool.And(conditions), inside, [&] { return q.Operand(1, {}); });
}

// Each operand is built where it is the one that is taken; those that never are do not appear.
Value Concatenate(const Query& q) {
  Pool& pool = q.pool();
  const int64_t dim = q.op.attributes.dimensions[0];
  Term at = q.index[dim];
  struct Piece {
    Term until;  // the condition that the element is of this operand, or of one before it
    Term value;
  };
  std::vector<Piece> pieces;
  const terms::Range range = q.scope().RangeOf(at);
  int64_t first = 0;
  for (size_t k = 0; k < q.op.operands.size(); ++k) {
    const int64_t size = q.operand(k).dims[dim];
    if (size == 0) continue;
    const int64_t begin = first, last = first + size - 1;
    first += size;
    // One operand of many, mostly: no terms are made of the others.
    if (!range.empty() && (last < range.lo || begin > range.hi)) continue;
    auto piece = [&]() -> Value {
      Index index = q.index.vec();
      index[dim] = pool.Subtract(at, pool.Number(begin));
      return q.Operand(k, index);
    };
    Term here = Within(pool, at, pool.Number(begin), pool.Number(last));
    if (q.scope().Decide(here) == true) return piece();
    Value value = q.builder.Under(here, piece);
    if (!value) return value;
    if (*value) pieces.push_back({pool.AtLeast(pool.Number(last), at), *value});
  }
  if (pieces.empty()) return NoValueTerm(q.op);
  Term value = pieces.back().value;
  for (size_t k = pieces.size() - 1; k-- > 0;)
    value = terms::SelectValue(q.scope(), pieces[k].until, pieces[k].value, value);
  return value;
}

Value GetDimensionSize(const Query& q) {
  // Its size is that of its type unless the operand, which is not asked for its values, is one
  // whose sizes are known at run time: such a dimension has no value terms.
  const llvm::SmallVector<Term> first(static_cast<size_t>(q.operand(0).rank()), q.pool().Number(0));
  const bool has_elements = !llvm::is_contained(q.operand(0).dims, 0);
  if (has_elements) {
    if (Value element = q.Operand(0, first); !element) return element.takeError();
  }
  const int64_t size = q.operand(0).dims[q.op.attributes.dimensions[0]];
  return terms::ValueOfInteger(q.scope(), q.pool().Number(size), q.op.shape.type);
}

Term Within(Pool& pool, Term x, Term lo, Term hi) {
  return pool.And({pool.AtLeast(x, lo), pool.AtLeast(hi, x)});
}

}  // namespace affirm::hlo_values
