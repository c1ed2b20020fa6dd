// The semantics of each op: one function for each op, in one file for each op family, gives its
// access relation. Internal to verify/hlo: use Meaning() of relations.h.
#ifndef AFFIRM_VERIFY_HLO_MEANINGS_H_
#define AFFIRM_VERIFY_HLO_MEANINGS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hlo/leaves.h"
#include "core/hlo/module.h"
#include "core/symbolic/context.h"
#include "verify/hlo/relations.h"

namespace affirm::meaning {

// What an op is asked for: how array leaf `output_id` of its result, of shape `output`, reads array
// leaf `leaf` of operand `operand`, of shape `input`. Terms of the relation are made of Out(i),
// In(j) and Runtime(k), the i-th coordinate of the result's index and so on.
struct Query {
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

// Nullopt where the op has no relation: attributes that do not fit the shapes, say.
using Answer = std::optional<Relation>;

// A relation over the index spaces of the query that holds where all of `facts` do.
Relation All(const Query& q, std::vector<Formula> facts);
// Every element of the result reads every element of the operand.
inline Relation Everything(const Query& q) { return All(q, {}); }
// No element of the operand is read.
Relation Nothing(const Query& q);
// in = out; nullopt unless the sizes are the same.
Answer SameIndex(const Query& q);
// The same relation as an upper bound: what is read depends on values, or on the algorithm, but is
// no more than this.
Answer AtMost(Answer answer);

// Operands of variadic reductions are n arrays, then n initial values.
inline bool IsInitialValue(const Query& q) {
  return q.operand >= static_cast<int64_t>(q.op.operands.size()) / 2;
}

// elementwise.cc
Answer Elementwise(const Query& q);  // also map
// random.cc
Answer Rng(const Query& q);
Answer RngBitGenerator(const Query& q);
// movement.cc
Answer Broadcast(const Query& q);
Answer Transpose(const Query& q);
Answer Reverse(const Query& q);
// movement_reshape.cc
Answer Reshape(const Query& q);
Answer DynamicReshape(const Query& q);
Answer Bitcast(const Query& q);
Answer BitcastConvert(const Query& q);
// slicing.cc
Answer Slice(const Query& q);
Answer Pad(const Query& q);
Answer Concatenate(const Query& q);
Answer GetDimensionSize(const Query& q);
Answer SetDimensionSize(const Query& q);
// slicing_dynamic.cc
Answer DynamicSlice(const Query& q);
Answer DynamicUpdateSlice(const Query& q);
// reduction.cc
Answer Reduce(const Query& q);
Answer Scan(const Query& q);
// sorting.cc
Answer Sort(const Query& q);
Answer TopK(const Query& q);
// window.cc
Answer ReduceWindow(const Query& q);
Answer SelectAndScatter(const Query& q);
// contraction.cc
Answer Dot(const Query& q);
Answer ScaledDot(const Query& q);
Answer Convolution(const Query& q);
// contraction_ragged.cc
Answer RaggedDot(const Query& q);
// normalization.cc
Answer BatchNorm(const Query& q);  // training, inference and gradient
// gather_scatter.cc
Answer Gather(const Query& q);
Answer Scatter(const Query& q);
// linalg.cc
Answer Fft(const Query& q);
Answer Cholesky(const Query& q);
Answer TriangularSolve(const Query& q);
// control.cc
Answer Tuple(const Query& q);
Answer GetTupleElement(const Query& q);
Answer CopyStart(const Query& q);
Answer CopyDone(const Query& q);
Answer AsyncStart(const Query& q);  // nullopt for what the called computation gives
Answer AsyncDone(const Query& q);
Answer Conditional(const Query& q);  // of the selector alone; branches are proved by ProveFusion
Answer While(const Query& q);        // of leaves that the loop hands through
// collectives.cc
Answer SamePlace(const Query& q);  // result k is made of operand k, element by element
Answer AllGather(const Query& q);
Answer AllGatherStart(const Query& q);
Answer SecondHalfDone(const Query& q);  // gives the results of a start's (operands, results, ...)
Answer PermuteStart(const Query& q);
Answer ReduceScatter(const Query& q);
Answer AllToAll(const Query& q);
Answer CollectiveBroadcast(const Query& q);
Answer RaggedAllToAll(const Query& q);

// The relation of an op that uses dynamic sizes, from the one that it has where all sizes are as
// large as their bounds; nullopt where a size cannot be followed to the scalar that sets it. An
// element-wise op on f32[<=5] reads index d0 where d0 < size. In dynamic_sizes.cc.
Answer AtActualSizes(const Query& q, Answer at_bounds);

// Adds a runtime value to the relation: the element of `producer` at index `place` (over the
// result's index), clamped to [0, limit]. Returns its variable. In runtime_values.cc.
SymbolicExpr AddRuntime(const Query& q, Relation& relation, const hlo::Instruction& producer,
                        std::vector<SymbolicExpr> place, int64_t limit);

// Along one dimension: input position `in` is under some tap of the window at output position
// `out`. In window.cc.
Formula UnderWindow(const hlo::WindowDimension& window, SymbolicExpr out, SymbolicExpr in);

}  // namespace affirm::meaning

#endif  // AFFIRM_VERIFY_HLO_MEANINGS_H_
