// Maps of dynamic-slice and dynamic-update-slice, slices that start where scalars say at run time
// (XLA clamps the starts so that the slice stays inside), and of get- and set-dimension-size.
#include "core/analysis/ops/op_helpers.h"
#include "core/analysis/runtime_indices.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

// The starts are scalars, one per dim, or one vector of them (the older form).
bool HasStarts(const hlo::Instruction& op, size_t first, int64_t rank) {
  if (op.operands.size() == first + static_cast<size_t>(rank)) {
    for (size_t k = first; k < op.operands.size(); ++k) {
      if (!op.operands[k]->shape.IsScalar()) return rank == 1 && op.operands[k]->shape.rank() == 1;
    }
    return true;
  }
  return op.operands.size() == first + 1 && op.operands[first]->shape.rank() == 1 &&
         op.operands[first]->shape.dims[0] == rank;
}

// The clamped start of dim i.
SymbolicExpr Start(const hlo::Instruction& op, size_t first, int64_t i, int64_t limit,
                   RuntimeIndices& indices, Context& context) {
  if (op.operands[first]->shape.rank() == 1) {
    return indices.Add(*op.operands[first], {context.Constant(i)}, limit);
  }
  return indices.Add(*op.operands[first + i], {}, limit);
}

// Every element of the result needs every start.
void ReadStarts(const hlo::Instruction& op, size_t first, InstructionIndexing& out,
                Session& session) {
  for (size_t k = first; k < op.operands.size(); ++k) {
    out.maps[k].push_back(
        Exact(ReadsAll(session.context, op.shape.dims, op.operands[k]->shape.dims)));
  }
}

}  // namespace

InstructionIndexing DynamicSliceOutputToInput(const hlo::Instruction& op, int64_t,
                                              Session& session) {
  int64_t rank = op.shape.rank();
  if (op.operands.empty() || op.operands[0]->shape.rank() != rank || !HasStarts(op, 1, rank)) {
    return UnknownOutputToInput(op, 0, session);
  }
  InstructionIndexing out = NothingRead(op);
  RuntimeIndices indices(session, op.shape.dims);
  std::vector<SymbolicExpr> results;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t limit = op.operands[0]->shape.dims[i] - op.shape.dims[i];
    results.push_back(session.context.Dim(i) + Start(op, 1, i, limit, indices, session.context));
  }
  out.maps[0].push_back(Exact(indices.Build(results)));
  ReadStarts(op, 1, out, session);
  return out;
}

// XLA prints wider maps: the operand as if nothing were overwritten, the update without its
// bounds. The exact ones say that an element is read from the update when it lies in the window in
// every dim, and from the operand otherwise: when it is at least one step outside in some dim.
InstructionIndexing DynamicUpdateSliceOutputToInput(const hlo::Instruction& op, int64_t,
                                                    Session& session) {
  Context& context = session.context;
  int64_t rank = op.shape.rank();
  bool ok = op.operands.size() >= 2 && op.operands[0]->shape.dims == op.shape.dims &&
            op.operands[1]->shape.rank() == rank && HasStarts(op, 2, rank);
  if (!ok) return UnknownOutputToInput(op, 0, session);
  const std::vector<int64_t>& update = op.operands[1]->shape.dims;
  RuntimeIndices indices(session, op.shape.dims);
  std::vector<SymbolicExpr> in_operand, in_update, outside;
  std::vector<Constraint> inside;
  for (int64_t i = 0; i < rank; ++i) {
    SymbolicExpr d = context.Dim(i);
    SymbolicExpr offset = d - Start(op, 2, i, op.shape.dims[i] - update[i], indices, context);
    in_operand.push_back(d);
    in_update.push_back(offset);
    inside.push_back({offset, {0, update[i] - 1}});
    outside.push_back(-offset);
    outside.push_back(offset - (update[i] - 1));
  }
  InstructionIndexing out = NothingRead(op);
  if (llvm::is_contained(update, 0)) {
    out.maps[0].push_back(Exact(IndexingMap::Identity(context, op.shape.dims)));
  } else if (session.options.exact) {
    // A scalar is always overwritten.
    Constraint not_inside{rank ? context.Max(outside) : context.Constant(0), {1, kInt64Max}};
    out.maps[0].push_back(Exact(indices.Build(in_operand, {not_inside})));
    out.maps[1].push_back(Exact(indices.Build(in_update, inside)));
  } else {
    out.maps[0].push_back(OverApproximate(IndexingMap::Identity(context, op.shape.dims)));
    out.maps[1].push_back(OverApproximate(indices.Build(in_update)));
  }
  ReadStarts(op, 2, out, session);
  return out;
}

// The size is a part of the shape: no element is read.
InstructionIndexing GetDimensionSizeOutputToInput(const hlo::Instruction& op, int64_t, Session&) {
  return NothingRead(op);
}

InstructionIndexing SetDimensionSizeOutputToInput(const hlo::Instruction& op, int64_t,
                                                  Session& session) {
  InstructionIndexing out = NothingRead(op);
  if (op.operands[0]->shape.dims != op.shape.dims) return UnknownOutputToInput(op, 0, session);
  out.maps[0].push_back(Exact(IndexingMap::Identity(session.context, op.shape.dims)));
  out.maps[1].push_back(Exact(ReadsScalar(session.context, op.shape.dims)));
  return out;
}

}  // namespace affirm::analysis
