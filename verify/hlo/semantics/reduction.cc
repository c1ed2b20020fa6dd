// Access relations of reduce and scan. Every result of a variadic reduce reads all operands alike.
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/semantics/op_semantics.h"

namespace affirm::hlo_semantics {

// The dimensions that are kept, in order, have the result's index; the reduced ones are read
// everywhere. Every element reads the initial value.
OptionalRelation Reduce(const AccessQuery& q) {
  if (IsInitialValue(q)) {
    return q.input.IsScalar() ? OptionalRelation(ReadsAll(q)) : std::nullopt;
  }
  std::vector<Formula> facts;
  int64_t next = 0;
  for (int64_t j = 0; j < q.in_rank(); ++j) {
    if (llvm::is_contained(q.op.attributes.dimensions, j)) continue;
    if (next == q.out_rank()) return std::nullopt;
    facts.push_back(Formula::Eq(q.In(j), q.Out(next++)));
  }
  if (next != q.out_rank()) return std::nullopt;
  return Where(q, std::move(facts));
}

// The operands are inputs and initial carries, the results stacked outputs and final carries. Step
// i gets slice i of the inputs and the carries, which depend on all slices before; it may combine
// the elements of a slice in any way.
OptionalRelation Scan(const AccessQuery& q) {
  const hlo::Attributes& a = q.op.attributes;
  int64_t inputs = static_cast<int64_t>(q.op.operands.size()) - a.num_carries;
  int64_t outputs = NumLeaves(q.op.shape) - a.num_carries;
  if (a.dimensions.size() != 1 || a.dimensions[0] < 0) return std::nullopt;
  int64_t along = a.dimensions[0];
  if (q.operand >= inputs || q.output_id >= outputs) return UpperBound(ReadsAll(q));
  if (along >= q.in_rank() || along >= q.out_rank()) return std::nullopt;
  SymbolicExpr in = q.In(along), out = q.Out(along);
  return UpperBound(Where(q, {a.is_reverse ? Formula::Le(out, in) : Formula::Le(in, out)}));
}

}  // namespace affirm::hlo_semantics
