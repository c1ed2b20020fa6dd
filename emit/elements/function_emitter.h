// A subgraph of a partition as an MLIR function:
//
//   (%p0: tensor<...>, ..., %pn: tensor<...>, %i0: index, ..., %ir: index, %h0, ...)
//       -> (e0, ..., em)
//
// It takes one tensor per parameter of the kernel that it reaches, one index per dimension of the
// subgraph's index space and one scalar per injected node, and has one result per root. For
// instance, exp(x) of x: f32[8, 16] is (%p0: tensor<8x16xf32>, %i0: index, %i1: index) -> f32. The
// functions have no effects and are called by affirm.pure_call.
#ifndef AFFIRM_EMIT_ELEMENTS_FUNCTION_EMITTER_H_
#define AFFIRM_EMIT_ELEMENTS_FUNCTION_EMITTER_H_

#include <cstdint>
#include <vector>

#include "emit/plan/flat_graph.h"
#include "emit/plan/partition.h"
#include "llvm/Support/Error.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace affirm::emit {

// A fault to be injected once (EmitOptions::fault_constant).
struct PendingFault {
  int64_t delta = 0;  // 0: none, or already injected
};

// By subgraph: the parameter leaves that are its first arguments, in order.
using ArraysOfSubgraphs = std::vector<std::vector<int64_t>>;
// The parameter leaves that the values of a subgraph read, directly or through functions.
ArraysOfSubgraphs FindArrays(const FlatGraph& graph, const Partition& partition);

// The state that the functions of a kernel share.
struct KernelParts {
  const FlatGraph& graph;
  const Partition& partition;
  Context& context;
  mlir::ModuleOp module;
  std::vector<mlir::func::FuncOp> functions;  // by subgraph; null for one without roots
  ArraysOfSubgraphs arrays;
  PendingFault fault;
};

// The tensor that stands for an array in a buffer: row-major, elements as stored.
mlir::RankedTensorType BufferType(mlir::MLIRContext* context, const hlo::Shape& shape);

// Declares the function of a subgraph, private, with an empty body block. `name` is its symbol.
llvm::Expected<mlir::func::FuncOp> DeclareFunction(const KernelParts& parts, int64_t subgraph,
                                                   llvm::StringRef name);

// Fills the function of a subgraph.
llvm::Error EmitFunction(KernelParts& parts, int64_t subgraph);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_ELEMENTS_FUNCTION_EMITTER_H_
