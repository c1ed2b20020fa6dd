// dot and convolution, which are sums of products, from zero.
//
// Products and sums are taken in the accumulation type, and the sum is converted to the type of the
// result once. That type is f64 where the result or an operand is f64, else f32 for floats; for
// other types it is the result's.
#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

using hlo::Opcode;
using hlo::PrimitiveType;

PrimitiveType AccumulationType(const Query& q) {
  const PrimitiveType result = q.op.shape.type;
  if (!hlo::IsFloat(result)) return result;
  for (PrimitiveType type : {q.operand(0).type, q.operand(1).type, result}) {
    if (type == PrimitiveType::kF64) return type;
  }
  return PrimitiveType::kF32;
}

// The sum over the variables of the products of elements of both operands, where the condition
// holds.
Value SumOfProducts(const Query& q, Term condition, llvm::ArrayRef<Term> lhs,
                    llvm::ArrayRef<Term> rhs, llvm::ArrayRef<Term> variables) {
  Scope& scope = q.scope();
  Pool& pool = q.pool();
  const PrimitiveType type = AccumulationType(q), result = q.op.shape.type;
  auto product = [&]() -> Value {
    Term factors[2];
    for (int64_t k : {0, 1}) {
      Value element = q.Operand(k, k == 0 ? lhs : rhs);
      if (!element) return element;
      factors[k] = terms::Convert(scope, *element, q.operand(k).type, type);
      if (!factors[k]) return NoValueTerm(q.op);
    }
    Term value = Binary(scope, Opcode::kMultiply, type, factors[0], factors[1]);
    if (!value) return NoValueTerm(q.op);
    return value;
  };
  Term zero = terms::ElementOfLiteral(pool, hlo::Literal(hlo::Shape::Array(type, {})), 0);
  Value value = q.builder.Under(condition, product);
  if (!value) return value;
  Term sum = zero;
  if (*value) {
    Term fold = *value;
    if (variables.empty())
      q.IsOf(fold);
    else
      fold = q.Fold(terms::FoldOpOf(Opcode::kAdd, type), condition, *value, variables);
    sum = Binary(scope, Opcode::kAdd, type, zero, fold);
    if (sum && variables.empty()) sum = terms::SelectValue(scope, condition, sum, zero);
  }
  Term converted = sum ? terms::Convert(scope, sum, type, result) : nullptr;
  if (!converted) return NoValueTerm(q.op);
  return converted;
}

}  // namespace

// The dimensions of the result are the batch dimensions, then the free ones of the left operand,
// then those of the right.
Value Dot(const Query& q) {
  if (q.op.operands.size() != 2) return NoValueTerm(q.op);
  Pool& pool = q.pool();
  const hlo::Attributes& a = q.op.attributes;
  Index lhs(q.operand(0).rank()), rhs(q.operand(1).rank());
  std::vector<Term> variables;
  Term condition = pool.True();
  size_t next = 0;
  for (size_t k = 0; k < a.lhs_batch.size(); ++k, ++next)
    lhs[a.lhs_batch[k]] = rhs[a.rhs_batch[k]] = q.index[next];
  for (size_t k = 0; k < a.lhs_contracting.size(); ++k) {
    const int64_t size = q.operand(0).dims[a.lhs_contracting[k]];
    if (size == 0) condition = pool.False();
    Term at = size == 0 ? pool.Number(0) : q.Variable(static_cast<int64_t>(k), size);
    lhs[a.lhs_contracting[k]] = rhs[a.rhs_contracting[k]] = at;
    if (size > 1) variables.push_back(at);
  }
  for (Index* index : {&lhs, &rhs}) {
    for (Term& at : *index) {
      if (!at) at = q.index[next++];
    }
  }
  return SumOfProducts(q, condition, lhs, rhs, variables);
}

// The output feature is of one feature group, whose input features it sums over, and of one batch
// group, from which the batch is. The variables are those of the kernel's spatial dimensions, and
// the input feature in its group.
Value Convolution(const Query& q) {
  if (!q.op.attributes.dim_labels) return NoValueTerm(q.op);
  Scope& scope = q.scope();
  Pool& pool = q.pool();
  const hlo::Attributes& a = q.op.attributes;
  const hlo::ConvDimensionNumbers& n = *a.dim_labels;
  const std::vector<int64_t>&input = q.operand(0).dims, &kernel = q.operand(1).dims;
  const int64_t inputs = kernel[n.kernel_input_feature], outputs = kernel[n.kernel_output_feature];
  Term feature = q.index[n.output_feature];
  Index lhs(input.size()), rhs(kernel.size());
  std::vector<Term> variables, conditions;
  auto variable = [&](int64_t k, int64_t size) {
    if (size == 0) conditions.push_back(pool.False());
    Term at = size == 0 ? pool.Number(0) : q.Variable(k, size);
    if (size > 1) variables.push_back(at);
    return at;
  };
  Index offsets;
  for (size_t s = 0; s < a.window.size(); ++s) {
    const hlo::WindowDimension& window = a.window[s];
    offsets.push_back(variable(static_cast<int64_t>(s), window.size));
    rhs[n.kernel_spatial[s]] =
        window.reversal ? pool.Subtract(pool.Number(window.size - 1), offsets[s]) : offsets[s];
    BelowWindow below = UnderWindow(scope, window, q.index[n.output_spatial[s]], offsets[s],
                                    input[n.input_spatial[s]]);
    lhs[n.input_spatial[s]] = below.element;
    conditions.push_back(below.condition);
  }
  Term input_feature = variable(static_cast<int64_t>(a.window.size()), inputs);
  auto group = [&](int64_t count) {
    return scope.Quotient(feature, std::max<int64_t>(outputs / count, 1));
  };
  lhs[n.input_feature] = pool.Add(pool.Scale(group(a.feature_group_count), inputs), input_feature);
  lhs[n.input_batch] =
      pool.Add(pool.Scale(group(a.batch_group_count), input[n.input_batch] / a.batch_group_count),
               q.index[n.output_batch]);
  rhs[n.kernel_input_feature] = input_feature;
  rhs[n.kernel_output_feature] = feature;
  return SumOfProducts(q, scope.Simplify(pool.And(conditions)), lhs, rhs, variables);
}

}  // namespace affirm::hlo_values
