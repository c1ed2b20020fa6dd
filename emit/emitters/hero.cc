// Follows each output back to the heroes that it is made of.
#include "emit/emitters/hero.h"

#include "core/analysis/indexing.h"
#include "core/simplify/simplify.h"
#include "emit/emitters/thread_map.h"

namespace affirm::emit {
namespace {

using hlo::Opcode;

// How a node depends on the heroes: not at all, through a bijection of indices, or otherwise.
struct HeroDependence {
  enum class Kind : uint8_t { kUnrelated, kFollows, kMixed } kind = Kind::kUnrelated;
  IndexingMap map;  // kFollows: from the hero's index to the node's
};

bool IsBijectiveMove(Opcode opcode) {
  return opcode == Opcode::kTranspose || opcode == Opcode::kReverse || opcode == Opcode::kReshape ||
         opcode == Opcode::kBitcast;
}

class HeroDependenceAnalysis {
 public:
  HeroDependenceAnalysis(const FlatGraph& graph, Context& context, llvm::ArrayRef<int64_t> heroes)
      : graph_(&graph), context_(&context), dependences_(graph.nodes.size()) {
    for (int64_t hero : heroes) {
      dependences_[hero] = {HeroDependence::Kind::kFollows,
                            IndexingMap::Identity(context, graph.shape({hero, 0}).dims)};
    }
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (!llvm::is_contained(heroes, static_cast<int64_t>(n))) dependences_[n] = Visit(n);
    }
  }
  const HeroDependence& of(ValueRef value) const { return dependences_[value.node]; }
  // Whether no operand of the node needs a hero.
  bool IsIndependent(int64_t node) const {
    return llvm::all_of(graph_->nodes[node].operands, [&](ValueRef operand) {
      return operand.node < 0 || of(operand).kind == HeroDependence::Kind::kUnrelated;
    });
  }

 private:
  HeroDependence Visit(size_t n) {
    const FlatNode& node = graph_->nodes[n];
    HeroDependence result;
    for (ValueRef operand : node.operands) {
      if (operand.node < 0) continue;
      const HeroDependence& dependence = dependences_[operand.node];
      if (dependence.kind == HeroDependence::Kind::kUnrelated) continue;
      if (dependence.kind == HeroDependence::Kind::kMixed) return dependence;
      HeroDependence next = Follow(*node.instruction, graph_->shape(operand), dependence);
      bool first = result.kind == HeroDependence::Kind::kUnrelated;
      if (next.kind == HeroDependence::Kind::kMixed || (!first && !(next.map == result.map))) {
        return {HeroDependence::Kind::kMixed, {}};
      }
      result = std::move(next);
    }
    return result;
  }

  HeroDependence Follow(const hlo::Instruction& op, const hlo::Shape& operand,
                        const HeroDependence& dependence) {
    bool elementwise = hlo::IsElementwise(op.opcode) || op.opcode == Opcode::kBitcastConvert;
    if (elementwise && op.shape.IsArray() && op.shape.dims == operand.dims) return dependence;
    if (!IsBijectiveMove(op.opcode) || op.shape.type != operand.type) {
      return {HeroDependence::Kind::kMixed, {}};
    }
    InstructionIndexing indexing = InputToOutput(op, 0, *context_);
    if (indexing.maps.size() != 1 || indexing.maps[0].size() != 1) {
      return {HeroDependence::Kind::kMixed, {}};
    }
    const LabeledMap& map = indexing.maps[0].front();
    if (map.exactness != Exactness::kExact || !map.map.ranges().empty()) {
      return {HeroDependence::Kind::kMixed, {}};
    }
    return {HeroDependence::Kind::kFollows, Simplify(Compose(dependence.map, map.map))};
  }

  const FlatGraph* graph_;
  Context* context_;
  std::vector<HeroDependence> dependences_;
};

// Puts the outputs into groups; nothing when one of them is more than an epilogue.
std::optional<std::vector<HeroFusion::Outputs>> Group(const FlatGraph& graph,
                                                      const HeroDependenceAnalysis& dependences,
                                                      PartitionRequest& request) {
  std::vector<HeroFusion::Outputs> groups;
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    const HeroDependence& dependence = dependences.of(graph.outputs[k]);
    if (dependence.kind == HeroDependence::Kind::kMixed) return std::nullopt;
    bool follows = dependence.kind == HeroDependence::Kind::kFollows;
    const std::vector<int64_t>& dims = graph.output_leaves[k]->dims;
    auto same = llvm::find_if(groups, [&](const HeroFusion::Outputs& outputs) {
      return request.groups[outputs.group].shape == dims &&
             outputs.from_hero.has_value() == follows &&
             (!follows || *outputs.from_hero == dependence.map);
    });
    if (same == groups.end()) {
      HeroFusion::Outputs outputs;
      outputs.group = request.groups.size();
      if (follows) outputs.from_hero = dependence.map;
      groups.push_back(std::move(outputs));
      request.groups.push_back({"output", dims, {}, follows});
      same = std::prev(groups.end());
    }
    same->leaves.push_back(static_cast<int64_t>(k));
    request.groups[same->group].roots.push_back(graph.outputs[k]);
  }
  return groups;
}

bool HasEmptyOutput(const FlatGraph& graph) {
  return llvm::any_of(graph.output_leaves,
                      [](const hlo::Shape* leaf) { return leaf->NumElements() == 0; });
}

}  // namespace

std::optional<HeroFusion> FindHeroes(const FlatGraph& graph, Context& context,
                                     llvm::function_ref<bool(int64_t)> is_hero,
                                     llvm::function_ref<bool(int64_t, int64_t)> is_same,
                                     PartitionRequest& request) {
  if (HasEmptyOutput(graph) ||
      llvm::any_of(graph.outputs, [](ValueRef output) { return output.node < 0; })) {
    return std::nullopt;
  }
  std::vector<bool> reachable = graph.Reachable();
  auto nodes = static_cast<int64_t>(graph.nodes.size());
  for (int64_t first = 0; first < nodes; ++first) {
    if (!reachable[first] || !is_hero(first)) continue;
    HeroFusion fusion;
    fusion.heroes.push_back(first);
    for (int64_t n = first + 1; n < nodes; ++n) {
      if (reachable[n] && is_hero(n) && is_same(first, n)) fusion.heroes.push_back(n);
    }
    HeroDependenceAnalysis dependences(graph, context, fusion.heroes);
    if (!llvm::all_of(fusion.heroes, [&](int64_t n) { return dependences.IsIndependent(n); })) {
      fusion.heroes.resize(1);
      dependences = HeroDependenceAnalysis(graph, context, fusion.heroes);
    }
    PartitionRequest attempt = request;
    auto groups = Group(graph, dependences, attempt);
    if (!groups) continue;
    fusion.outputs = std::move(*groups);
    attempt.injected = fusion.heroes;
    request = std::move(attempt);
    return fusion;
  }
  return std::nullopt;
}

bool HaveSameDimensions(const FlatGraph& graph, int64_t a, int64_t b) {
  const hlo::Instruction &x = *graph.nodes[a].instruction, &y = *graph.nodes[b].instruction;
  return x.operands[0]->shape.dims == y.operands[0]->shape.dims &&
         x.attributes.dimensions == y.attributes.dimensions;
}

void AddThreadMaps(const FlatGraph& graph, const HeroFusion& fusion, const IndexingMap& write,
                   Context& context, EmissionPlan& plan) {
  for (const HeroFusion::Outputs& outputs : fusion.outputs) {
    for (int64_t leaf : outputs.leaves) {
      const std::vector<int64_t>& dims = graph.output_leaves[leaf]->dims;
      IndexingMap map = outputs.from_hero ? Simplify(Compose(write, *outputs.from_hero))
                                          : StridedThreadMap(context, dims, plan.launch);
      plan.thread_maps.push_back({std::move(map), dims, "output " + std::to_string(leaf)});
    }
  }
}

std::vector<HeroFusion::Outputs> GroupOutputs(const FlatGraph& graph, PartitionRequest& request) {
  std::vector<HeroFusion::Outputs> groups;
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    const hlo::Shape& shape = *graph.output_leaves[k];
    auto same = llvm::find_if(groups, [&](const HeroFusion::Outputs& outputs) {
      return request.groups[outputs.group].shape == shape.dims;
    });
    if (same == groups.end()) {
      groups.push_back({request.groups.size(), {}, std::nullopt});
      request.groups.push_back({"output", shape.dims, {}});
      same = std::prev(groups.end());
    }
    same->leaves.push_back(static_cast<int64_t>(k));
    // An output without elements has no root: there is nothing to compute.
    if (shape.NumElements() > 0) request.groups[same->group].roots.push_back(graph.outputs[k]);
  }
  return groups;
}

}  // namespace affirm::emit
