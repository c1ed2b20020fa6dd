// The signature of a subgraph's function, and its nodes in the order of their scopes.
#include "emit/elements/function_emitter.h"

#include <set>

#include "emit/elements/node_emitter.h"
#include "emit/ir/dialect.h"

namespace affirm::emit {

using hlo::Instruction;
using hlo::Opcode;
using mlir::Value;
using Values = NodeEmitter::Values;

namespace {

const Subgraph kNoSubgraph;

}  // namespace

ArraysOfSubgraphs FindArrays(const FlatGraph& graph, const Partition& partition) {
  std::vector<std::set<int64_t>> found(partition.subgraphs.size());
  auto read = [&](ValueRef value, size_t id) {
    const FlatNode& node = graph.nodes[value.node];
    const int64_t source = partition.nodes[value.node].subgraph;
    if (llvm::is_contained(partition.subgraphs[id].injected, value.node)) return;
    if (node.is_parameter()) {
      found[id].insert(node.buffer + value.leaf);
    } else if (source >= 0 && static_cast<size_t>(source) != id) {
      found[id].insert(found[source].begin(), found[source].end());
    }
  };
  // Operands come before users, so that nothing is missing where a function is called.
  for (auto [node, plan] : llvm::zip(graph.nodes, partition.nodes)) {
    if (plan.subgraph < 0) continue;
    for (ValueRef operand : node.operands) read(operand, plan.subgraph);
  }
  for (auto [id, subgraph] : llvm::enumerate(partition.subgraphs))
    for (ValueRef root : subgraph.roots) read(root, id);
  ArraysOfSubgraphs arrays;
  for (const std::set<int64_t>& of : found) arrays.emplace_back(of.begin(), of.end());
  return arrays;
}

NodeEmitter::NodeEmitter(KernelParts& parts, mlir::func::FuncOp function, Builder& b)
    : parts_(parts), id_(-1), subgraph_(kNoSubgraph), b_(b), function_(function), index_(b) {}

NodeEmitter::NodeEmitter(KernelParts& parts, int64_t subgraph, Builder& b)
    : parts_(parts),
      id_(subgraph),
      subgraph_(parts.partition.subgraphs[subgraph]),
      b_(b),
      function_(parts.functions[subgraph]),
      index_(b) {
  const size_t buffers = parts.arrays[subgraph].size();
  for (size_t d = 0; d < subgraph_.shape.size(); ++d) {
    index_.SetDim(static_cast<int64_t>(d), function_.getArgument(buffers + d));
  }
}

llvm::Error NodeEmitter::Run() {
  if (llvm::Error error = EmitScope(0)) return error;
  llvm::SmallVector<Value> results;
  Index identity;
  for (size_t d = 0; d < subgraph_.shape.size(); ++d) {
    identity.push_back(parts_.context.Dim(static_cast<int64_t>(d)));
  }
  for (auto [k, root] : llvm::enumerate(subgraph_.roots)) {
    const Index& at = subgraph_.indices.empty() ? identity : subgraph_.indices[k];
    llvm::Expected<Value> value = ElementAt(root, at, 0);
    if (!value) return value.takeError();
    results.push_back(*value);
  }
  mlir::func::ReturnOp::create(b_, results);
  return llvm::Error::success();
}

llvm::Error NodeEmitter::EmitScope(int64_t scope) {
  for (int64_t node : subgraph_.scopes[scope].nodes) {
    mlir::Location outer = b_.getLoc();
    b_.setLoc(mlir::NameLoc::get(b_.getStringAttr(instruction(node).name)));
    llvm::Expected<Values> values = EmitNode(node);
    b_.setLoc(outer);
    if (!values) return values.takeError();
    values_[node] = std::move(*values);
  }
  return llvm::Error::success();
}

llvm::Expected<Values> NodeEmitter::EmitNode(int64_t node) {
  for (const hlo::Shape* leaf : LeafShapes(instruction(node).shape)) {
    if (!ValueType(b_.getContext(), leaf->type)) {
      return Unsupported(instruction(node), "the type " + leaf->ToString() + " has no emission");
    }
    if (llvm::is_contained(leaf->dynamic, true)) {
      return Unsupported(instruction(node), "it has a dynamic dimension");
    }
  }
  if (llvm::Error error = EmitRuntimeVariables(node)) return error;
  switch (instruction(node).opcode) {
    case Opcode::kBitcast: {
      llvm::Expected<Values> element = ScopedElement(node, 0);
      if (!element) return element.takeError();
      return Values{Reinterpreted(b_, element->front(), instruction(node).shape.type)};
    }
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return ScopedElement(node, 0);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return EmitReduce(node);
    case Opcode::kDot:
    case Opcode::kConvolution:
      return EmitContraction(node);
    case Opcode::kPad:
      return EmitPad(node);
    case Opcode::kConcatenate:
      return EmitConcatenate(node);
    case Opcode::kDynamicUpdateSlice:
      return EmitDynamicUpdateSlice(node);
    case Opcode::kBitcastConvert:
      return EmitBitcastConvert(node);
    default:
      return EmitElementwiseNode(node);
  }
}

llvm::Expected<Values> NodeEmitter::EmitElementwiseNode(int64_t node) {
  const Instruction& op = instruction(node);
  llvm::SmallVector<Value> operands;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    llvm::Expected<Value> operand = Element(node, static_cast<int64_t>(k));
    if (!operand) return operand.takeError();
    operands.push_back(*operand);
  }
  if (op.opcode == Opcode::kMap) {
    if (op.called.size() != 1) return Unsupported(op, "it must call one computation");
    return InlineScalar(*op.called.front(), operands);
  }
  llvm::Expected<Value> result = EmitElementwise(b_, op, operands);
  if (!result) return result.takeError();
  return Values{*result};
}

llvm::Error NodeEmitter::EmitRuntimeVariables(int64_t node) {
  for (const RuntimeVariable& variable : plan(node).runtime) {
    ValueRef source = parts_.graph.nodes[node].operands[variable.operand];
    hlo::PrimitiveType type = instruction(node).operands[variable.operand]->shape.type;
    llvm::Expected<Value> element = ElementAt(source, variable.index, plan(node).scope);
    if (!element) return element.takeError();
    if (!hlo::IsInt(type)) return Unsupported(instruction(node), "a start index isn't an integer");
    index_.SetDim(variable.dim, ClampedIndex(b_, *element, type, variable.bounds));
  }
  return llvm::Error::success();
}

llvm::Expected<Value> NodeEmitter::Element(int64_t node, int64_t operand) {
  const OperandAccess& access = plan(node).operands[operand];
  if (!access.read) return Zero(instruction(node).operands[operand]->shape.type);
  return ElementAt(parts_.graph.nodes[node].operands[operand], access.index, access.scope);
}

llvm::Expected<Values> NodeEmitter::ScopedElement(int64_t node, int64_t operand) {
  const OperandAccess& access = plan(node).operands[operand];
  if (access.read && access.scope != plan(node).scope) {
    if (llvm::Error error = EmitScope(access.scope)) return error;
  }
  llvm::Expected<Value> element = Element(node, operand);
  if (!element) return element.takeError();
  return Values{*element};
}

llvm::Expected<Value> NodeEmitter::ElementAt(ValueRef value, const Index& index, int64_t scope) {
  auto injected = llvm::find(subgraph_.injected, value.node) - subgraph_.injected.begin();
  if (injected < std::ssize(subgraph_.injected)) {
    size_t first = parts_.arrays[id_].size() + subgraph_.shape.size();
    return Value(function_.getArgument(static_cast<unsigned>(first + injected)));
  }
  if (IsRematerializable(parts_.graph.nodes[value.node]))
    return EmitRematerialized(value, index, scope);
  const NodePlan& source = plan(value.node);
  if (source.subgraph == id_) return values_.lookup(value.node)[value.leaf];
  // A function of its own: all its leaves are results.
  llvm::SmallVector<Value> arguments;
  for (int64_t leaf : parts_.arrays[source.subgraph]) arguments.push_back(Array(leaf));
  for (SymbolicExpr e : index) arguments.push_back(index_.Emit(e, Domain(scope)));
  mlir::func::FuncOp function = parts_.functions[source.subgraph];
  auto call =
      ir::PureCallOp::create(b_, function.getResultTypes(), function.getSymName(), arguments);
  return Value(call.getResult(value.leaf));
}

Value NodeEmitter::Array(int64_t parameter_leaf) {
  const auto at = llvm::lower_bound(parts_.arrays[id_], parameter_leaf);
  return function_.getArgument(static_cast<unsigned>(at - parts_.arrays[id_].begin()));
}

Value NodeEmitter::Zero(hlo::PrimitiveType type) { return ZeroConstant(b_, type); }

const IndexingMap& NodeEmitter::Domain(int64_t scope) {
  auto it = domains_.find(scope);
  if (it == domains_.end()) {
    it = domains_.emplace(scope, ScopeDomain(parts_.context, subgraph_, scope)).first;
  }
  return it->second;
}

mlir::RankedTensorType BufferType(mlir::MLIRContext* context, const hlo::Shape& shape) {
  mlir::Type element = StorageType(context, shape.type);
  // A parameter of a type without emission may be there as long as nothing reads it. A token has no
  // bytes.
  if (!element) element = mlir::IntegerType::get(context, 8);
  if (shape.type == hlo::PrimitiveType::kToken) return mlir::RankedTensorType::get({0}, element);
  return mlir::RankedTensorType::get(shape.dims, element);
}

llvm::Expected<mlir::func::FuncOp> DeclareFunction(const KernelParts& parts, int64_t id,
                                                   llvm::StringRef name) {
  const Subgraph& subgraph = parts.partition.subgraphs[id];
  mlir::ModuleOp module = parts.module;
  mlir::MLIRContext* context = module.getContext();
  llvm::SmallVector<mlir::Type> inputs, results;
  for (int64_t leaf : parts.arrays[id]) {
    inputs.push_back(BufferType(context, *parts.graph.parameter_leaves[leaf]));
  }
  inputs.append(subgraph.shape.size(), mlir::IndexType::get(context));
  for (int64_t node : subgraph.injected) {
    inputs.push_back(ValueType(context, parts.graph.shape({node, 0}).type));
  }
  for (ValueRef root : subgraph.roots) {
    mlir::Type type = ValueType(context, parts.graph.shape(root).type);
    if (!type) {
      return Unsupported(*parts.graph.nodes[root.node].instruction,
                         "the type " + parts.graph.shape(root).ToString() + " has no emission");
    }
    results.push_back(type);
  }
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(module.getBody());
  auto function = mlir::func::FuncOp::create(b, mlir::UnknownLoc::get(context), name,
                                             b.getFunctionType(inputs, results));
  function.setPrivate();
  function.addEntryBlock();
  return function;
}

llvm::Error EmitFunction(KernelParts& parts, int64_t subgraph) {
  mlir::func::FuncOp function = parts.functions[subgraph];
  Builder b(function.getLoc(), function.getContext());
  b.setInsertionPointToStart(&function.getBody().front());
  return NodeEmitter(parts, subgraph, b).Run();
}

}  // namespace affirm::emit
