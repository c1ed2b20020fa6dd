// The walk from the root of a called computation to its parameters: for each array leaf on the way,
// the maps that lead to it, each composed of proved maps.
#include "verify/hlo/proof/paths.h"

#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/composition.h"
#include "verify/hlo/proof/fusion.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/proof/replicas.h"
#include "verify/hlo/proof/runtime_congruence.h"
#include "verify/hlo/proof/runtime_equivalence.h"
#include "verify/hlo/semantics/access_relation.h"

namespace affirm {
namespace {

constexpr size_t kMaxPathsPerLeaf = 192;  // more than the maps that the analysis gives
constexpr int kMaxCompositions = 50000;
constexpr uint64_t kMaxExpressionNodes = 20000;
constexpr char kTooMuch[] = "too many paths, or too large a map";

// The maps from the result to one array leaf of an instruction, one for each path.
using Paths = LeafPaths;

class FusionProof {
 public:
  explicit FusionProof(CallProofs& proofs)
      : proofs_(proofs), context_(proofs.context), options_(proofs.options) {}

  // The paths from leaf `output_id` of the root to each leaf of each parameter.
  void ComputePaths(const hlo::Computation& computation, int64_t output_id);
  // To each leaf of a parameter.
  std::vector<Paths> PathsTo(const hlo::Instruction& parameter) const;

 private:
  // The array leaves that were reached, by the position of their instruction and their number:
  // users first, so that a walk goes on to what is added on its way.
  using Key = std::pair<int64_t, int64_t>;
  Key KeyOf(const hlo::Instruction& op, int64_t leaf) const {
    return {-proofs_.PositionOf(op), leaf};
  }
  using Table = std::map<Key, Paths>;

  // Extends the paths to a leaf of the op's result by the op's own maps.
  void ExtendPaths(const hlo::Instruction& op, int64_t leaf, const Paths& paths);
  // Notes that what the op reads is not known.
  void MarkUnknown(const hlo::Instruction& op, const std::string& problem);
  // The proved maps of one operand's leaf; a reason in `problem` otherwise.
  std::vector<LabeledMap> ProvedMaps(const hlo::Instruction& op, int64_t output_leaf,
                                     const InstructionIndexing& indexing, int64_t operand,
                                     int64_t leaf, std::string& problem) const;
  void Add(Paths& paths, LabeledMap map, const hlo::Instruction& to);
  // Has every element of the leaf stand for all that is read of it.
  void Widen(Paths& paths, const hlo::Instruction& to, int64_t leaf);
  IndexingMap Simplified(const IndexingMap& composed) const;

  CallProofs& proofs_;
  Context& context_;
  const DecideOptions& options_;
  const hlo::Shape* from_ = nullptr;  // of the leaf that the paths start from
  Table table_;
  int compositions_ = 0;
};

uint64_t Size(const IndexingMap& map) {
  uint64_t size = 0;
  if (map.state() != IndexingMap::State::kNormal) return size;
  for (SymbolicExpr e : map.results()) size += e.size();
  for (const Constraint& c : map.constraints()) size += c.expr.size();
  return size;
}

void FusionProof::MarkUnknown(const hlo::Instruction& op, const std::string& problem) {
  for (const hlo::Instruction* operand : op.operands) {
    for (int64_t leaf = 0; leaf < NumLeaves(operand->shape); ++leaf) {
      Paths& paths = table_[KeyOf(*operand, leaf)];
      if (paths.problem.empty()) paths.problem = problem;
    }
  }
}

// A simplified map, if it is proved to be the same one; else the map itself. What each layer on the
// way reads at a place that is known at run time alone is a range and an equality more.
IndexingMap FusionProof::Simplified(const IndexingMap& composed) const {
  IndexingMap map = EliminateDeterminedRanges(composed);
  IndexingMap simple = RemoveUnusedVariables(Simplify(map));
  if (simple == map) return map;
  return ProveEqualForAllRuntimeValues(simple, map, options_).verdict == Verdict::kProved ? simple
                                                                                          : map;
}

void FusionProof::Widen(Paths& paths, const hlo::Instruction& to, int64_t leaf) {
  const hlo::Shape& shape = *LeafShape(to.shape, leaf);
  auto has_replica = [](const LabeledMap& m) { return m.replica_id.has_value(); };
  if (hlo::HasDynamicSize(*from_) || hlo::HasDynamicSize(shape) ||
      llvm::any_of(paths.maps, has_replica)) {
    paths.problem = kTooMuch;
    return;
  }
  paths.is_everything = paths.is_widened = true;
  paths.maps = {{EveryElement(context_, *from_, shape), Exactness::kOverApproximate, leaf, {}}};
}

void FusionProof::Add(Paths& paths, LabeledMap map, const hlo::Instruction& to) {
  if (map.map.IsKnownEmpty() || llvm::is_contained(paths.maps, map)) return;
  if (paths.is_everything && !map.replica_id) return;
  const int64_t leaf = map.leaf;
  paths.maps.push_back(std::move(map));
  if (paths.maps.size() > kMaxPathsPerLeaf) Widen(paths, to, leaf);
}

std::vector<LabeledMap> FusionProof::ProvedMaps(const hlo::Instruction& op, int64_t output_leaf,
                                                const InstructionIndexing& indexing,
                                                int64_t operand, int64_t leaf,
                                                std::string& problem) const {
  std::vector<LabeledMap> maps = MapsToLeaf(indexing.maps[operand], leaf);
  if (IsCall(op, output_leaf)) return maps;  // proved as a whole
  std::optional<AccessRelation> relation =
      AccessRelationOf(op, output_leaf, operand, context_, leaf);
  if (!relation) {
    problem = "no access relation is known for " + hlo::Name(op.opcode).str() + " " + op.name;
    return {};
  }
  MapProofResult answer = ProveMaps(*relation, maps, Direction::kOutputToInput, options_);
  if (answer.verdict == Verdict::kProved) return maps;
  problem = "the maps of " + op.name + " are " + Name(answer.verdict);
  if (!answer.reason.empty()) problem += ": " + answer.reason;
  return {};
}

void FusionProof::ExtendPaths(const hlo::Instruction& op, int64_t leaf, const Paths& paths) {
  if (op.operands.empty()) return;
  if (!paths.problem.empty()) MarkUnknown(op, paths.problem);
  if (paths.maps.empty()) return;
  const CallProofs::Call* call = IsCall(op, leaf) ? &ProofOfCall(op, leaf, proofs_) : nullptr;
  const InstructionIndexing indexing =
      call ? call->indexing : OutputToInput(op, leaf, proofs_.analyzed, {.exact = true});
  if (indexing.maps.size() != op.operands.size()) return MarkUnknown(op, op.name + " has no maps");
  if (call) {
    for (const MapProofResult& a : call->answers) {
      if (a.verdict != Verdict::kProved) MarkUnknown(op, "in " + op.name + ": " + a.reason);
    }
  }
  const std::optional<OperandLeaf> handed_on = HandedOn(op, leaf);
  for (size_t k = 0; k < op.operands.size(); ++k) {
    // No map leads where nothing is read, which is proved wherever one does.
    const bool is_handed = handed_on && handed_on->operand == static_cast<int64_t>(k);
    if (handed_on && !is_handed && indexing.maps[k].empty()) continue;
    int64_t leaves = NumLeaves(op.operands[k]->shape);
    for (int64_t to = 0; to < leaves; ++to) {
      const OperandLeaf there{static_cast<int64_t>(k), to};
      if (handed_on && *handed_on != there && MapsToLeaf(indexing.maps[k], to).empty()) continue;
      Paths& next = table_[KeyOf(*op.operands[k], to)];
      std::string problem;
      for (const LabeledMap& second :
           ProvedMaps(op, leaf, indexing, static_cast<int64_t>(k), to, problem)) {
        for (const LabeledMap& first : paths.maps) {
          LabeledMap map;
          const IndexingMap joined = ComposeWithReplicas(first, second);
          const bool is_too_much =
              ++compositions_ > kMaxCompositions || Size(joined) > kMaxExpressionNodes;
          SplitReplicas(is_too_much ? joined : Simplified(joined), std::ssize(second.map.results()),
                        map);
          map.leaf = to;
          map.exactness = std::max(first.exactness, second.exactness);
          Add(next, std::move(map), *op.operands[k]);
          if (is_too_much) Widen(next, *op.operands[k], to);
          if (!next.problem.empty()) break;
        }
      }
      next.is_widened |= paths.is_widened;
      if (next.problem.empty()) next.problem = problem;
    }
  }
}

void FusionProof::ComputePaths(const hlo::Computation& computation, int64_t output_id) {
  from_ = LeafShape(computation.root->shape, output_id);
  if (from_ == nullptr) return;
  LabeledMap identity;
  identity.map = IndexingMap::Identity(context_, from_->dims);
  identity.exactness = Exactness::kExact;
  table_[KeyOf(*computation.root, output_id)].maps.push_back(std::move(identity));
  for (const auto& [key, paths] : table_) {
    const hlo::Instruction& op = *computation.instructions[static_cast<size_t>(-key.first)];
    if (op.opcode != hlo::Opcode::kParameter) ExtendPaths(op, key.second, paths);
  }
}

std::vector<Paths> FusionProof::PathsTo(const hlo::Instruction& parameter) const {
  std::vector<Paths> all(NumLeaves(parameter.shape));
  for (size_t leaf = 0; leaf < all.size(); ++leaf) {
    const auto at = table_.find(KeyOf(parameter, static_cast<int64_t>(leaf)));
    if (at != table_.end()) all[leaf] = at->second;
  }
  return all;
}

// Compares maps, or maps joined with replicas, that all have the same number of results.
MapProofResult CompareMaps(llvm::ArrayRef<LabeledMap> paths, llvm::ArrayRef<LabeledMap> claimed,
                           llvm::function_ref<IndexingMap(const LabeledMap&)> map_of,
                           const DecideOptions& options) {
  std::vector<IndexingMap> given, exact, read, surely_read;
  for (const LabeledMap& m : claimed) {
    if (m.exactness == Exactness::kExact) exact.push_back(map_of(m));
    given.push_back(map_of(m));
  }
  for (const LabeledMap& m : paths) {
    if (m.exactness == Exactness::kExact) surely_read.push_back(map_of(m));
    read.push_back(map_of(m));
  }
  MapProofResult answer = ProveCoversForAllRuntimeValues(given, read, options);
  if (answer.verdict != Verdict::kProved || exact.empty()) return answer;
  MapProofResult inside = ProveCoversForAllRuntimeValues(surely_read, exact, options);
  if (inside.verdict == Verdict::kRefuted && surely_read.size() < read.size()) {
    return {.reason = "what an op inside reads depends on values"};
  }
  inside.engine = std::max(inside.engine, answer.engine);
  if (inside.counterexample) {
    std::swap(inside.counterexample->lhs, inside.counterexample->rhs);
    std::swap(inside.counterexample->lhs_truncated, inside.counterexample->rhs_truncated);
  }
  return inside;
}

}  // namespace

std::vector<LabeledMap> MapsToLeaf(llvm::ArrayRef<LabeledMap> maps, int64_t leaf) {
  std::vector<LabeledMap> of_leaf;
  llvm::copy_if(maps, std::back_inserter(of_leaf),
                [&](const LabeledMap& m) { return m.leaf == leaf; });
  return of_leaf;
}

int64_t CallProofs::PositionOf(const hlo::Instruction& op) {
  const auto& instructions = op.parent->instructions;
  const size_t known = positions.lookup(&op);
  if (known < instructions.size() && instructions[known].get() == &op)
    return static_cast<int64_t>(known);
  for (const auto& [position, other] : llvm::enumerate(instructions))
    positions[other.get()] = position;
  return static_cast<int64_t>(positions.lookup(&op));
}

const ParameterPaths& PathsInOneRun(const hlo::Computation& computation, int64_t output_id,
                                    CallProofs& proofs) {
  const auto key = std::make_pair(&computation, output_id);
  const auto found = proofs.paths_of_run.find(key);
  if (found != proofs.paths_of_run.end()) return found->second;
  FusionProof proof(proofs);
  ++proofs.depth;
  proof.ComputePaths(computation, output_id);
  --proofs.depth;
  ParameterPaths all;
  for (const hlo::Instruction* parameter : computation.parameters) {
    all.push_back(proof.PathsTo(*parameter));
  }
  return proofs.paths_of_run[key] = std::move(all);
}

const ParameterPaths& PathsToParameters(const hlo::Computation& computation, int64_t output_id,
                                        CallProofs& proofs) {
  const ParameterPaths& of_run = PathsInOneRun(computation, output_id, proofs);
  if (!proofs.callers.AreSeveral(computation)) return of_run;
  const auto [at, is_new] =
      proofs.paths.try_emplace(std::make_pair(&computation, output_id), of_run);
  if (!is_new) return at->second;
  for (std::vector<LeafPaths>& leaves : at->second) {
    for (LeafPaths& leaf : leaves)
      llvm::transform(leaf.maps, leaf.maps.begin(), ForAnyRuntimeValues);
  }
  return at->second;
}

MapProofResult CompareWithPaths(const LeafPaths& paths, llvm::ArrayRef<LabeledMap> claimed,
                                const DecideOptions& options) {
  if (!paths.problem.empty()) return {.reason = paths.problem};
  if (paths.is_widened) {
    // Maps wider than the reads can prove claims, but not refute them.
    LeafPaths as_they_are;
    as_they_are.maps = paths.maps;
    MapProofResult answer = CompareWithPaths(as_they_are, claimed, options);
    if (answer.verdict != Verdict::kProved) return {.reason = kTooMuch};
    return answer;
  }
  std::set<int64_t> named;  // how many replicas a claim names
  for (const LabeledMap& m : claimed) {
    if (m.exactness == Exactness::kUnknown || JoinReplicas(m).IsUndefined()) {
      return {.reason = "a map makes no claim"};
    }
    named.insert(NumReplicas(m));
  }
  // Claims about elements alone hold on whatever replica they are read.
  if (named.empty() || named == std::set<int64_t>{0}) {
    return CompareMaps(paths.maps, claimed, [](const LabeledMap& m) { return m.map; }, options);
  }
  for (const LabeledMap& m : paths.maps) named.insert(NumReplicas(m));
  MapProofResult answer{.verdict = Verdict::kProved};
  for (int64_t replicas : named) {
    auto these = [&](llvm::ArrayRef<LabeledMap> all) {
      std::vector<LabeledMap> some;
      llvm::copy_if(all, std::back_inserter(some),
                    [&](const LabeledMap& m) { return NumReplicas(m) == replicas; });
      return some;
    };
    MapProofResult next = CompareMaps(these(paths.maps), these(claimed), JoinReplicas, options);
    if (next.counterexample && replicas > 0) {
      next.counterexample->note += ", the last coordinates being the replicas";
    }
    next.engine = std::max(next.engine, answer.engine);
    answer = std::move(next);
    if (answer.verdict != Verdict::kProved) break;
  }
  return answer;
}

}  // namespace affirm
