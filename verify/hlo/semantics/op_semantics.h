// The semantics of each op: one function for each op, in one file for each op family, gives its
// access relation. Internal to verify/hlo: use AccessRelationOf() of access_relation.h.
#ifndef AFFIRM_VERIFY_HLO_SEMANTICS_OP_SEMANTICS_H_
#define AFFIRM_VERIFY_HLO_SEMANTICS_OP_SEMANTICS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/hlo/module.h"
#include "core/symbolic/context.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm::hlo_semantics {

// A query for an op: how array leaf `output_id` of its result, of shape `output`, reads array leaf
// `leaf` of operand `operand`, of shape `input`. Terms of the relation are made of Out(i), In(j)
// and Runtime(k), the i-th coordinate of the result's index and so on.
struct AccessQuery {
  const hlo::Instruction& op;
  int64_t output_id;
  int64_t operand;
  int64_t leaf;
  const hlo::Shape& output;
  const hlo::Shape& input;
  Context& context;

  int64_t out_rank() const { return output.rank(); }
  int64_t in_rank() const { return input.rank(); }
  SymbolicExpr Out(int64_t i) const { return context.Dim(i); }
  SymbolicExpr In(int64_t j) const { return context.Dim(out_rank() + j); }
  SymbolicExpr Runtime(int64_t k) const { return context.Dim(out_rank() + in_rank() + k); }
  SymbolicExpr Constant(int64_t v) const { return context.Constant(v); }
};

// Nullopt where there is no relation, because attributes do not fit the shapes, for example.
using OptionalRelation = std::optional<AccessRelation>;

// A relation over the index spaces of the query that holds where all of `facts` do.
AccessRelation Where(const AccessQuery& q, std::vector<Formula> facts);
// Every element of the result reads every element of the operand.
inline AccessRelation ReadsAll(const AccessQuery& q) { return Where(q, {}); }
// No element of the operand is read.
AccessRelation ReadsNothing(const AccessQuery& q);
// in = out; nullopt unless the sizes are the same.
OptionalRelation SameIndex(const AccessQuery& q);
// The same relation as an upper bound: what is read depends on values, or on the algorithm, but is
// no more than this.
OptionalRelation UpperBound(OptionalRelation answer);

// Operands of variadic reductions are n arrays, then n initial values.
inline bool IsInitialValue(const AccessQuery& q) {
  return q.operand >= static_cast<int64_t>(q.op.operands.size()) / 2;
}

// elementwise.cc
OptionalRelation Elementwise(const AccessQuery& q);  // also map
// random.cc
OptionalRelation Rng(const AccessQuery& q);
OptionalRelation RngBitGenerator(const AccessQuery& q);
// movement.cc
OptionalRelation Broadcast(const AccessQuery& q);
OptionalRelation Transpose(const AccessQuery& q);
OptionalRelation Reverse(const AccessQuery& q);
// movement_reshape.cc
OptionalRelation Reshape(const AccessQuery& q);
OptionalRelation DynamicReshape(const AccessQuery& q);
OptionalRelation Bitcast(const AccessQuery& q);
OptionalRelation BitcastConvert(const AccessQuery& q);
// slicing.cc
OptionalRelation Slice(const AccessQuery& q);
OptionalRelation Pad(const AccessQuery& q);
OptionalRelation Concatenate(const AccessQuery& q);
OptionalRelation GetDimensionSize(const AccessQuery& q);
OptionalRelation SetDimensionSize(const AccessQuery& q);
// slicing_dynamic.cc
OptionalRelation DynamicSlice(const AccessQuery& q);
OptionalRelation DynamicUpdateSlice(const AccessQuery& q);
// reduction.cc
OptionalRelation Reduce(const AccessQuery& q);
OptionalRelation Scan(const AccessQuery& q);
// sorting.cc
OptionalRelation Sort(const AccessQuery& q);
OptionalRelation TopK(const AccessQuery& q);
// window.cc
OptionalRelation ReduceWindow(const AccessQuery& q);
OptionalRelation SelectAndScatter(const AccessQuery& q);
// contraction.cc
OptionalRelation Dot(const AccessQuery& q);
OptionalRelation ScaledDot(const AccessQuery& q);
OptionalRelation Convolution(const AccessQuery& q);
// contraction_ragged.cc
OptionalRelation RaggedDot(const AccessQuery& q);
// normalization.cc
OptionalRelation BatchNorm(const AccessQuery& q);  // training, inference and gradient
// gather_scatter.cc
OptionalRelation Gather(const AccessQuery& q);
OptionalRelation Scatter(const AccessQuery& q);
// linalg.cc
OptionalRelation Fft(const AccessQuery& q);
OptionalRelation Cholesky(const AccessQuery& q);
OptionalRelation TriangularSolve(const AccessQuery& q);
// control.cc
OptionalRelation CopyStart(const AccessQuery& q);
// For ops for which HandedOn has a value.
OptionalRelation HandOn(const AccessQuery& q);
OptionalRelation AsyncStart(const AccessQuery& q);  // nullopt for what the called computation gives
OptionalRelation AsyncDone(const AccessQuery& q);
// The selector alone: ProveFusion proves the reads of the branches.
OptionalRelation Conditional(const AccessQuery& q);
// Only leaves that the loop forwards.
OptionalRelation While(const AccessQuery& q);
// collectives.cc
// Result k is made of operand k, element by element.
OptionalRelation SameIndexOfSameOperand(const AccessQuery& q);
OptionalRelation AllGather(const AccessQuery& q);
OptionalRelation AllGatherStart(const AccessQuery& q);
// The results of a start op's tuple (operands, results, ...).
OptionalRelation CollectiveDone(const AccessQuery& q);
OptionalRelation CollectivePermuteStart(const AccessQuery& q);
OptionalRelation ReduceScatter(const AccessQuery& q);
OptionalRelation AllToAll(const AccessQuery& q);
OptionalRelation CollectiveBroadcast(const AccessQuery& q);
OptionalRelation RaggedAllToAll(const AccessQuery& q);

// The relation of an op that uses dynamic sizes, from the one that it has where all sizes are as
// large as their bounds; nullopt where a size cannot be followed to the scalar that sets it. An
// element-wise op on f32[<=5] reads index d0 where d0 < size. In dynamic_sizes.cc.
OptionalRelation AtActualSizes(const AccessQuery& q, OptionalRelation at_bounds);

// Adds a runtime value to the relation: the element of `producer` at `index` (over the
// result's index), clamped to [0, limit]. Returns its variable. In runtime_values.cc.
SymbolicExpr AddRuntimeOperand(const AccessQuery& q, AccessRelation& relation,
                               const hlo::Instruction& producer, std::vector<SymbolicExpr> index,
                               int64_t limit);

// Along one dimension: input position `in` is under some tap of the window at output position
// `out`. In window.cc.
Formula UnderWindow(const hlo::WindowDimension& window, SymbolicExpr out, SymbolicExpr in);

}  // namespace affirm::hlo_semantics

#endif  // AFFIRM_VERIFY_HLO_SEMANTICS_OP_SEMANTICS_H_
