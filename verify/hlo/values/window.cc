// reduce-window. Padding contributes nothing: only elements of the arrays are combined.
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

// Position `offset` of the window at `window_index` lies at window_index * stride + offset *
// window_dilation of the padded array, in which element i lies at padding_low + i * base_dilation.
BelowWindow UnderWindow(Scope& scope, const hlo::WindowDimension& window, Term window_index,
                        Term offset, int64_t size) {
  Pool& pool = scope.pool();
  Term position =
      pool.Add(pool.Scale(window_index, window.stride), pool.Scale(offset, window.window_dilation));
  position = pool.Subtract(position, pool.Number(window.padding_low));
  const terms::Int128 last = terms::Int128{window.base_dilation} * (size - 1);
  Term condition = Within(pool, position, pool.Number(0), pool.Number(last));
  if (window.base_dilation > 1) {
    condition = pool.And({condition, pool.IsZero(scope.Residue(position, window.base_dilation))});
  }
  return {condition, scope.Quotient(position, window.base_dilation)};
}

llvm::Expected<ReduceParts> PartsOfReduceWindow(const Query& q) {
  Pool& pool = q.pool();
  const size_t arity = q.op.operands.size() / 2;
  ReduceParts parts{.combiner = q.op.called[0]};
  const std::vector<hlo::WindowDimension>& window = q.op.attributes.window;
  std::vector<Term> conditions;
  Index offsets;
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d].size == 0) conditions.push_back(pool.False());
    offsets.push_back(window[d].size == 0 ? pool.Number(0)
                                          : q.Variable(static_cast<int64_t>(d), window[d].size));
    if (window[d].size > 1) parts.variables.push_back(offsets[d]);
    conditions.push_back(
        UnderWindow(q.scope(), window[d], q.index[d], offsets[d], q.operand(0).dims[d]).condition);
  }
  parts.condition = q.scope().Simplify(pool.And(conditions));
  for (size_t k = 0; k < arity; ++k) {
    Value init = q.Operand(static_cast<int64_t>(arity + k), {});
    if (!init) return init.takeError();
    parts.inits.push_back(*init);
    Value value = q.builder.Under(parts.condition, [&]() -> Value {
      Index index;
      for (size_t d = 0; d < window.size(); ++d) {
        index.push_back(
            UnderWindow(q.scope(), window[d], q.index[d], offsets[d], q.operand(0).dims[d])
                .element);
      }
      return q.Operand(static_cast<int64_t>(k), index);
    });
    if (!value) return value.takeError();
    if (!*value) parts.condition = pool.False();
    if (*value) parts.values.push_back(*value);
  }
  return parts;
}

Value ReduceWindow(const Query& q) {
  auto parts = PartsOfReduceWindow(q);
  if (!parts) return parts.takeError();
  return Folded(q, *parts);
}

}  // namespace affirm::hlo_values
