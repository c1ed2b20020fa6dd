#include "emit/plan/repeated_calls.h"

#include <algorithm>
#include <map>

#include "emit/plan/partition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

namespace affirm::emit {
namespace {

using hlo::Instruction;

constexpr int64_t kMostCalls = 64;       // for an element of the result
constexpr int64_t kManyCalls = 1 << 20;  // more are not counted

bool HasOpenOperand(const FlatNode& node) {
  return llvm::any_of(node.operands, [](ValueRef operand) { return operand.node < 0; });
}

// Whether some value has so many paths to the outputs that the number of calls may explode.
bool HasManyPaths(const FlatGraph& graph) {
  std::vector<int64_t> paths(graph.nodes.size());
  for (ValueRef output : graph.outputs) {
    if (output.node >= 0) ++paths[output.node];
  }
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    if (graph.nodes[n].is_parameter()) continue;
    if (paths[n] > kMostCalls) return true;
    for (ValueRef operand : graph.nodes[n].operands) {
      paths[operand.node] += paths[n];
    }
  }
  return false;
}

// One function for the outputs of each shape. In a kernel of a sort or a scatter: for its operands.
PartitionRequest RequestOf(const FlatGraph& graph) {
  std::map<std::vector<int64_t>, std::vector<ValueRef>> by_shape;
  auto add = [&](ValueRef value) {
    std::vector<ValueRef>& values = by_shape[graph.shape(value).dims];
    if (!llvm::is_contained(values, value)) values.push_back(value);
  };
  for (ValueRef output : graph.outputs) {
    const FlatNode& node = graph.nodes[output.node];
    const bool by_itself = node.instruction->opcode == hlo::Opcode::kSort ||
                           node.instruction->opcode == hlo::Opcode::kScatter;
    if (!by_itself) add(output);
    if (by_itself) llvm::for_each(node.operands, add);
  }
  PartitionRequest request;
  for (auto& [dims, values] : by_shape) request.groups.push_back({"result", dims, values});
  return request;
}

using Callees = std::vector<llvm::SmallVector<int64_t, 4>>;  // by subgraph, once for each call

Callees CalleesOf(const FlatGraph& graph, const Partition& partition) {
  Callees callees(partition.subgraphs.size());
  for (auto [n, plan] : llvm::enumerate(partition.nodes)) {
    if (plan.subgraph < 0) continue;
    auto call = [&](ValueRef operand) {
      const int64_t callee = operand.node < 0 ? -1 : partition.nodes[operand.node].subgraph;
      if (callee >= 0 && callee != plan.subgraph) callees[plan.subgraph].push_back(callee);
    };
    for (const RuntimeVariable& start : plan.runtime) call(graph.nodes[n].operands[start.operand]);
    for (auto [access, operand] : llvm::zip(plan.operands, graph.nodes[n].operands)) {
      if (access.read) call(operand);
    }
  }
  return callees;
}

}  // namespace

std::vector<const Instruction*> ComputedTooOften(const hlo::Computation& computation) {
  llvm::Expected<FlatGraph> graph = Flatten(computation);
  if (!graph) {
    llvm::consumeError(graph.takeError());
    return {};
  }
  if (llvm::any_of(graph->outputs, [](ValueRef output) { return output.node < 0; }) ||
      llvm::any_of(graph->nodes, HasOpenOperand) || !HasManyPaths(*graph)) {
    return {};
  }
  Context context;
  const PartitionRequest request = RequestOf(*graph);
  llvm::Expected<Partition> partition = MakePartition(*graph, context, request);
  if (!partition) {
    llvm::consumeError(partition.takeError());
    return {};
  }
  // A function is made once all that calls it is known, so that callers stand before it.
  const Callees callees = CalleesOf(*graph, *partition);
  std::vector<int64_t> calls(callees.size());
  std::fill_n(calls.begin(), request.groups.size(), 1);
  for (size_t s = 0; s < callees.size(); ++s) {
    for (int64_t callee : callees[s])
      calls[callee] = std::min(kManyCalls, calls[callee] + calls[s]);
  }
  std::vector<bool> leads_to_many(callees.size()), is_shared(callees.size());
  for (size_t s = callees.size(); s-- > 0;) {
    leads_to_many[s] = calls[s] > kMostCalls ||
                       llvm::any_of(callees[s], [&](int64_t t) { return leads_to_many[t]; });
  }
  // The functions that several places call but no other such function does, from the result on.
  std::vector<const Instruction*> stored;
  for (size_t s = 0; s < callees.size(); ++s) {
    if (s >= request.groups.size() && calls[s] > 1 && leads_to_many[s] && !is_shared[s]) {
      for (ValueRef root : partition->subgraphs[s].roots) {
        const Instruction* op = graph->nodes[root.node].instruction;
        if (op->parent == &computation && op->shape.IsArray()) stored.push_back(op);
      }
      is_shared[s] = true;
    }
    if (!is_shared[s]) continue;
    for (int64_t callee : callees[s]) is_shared[callee] = true;
  }
  llvm::SmallPtrSet<const Instruction*, 8> seen;
  llvm::erase_if(stored, [&](const Instruction* op) {
    return op == computation.root || !seen.insert(op).second;
  });
  return stored;
}

}  // namespace affirm::emit
