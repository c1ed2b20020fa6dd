// NodeEmitter emits the body of one function of the partition, node by node. Private to the files
// of this folder that emit ops.
#ifndef AFFIRM_EMIT_ELEMENTS_NODE_EMITTER_H_
#define AFFIRM_EMIT_ELEMENTS_NODE_EMITTER_H_

#include <map>
#include <vector>

#include "emit/elements/function_emitter.h"
#include "emit/elements/index_emitter.h"
#include "emit/elements/scalar.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::emit {

class NodeEmitter {
 public:
  using Values = llvm::SmallVector<mlir::Value, 2>;
  // Builds something inside a region and answers the values that the region yields.
  using Body = llvm::function_ref<llvm::Expected<Values>()>;

  NodeEmitter(KernelParts& parts, int64_t subgraph, Builder& b);

  // For InlineScalar alone: a function outside of the partition.
  NodeEmitter(KernelParts& parts, mlir::func::FuncOp function, Builder& b);

  // Emits the body of the function up to and including the return.
  llvm::Error Run();

  // A computation on scalars, inlined (scalar_computation.cc).
  llvm::Expected<Values> InlineScalar(const hlo::Computation& computation,
                                      llvm::ArrayRef<mlir::Value> arguments, int depth = 0);

 private:
  // Scopes and nodes, in the block that is being built (function_emitter.cc).
  llvm::Error EmitScope(int64_t scope);
  llvm::Expected<Values> EmitNode(int64_t node);
  llvm::Expected<Values> EmitElementwiseNode(int64_t node);
  llvm::Error EmitRuntimeVariables(int64_t node);

  // Elements of operands: operand k of a node as its plan reads it, or any value at an index.
  llvm::Expected<mlir::Value> Element(int64_t node, int64_t operand);
  llvm::Expected<mlir::Value> ElementAt(ValueRef value, const Index& index, int64_t scope);
  // The operand's scope, then its element.
  llvm::Expected<Values> ScopedElement(int64_t node, int64_t operand);
  // Nodes that are emitted anew at each use: parameters, constants and iotas (nullary.cc), and
  // get-dimension-size (slicing.cc).
  llvm::Expected<mlir::Value> EmitRematerialized(ValueRef value, const Index& index, int64_t scope);
  llvm::Expected<mlir::Value> EmitConstant(const hlo::Instruction& constant, const Index& index,
                                           int64_t scope);
  llvm::Expected<mlir::Value> EmitGetDimensionSize(const hlo::Instruction& op);
  mlir::Value ScalarLiteral(const hlo::Literal& literal, int64_t linear);

  // Ops whose elements need a loop or a branch (reduction.cc, contraction.cc, slicing.cc,
  // movement_bitcast_convert.cc).
  llvm::Expected<Values> EmitReduce(int64_t node);
  llvm::Expected<Values> EmitContraction(int64_t node);
  llvm::Expected<Values> EmitPad(int64_t node);
  llvm::Expected<Values> EmitConcatenate(int64_t node);
  llvm::Expected<Values> EmitDynamicUpdateSlice(int64_t node);
  llvm::Expected<Values> EmitBitcastConvert(int64_t node);

  // Loops and branches (regions.cc).
  // Whether the conditions of operands [first, first + count) hold; null when there are none.
  mlir::Value Conditions(int64_t node, int64_t first, int64_t count);
  llvm::Expected<Values> Branch(mlir::Value condition, mlir::TypeRange types, Body then_body,
                                Body else_body);
  // The loops of a node around `body`, which turns the accumulators into the next ones.
  llvm::Expected<Values> LoopNest(
      llvm::ArrayRef<LoopVariable> loops, mlir::ValueRange init,
      llvm::function_ref<llvm::Expected<Values>(mlir::ValueRange)> body);

  mlir::Value Array(int64_t parameter_leaf);
  mlir::Value Zero(hlo::PrimitiveType type);
  const IndexingMap& Domain(int64_t scope);
  const hlo::Instruction& instruction(int64_t node) const {
    return *parts_.graph.nodes[node].instruction;
  }
  const NodePlan& plan(int64_t node) const { return parts_.partition.nodes[node]; }

  KernelParts& parts_;
  int64_t id_;
  const Subgraph& subgraph_;
  Builder& b_;
  mlir::func::FuncOp function_;
  IndexEmitter index_;
  llvm::DenseMap<int64_t, Values> values_;  // of the nodes emitted so far
  std::map<int64_t, IndexingMap> domains_;  // by scope
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_ELEMENTS_NODE_EMITTER_H_
