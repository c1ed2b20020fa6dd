#include "verify/hlo/fusion.h"

#include <map>
#include <string>
#include <utility>

#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/composition.h"
#include "verify/hlo/meanings.h"
#include "verify/hlo/relations.h"
#include "verify/maps/timing.h"

namespace affirm {
namespace {

constexpr size_t kMaxPathsPerLeaf = 64;
constexpr int kMaxCompositions = 2000;
constexpr int kMaxDepth = 8;  // of computations called within computations
constexpr uint64_t kMaxExpressionNodes = 20000;

// What leads from the result to one leaf array of an instruction.
struct Paths {
  std::vector<LabeledMap> maps;
  std::string problem;  // why they are not known
};

class FusionProof {
 public:
  FusionProof(Context& context, const DecideOptions& options, int depth)
      : context_(context), options_(options), depth_(depth) {}

  // The paths from leaf `output_id` of the root to each leaf of each parameter.
  void Walk(const hlo::Computation& computation, int64_t output_id);
  MapAnswer Compare(const hlo::Instruction* parameter, llvm::ArrayRef<LabeledMap> claimed) const;

 private:
  using Key = std::pair<const hlo::Instruction*, int64_t>;
  // Only looked up, never iterated: the order of pointers does not matter.
  using Table = std::map<Key, Paths>;

  void Step(const hlo::Instruction& op, int64_t leaf, const Paths& paths);
  void Blame(const hlo::Instruction& op, const std::string& problem);
  // The proved maps of one operand's leaf; a reason in `problem` otherwise.
  std::vector<LabeledMap> ProvedMaps(const hlo::Instruction& op, int64_t output_leaf,
                                     const InstructionIndexing& indexing, int64_t operand,
                                     int64_t leaf, std::string& problem) const;
  void Add(Paths& paths, LabeledMap map);
  IndexingMap Simplified(const IndexingMap& map) const;
  MapAnswer CompareLeaf(const Paths& paths, std::vector<LabeledMap> claimed) const;

  Context& context_;
  const DecideOptions& options_;
  const int depth_;
  Table table_;
  int compositions_ = 0;
};

bool IsCall(const hlo::Instruction& op) {
  return (op.opcode == hlo::Opcode::kFusion || op.opcode == hlo::Opcode::kCall) &&
         op.called.size() == 1 && op.called[0] && op.called[0]->root;
}

uint64_t Size(const IndexingMap& map) {
  uint64_t size = 0;
  if (map.state() != IndexingMap::State::kNormal) return size;
  for (SymbolicExpr e : map.results()) size += e.size();
  for (const Constraint& c : map.constraints()) size += c.expr.size();
  return size;
}

std::vector<MapAnswer> ProveCall(const hlo::Instruction& call, int64_t output_id,
                                 llvm::ArrayRef<std::vector<LabeledMap>> maps, Context& context,
                                 const DecideOptions& options, int depth) {
  std::vector<MapAnswer> answers(call.operands.size());
  auto all_unknown = [&](const char* reason) {
    for (MapAnswer& a : answers) a.reason = reason;
    return answers;
  };
  if (!IsCall(call) || maps.size() != answers.size()) return all_unknown("not a call with maps");
  const hlo::Computation& computation = *call.called[0];
  if (computation.parameters.size() != answers.size()) return all_unknown("ill-formed call");
  if (depth > kMaxDepth) return all_unknown("calls are nested too deeply");
  FusionProof proof(context, options, depth);
  proof.Walk(computation, output_id);
  for (size_t k = 0; k < answers.size(); ++k) {
    answers[k] = Timed([&] { return proof.Compare(computation.parameters[k], maps[k]); });
  }
  return answers;
}

void FusionProof::Blame(const hlo::Instruction& op, const std::string& problem) {
  for (const hlo::Instruction* operand : op.operands) {
    for (size_t leaf = 0; leaf < meaning::Leaves(operand->shape).size(); ++leaf) {
      Paths& paths = table_[{operand, static_cast<int64_t>(leaf)}];
      if (paths.problem.empty()) paths.problem = problem;
    }
  }
}

// A smaller map, where it is proved to be the same.
IndexingMap FusionProof::Simplified(const IndexingMap& map) const {
  IndexingMap simple = RemoveUnusedVariables(Simplify(map));
  if (simple == map) return map;
  std::vector<IndexingMap> both = {simple, map};
  AlignRuntime(both, options_);
  bool same = ProveEqual(both[0], both[1], options_).verdict == Verdict::kProved;
  return same ? simple : map;
}

void FusionProof::Add(Paths& paths, LabeledMap map) {
  if (map.map.IsKnownEmpty() || llvm::is_contained(paths.maps, map)) return;
  if (paths.maps.size() >= kMaxPathsPerLeaf) {
    paths.problem = "too many paths";
    return;
  }
  paths.maps.push_back(std::move(map));
}

std::vector<LabeledMap> FusionProof::ProvedMaps(const hlo::Instruction& op, int64_t output_leaf,
                                                const InstructionIndexing& indexing,
                                                int64_t operand, int64_t leaf,
                                                std::string& problem) const {
  std::vector<LabeledMap> maps;
  for (const LabeledMap& m : indexing.maps[operand]) {
    if (m.leaf == leaf) maps.push_back(m);
    if (m.replica_id) problem = op.name + " reads another replica";
  }
  if (IsCall(op)) return maps;  // proved as a whole
  std::optional<Relation> relation = Meaning(op, output_leaf, operand, context_, leaf);
  if (!relation) {
    problem = "no meaning is known for " + hlo::Name(op.opcode).str() + " " + op.name;
    return {};
  }
  MapAnswer answer = ProveMaps(*relation, maps, Direction::kOutputToInput, options_);
  if (answer.verdict == Verdict::kProved) return maps;
  problem = "the maps of " + op.name + " are " + Name(answer.verdict);
  if (!answer.reason.empty()) problem += ": " + answer.reason;
  return {};
}

void FusionProof::Step(const hlo::Instruction& op, int64_t leaf, const Paths& paths) {
  if (op.operands.empty()) return;
  if (!paths.problem.empty()) Blame(op, paths.problem);
  if (paths.maps.empty()) return;
  InstructionIndexing indexing = OutputToInput(op, leaf, context_, {.exact = true});
  if (indexing.maps.size() != op.operands.size()) return Blame(op, op.name + " has no maps");
  if (IsCall(op)) {
    for (const MapAnswer& a : ProveCall(op, leaf, indexing.maps, context_, options_, depth_ + 1)) {
      if (a.verdict != Verdict::kProved) Blame(op, "in " + op.name + ": " + a.reason);
    }
  }
  for (size_t k = 0; k < op.operands.size(); ++k) {
    size_t leaves = meaning::Leaves(op.operands[k]->shape).size();
    for (size_t to = 0; to < leaves; ++to) {
      Paths& next = table_[{op.operands[k], static_cast<int64_t>(to)}];
      std::string problem;
      for (const LabeledMap& second : ProvedMaps(op, leaf, indexing, static_cast<int64_t>(k),
                                                 static_cast<int64_t>(to), problem)) {
        for (const LabeledMap& first : paths.maps) {
          LabeledMap map;
          map.map = ComposeByDefinition(first.map, second.map);
          if (++compositions_ > kMaxCompositions || Size(map.map) > kMaxExpressionNodes) {
            problem = "too many paths, or too large a map";
            break;
          }
          map.map = Simplified(map.map);
          map.leaf = static_cast<int64_t>(to);
          map.exactness = std::max(first.exactness, second.exactness);
          Add(next, std::move(map));
        }
      }
      if (next.problem.empty()) next.problem = problem;
    }
  }
}

void FusionProof::Walk(const hlo::Computation& computation, int64_t output_id) {
  auto leaves = meaning::Leaves(computation.root->shape);
  if (output_id < 0 || output_id >= static_cast<int64_t>(leaves.size())) return;
  LabeledMap identity;
  identity.map = IndexingMap::Identity(context_, leaves[output_id]->dims);
  identity.exactness = Exactness::kExact;
  table_[{computation.root, output_id}].maps.push_back(std::move(identity));
  // Operands stand before users.
  for (const auto& op : llvm::reverse(computation.instructions)) {
    if (op->opcode == hlo::Opcode::kParameter) continue;
    for (size_t leaf = 0; leaf < meaning::Leaves(op->shape).size(); ++leaf) {
      auto at = table_.find({op.get(), static_cast<int64_t>(leaf)});
      if (at != table_.end()) Step(*op, static_cast<int64_t>(leaf), at->second);
    }
  }
}

MapAnswer FusionProof::CompareLeaf(const Paths& paths, std::vector<LabeledMap> claimed) const {
  if (!paths.problem.empty()) return {.reason = paths.problem};
  bool paths_exact = true, claims_exact = false;
  std::vector<IndexingMap> all;
  for (const LabeledMap& m : claimed) {
    if (m.exactness == Exactness::kUnknown || m.map.IsUndefined()) {
      return {.reason = "a map makes no claim"};
    }
    claims_exact |= m.exactness == Exactness::kExact;
    all.push_back(m.map);
  }
  for (const LabeledMap& m : paths.maps) {
    paths_exact &= m.exactness == Exactness::kExact;
    all.push_back(m.map);
  }
  size_t runtimes = all.empty() ? 0 : all.front().runtime().size();
  AlignRuntime(all, options_);
  llvm::ArrayRef<IndexingMap> given = llvm::ArrayRef<IndexingMap>(all).take_front(claimed.size());
  llvm::ArrayRef<IndexingMap> read = llvm::ArrayRef<IndexingMap>(all).drop_front(claimed.size());
  MapAnswer answer = ProveUnionCovers(given, read, options_);
  if (answer.verdict == Verdict::kProved && claims_exact) {
    if (!paths_exact) return {.reason = "what an op inside reads depends on values"};
    std::vector<IndexingMap> exact;
    for (size_t k = 0; k < claimed.size(); ++k) {
      if (claimed[k].exactness == Exactness::kExact) exact.push_back(given[k]);
    }
    MapAnswer inside = ProveUnionCovers(read, exact, options_);
    inside.engine = std::max(inside.engine, answer.engine);
    if (inside.counterexample) std::swap(inside.counterexample->lhs, inside.counterexample->rhs);
    if (inside.counterexample) {
      std::swap(inside.counterexample->lhs_truncated, inside.counterexample->rhs_truncated);
    }
    answer = std::move(inside);
  }
  // A runtime value that only one side names may have been replaced by its value on the other.
  bool same_runtime = all.empty() || all.front().runtime().size() == runtimes;
  if (answer.verdict == Verdict::kRefuted && !same_runtime) {
    return {.reason = "the maps name different runtime values"};
  }
  return answer;
}

MapAnswer FusionProof::Compare(const hlo::Instruction* parameter,
                               llvm::ArrayRef<LabeledMap> claimed) const {
  MapAnswer answer{.verdict = Verdict::kProved};
  size_t leaves = meaning::Leaves(parameter->shape).size();
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    std::vector<LabeledMap> of_leaf;
    for (const LabeledMap& m : claimed) {
      if (m.leaf == static_cast<int64_t>(leaf)) of_leaf.push_back(m);
    }
    auto at = table_.find({parameter, static_cast<int64_t>(leaf)});
    MapAnswer next = CompareLeaf(at == table_.end() ? Paths() : at->second, std::move(of_leaf));
    next.engine = std::max(next.engine, answer.engine);
    answer = std::move(next);
    if (answer.verdict != Verdict::kProved) break;
  }
  return answer;
}

}  // namespace

std::vector<MapAnswer> ProveFusion(const hlo::Instruction& fusion, int64_t output_id,
                                   llvm::ArrayRef<std::vector<LabeledMap>> maps, Context& context,
                                   const DecideOptions& options) {
  return ProveCall(fusion, output_id, maps, context, options, /*depth=*/0);
}

}  // namespace affirm
