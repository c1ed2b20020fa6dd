// The relations of each op family, one file each. Internal to verify/hlo.
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

// What is asked: the operand's leaf array `input` as read by the result's leaf array `output`.
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

using Answer = std::optional<Relation>;

// A relation over the index spaces of the query that holds where all of `facts` do.
Relation All(const Query& q, std::vector<Formula> facts);
// Every element is read.
inline Relation Everything(const Query& q) { return All(q, {}); }
Relation Nothing(const Query& q);
// in = out; nullopt unless the sizes are the same.
Answer SameIndex(const Query& q);

// What is read depends on values, or on the algorithm: no more than this.
Answer AtMost(Answer answer);

Answer Elementwise(const Query& q);  // elementwise.cc
Answer BatchNorm(const Query& q);    // normalization.cc
Answer Rng(const Query& q);          // sizes_and_states.cc
Answer RngBitGenerator(const Query& q);
Answer GetDimensionSize(const Query& q);
Answer SetDimensionSize(const Query& q);
Answer Broadcast(const Query& q);  // shape_ops.cc
Answer Transpose(const Query& q);
Answer Reverse(const Query& q);
Answer Slice(const Query& q);
Answer Pad(const Query& q);
Answer Concatenate(const Query& q);
Answer Reshape(const Query& q);  // reshape.cc
Answer DynamicReshape(const Query& q);
Answer Bitcast(const Query& q);
Answer BitcastConvert(const Query& q);
Answer Reduce(const Query& q);  // reduction.cc
Answer ReduceWindow(const Query& q);
Answer Sort(const Query& q);
Answer TopK(const Query& q);
Answer Scan(const Query& q);
Answer SelectAndScatter(const Query& q);
Answer Dot(const Query& q);  // contraction.cc
Answer ScaledDot(const Query& q);
Answer Convolution(const Query& q);
Answer RaggedDot(const Query& q);  // ragged_dot.cc
Answer Fft(const Query& q);        // matrices.cc
Answer Cholesky(const Query& q);
Answer TriangularSolve(const Query& q);
Answer DynamicSlice(const Query& q);  // dynamic.cc
Answer DynamicUpdateSlice(const Query& q);
Answer Gather(const Query& q);   // gather.cc
Answer Scatter(const Query& q);  // scatter.cc
Answer Tuple(const Query& q);    // tuple.cc
Answer GetTupleElement(const Query& q);
Answer CopyStart(const Query& q);
Answer CopyDone(const Query& q);
Answer AsyncStart(const Query& q);  // but for what the called computation gives
Answer AsyncDone(const Query& q);
Answer Conditional(const Query& q);  // the selector alone
Answer While(const Query& q);        // where the loop hands a leaf through
Answer SamePlace(const Query& q);    // collectives.cc: output k from operand k
Answer AllGather(const Query& q);
Answer AllGatherStart(const Query& q);
Answer SecondHalfDone(const Query& q);  // of (operands, results, ..): the results
Answer PermuteStart(const Query& q);
Answer ReduceScatter(const Query& q);
Answer AllToAll(const Query& q);
Answer CollectiveBroadcast(const Query& q);
Answer RaggedAllToAll(const Query& q);

// The relation of an op that uses sizes known at run time, from the one that it has where all sizes
// are as large as their bounds; nullopt where a size cannot be followed to the scalar that sets it.
Answer AtActualSizes(const Query& q, Answer at_bounds);  // dynamic_sizes.cc

// Adds a runtime value: the element of `producer` at `place`, clamped to [0, limit]. Returns its
// variable.
SymbolicExpr AddRuntime(const Query& q, Relation& relation, const hlo::Instruction& producer,
                        std::vector<SymbolicExpr> place, int64_t limit);

// The element of a window along one dimension: holds when input position `in` is under some tap of
// the window at output position `out`.
Formula UnderWindow(const hlo::WindowDimension& window, SymbolicExpr out, SymbolicExpr in);

}  // namespace affirm::meaning

#endif  // AFFIRM_VERIFY_HLO_MEANINGS_H_
