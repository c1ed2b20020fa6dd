// Assigns each value of a graph to a function, users before operands.
#include "emit/plan/partition.h"

#include <algorithm>

#include "emit/plan/error.h"
#include "llvm/ADT/DenseSet.h"

namespace affirm::emit {
namespace {

// Beyond these limits a value gets a function of its own. They bound the nesting and the size of
// index expressions.
constexpr int64_t kMaxScopeDepth = 32;
constexpr uint64_t kMaxIndexSize = 400;

// A scope of a subgraph that needs an element of a value, and the element's index there.
struct Use {
  int64_t subgraph = -1;
  int64_t scope = -1;
  Index index;
  friend bool operator==(const Use&, const Use&) = default;
};

class Partitioner {
 public:
  Partitioner(const FlatGraph& graph, Context& context, const PartitionRequest& request)
      : graph_(graph), context_(context), request_(request), uses_(graph.nodes.size()) {
    partition_.nodes.resize(graph.nodes.size());
  }

  llvm::Expected<Partition> Run() {
    AddGroups();
    // Users come after operands in the graph, so every use of a node is known when it is reached.
    for (auto node = static_cast<int64_t>(graph_.nodes.size()) - 1; node >= 0; --node) {
      if (llvm::Error error = DropGivenUses(node)) return error;
      if (uses_[node].empty() || IsRematerializable(graph_.nodes[node])) continue;
      if (llvm::Error error = AssignToFunction(node)) return error;
    }
    for (Subgraph& subgraph : partition_.subgraphs) {
      for (Scope& scope : subgraph.scopes) std::reverse(scope.nodes.begin(), scope.nodes.end());
    }
    return partition_;
  }

 private:
  int64_t AddSubgraph(std::string name, llvm::ArrayRef<int64_t> shape) {
    Subgraph subgraph;
    subgraph.name = std::move(name);
    subgraph.shape = shape.vec();
    for (int64_t size : shape) subgraph.dims.push_back({0, size - 1});
    subgraph.scopes.emplace_back();
    partition_.subgraphs.push_back(std::move(subgraph));
    return static_cast<int64_t>(partition_.subgraphs.size()) - 1;
  }

  Index Identity(size_t rank) {
    Index index;
    for (size_t d = 0; d < rank; ++d) index.push_back(context_.Dim(static_cast<int64_t>(d)));
    return index;
  }

  void AddGroups() {
    given_.insert(request_.injected.begin(), request_.injected.end());
    for (const RootGroup& group : request_.groups) {
      int64_t id = AddSubgraph(group.name, group.shape);
      partition_.subgraphs[id].roots = group.roots;
      Subgraph& subgraph = partition_.subgraphs[id];
      subgraph.indices = group.indices;
      if (group.takes_injected) subgraph.injected = request_.injected;
      subgraph.injected.insert(subgraph.injected.end(), group.given.begin(), group.given.end());
      given_.insert(subgraph.injected.begin(), subgraph.injected.end());
      for (auto [k, root] : llvm::enumerate(group.roots)) {
        AddUse(root,
               {id, 0, group.indices.empty() ? Identity(group.shape.size()) : group.indices[k]});
      }
    }
  }

  // Drops the uses in functions that are given the node's element. Each such function must use one
  // element only, and an injected node must have no other uses.
  llvm::Error DropGivenUses(int64_t node) {
    if (!given_.contains(node)) return llvm::Error::success();
    llvm::SmallVector<Use, 1> computed;
    for (const Use& use : uses_[node]) {
      const Subgraph& subgraph = partition_.subgraphs[use.subgraph];
      bool same = llvm::all_of(uses_[node], [&](const Use& other) {
        return other.subgraph != use.subgraph || other.index == use.index;
      });
      bool given = llvm::is_contained(subgraph.injected, node);
      if (given && same) continue;
      if (given || llvm::is_contained(request_.injected, node)) {
        return Unsupported(*graph_.nodes[node].instruction, "it is needed at several places");
      }
      if (!llvm::is_contained(computed, use)) computed.push_back(use);
    }
    uses_[node] = std::move(computed);
    return llvm::Error::success();
  }

  void AddUse(ValueRef value, Use use) {
    // A repeated use is kept once; it only matters whether all are equal.
    auto& uses = uses_[value.node];
    if (uses.empty() || !(uses.front() == use)) uses.push_back(std::move(use));
  }

  bool CanJoin(int64_t node) const {
    if (uses_[node].size() != 1) return false;
    const Use& use = uses_[node].front();
    uint64_t size = 0;
    for (SymbolicExpr e : use.index) size += e.size();
    return size <= kMaxIndexSize &&
           partition_.subgraphs[use.subgraph].scopes[use.scope].depth <= kMaxScopeDepth;
  }

  llvm::Error AssignToFunction(int64_t node) {
    const FlatNode& flat = graph_.nodes[node];
    NodePlan& plan = partition_.nodes[node];
    if (CanJoin(node)) {
      const Use& use = uses_[node].front();
      plan.subgraph = use.subgraph;
      plan.scope = use.scope;
      plan.index = use.index;
    } else {
      const hlo::Shape& shape = graph_.shape({node, 0});
      plan.subgraph = AddSubgraph(flat.instruction->name, shape.dims);
      plan.scope = 0;
      plan.index = Identity(shape.dims.size());
      for (int64_t leaf = 0; leaf < graph_.NumLeaves(node); ++leaf) {
        partition_.subgraphs[plan.subgraph].roots.push_back({node, leaf});
      }
    }
    partition_.subgraphs[plan.subgraph].scopes[plan.scope].nodes.push_back(node);
    if (llvm::Error error =
            PlanOperands(graph_, node, context_, partition_.subgraphs[plan.subgraph], plan)) {
      return error;
    }
    for (const RuntimeVariable& variable : plan.runtime) {
      AddUse(flat.operands[variable.operand], {plan.subgraph, plan.scope, variable.index});
    }
    for (size_t k = 0; k < plan.operands.size(); ++k) {
      const OperandAccess& access = plan.operands[k];
      if (access.read) AddUse(flat.operands[k], {plan.subgraph, access.scope, access.index});
    }
    return llvm::Error::success();
  }

  const FlatGraph& graph_;
  Context& context_;
  const PartitionRequest& request_;
  std::vector<llvm::SmallVector<Use, 1>> uses_;
  llvm::DenseSet<int64_t> given_;  // nodes whose elements some function is given
  Partition partition_;
};

}  // namespace

bool IsRematerializable(const FlatNode& node) {
  hlo::Opcode opcode = node.instruction->opcode;
  return node.is_parameter() || opcode == hlo::Opcode::kConstant || opcode == hlo::Opcode::kIota ||
         opcode == hlo::Opcode::kGetDimensionSize;
}

llvm::Expected<Partition> MakePartition(const FlatGraph& graph, Context& context,
                                        const PartitionRequest& request) {
  for (ValueRef output : graph.outputs) {
    if (output.node < 0) {
      return NotSupported("cannot emit a result that is a token");
    }
  }
  return Partitioner(graph, context, request).Run();
}

IndexingMap ScopeDomain(Context& context, const Subgraph& subgraph, int64_t scope) {
  std::vector<Variable> dims;
  dims.reserve(subgraph.dims.size());
  for (Interval bounds : subgraph.dims) dims.push_back({bounds, "", std::nullopt});
  return IndexingMap(context, llvm::ArrayRef<SymbolicExpr>(), std::move(dims), {}, {},
                     subgraph.scopes[scope].conditions);
}

}  // namespace affirm::emit
