// The walk from the root of a called computation to its parameters: for each array leaf on the way,
// the maps that lead to it, each composed of proved maps.
#include "verify/hlo/proof/fusion.h"

#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "core/simplify/simplify.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/composition.h"
#include "verify/hlo/proof/loops.h"
#include "verify/hlo/proof/paths.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/proof/replicas.h"
#include "verify/hlo/proof/runtime_congruence.h"
#include "verify/hlo/proof/runtime_equivalence.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/maps/timing.h"

namespace affirm {
namespace {

constexpr size_t kMaxPathsPerLeaf = 192;  // more than the maps that the analysis gives
constexpr int kMaxCompositions = 50000;
constexpr int kMaxDepth = 64;  // of computations called within computations
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
  using Key = std::pair<const hlo::Instruction*, int64_t>;
  // Only looked up, never iterated: the order of pointers does not matter.
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

// A computation that an op runs on its operands from `first` on, and the leaf of the result.
struct Callee {
  const hlo::Computation* computation = nullptr;
  int64_t first = 0;
  int64_t output = 0;
};

// The branch of a conditional that gets operand k >= 1. A predicated conditional has its true
// branch first; others are in the order of their list.
const hlo::Computation* Branch(const hlo::Instruction& op, size_t k) {
  for (size_t i = 0; i < op.called_as.size() && i < op.called.size(); ++i) {
    if (op.called_as[i] == (k == 1 ? "true_computation" : "false_computation")) {
      return k <= 2 ? op.called[i] : nullptr;
    }
  }
  return k <= op.called.size() ? op.called[k - 1] : nullptr;
}

// The operand of a conditional's branch that runs, when its selector is a constant; 0 otherwise. An
// index outside selects the last branch.
size_t KnownBranch(const hlo::Instruction& op) {
  const hlo::Instruction& selector = *op.operands[0];
  size_t branches = op.operands.size() - 1;
  if (selector.opcode != hlo::Opcode::kConstant || !selector.literal) return 0;
  if (!selector.shape.IsScalar() || branches == 0) return 0;
  int64_t value = selector.literal->GetInt(0);
  if (selector.shape.type == hlo::PrimitiveType::kPred) return value != 0 ? 1 : 2;
  bool inside = value >= 0 && value < static_cast<int64_t>(branches);
  return inside ? static_cast<size_t>(value) + 1 : branches;
}

// The computations that give array leaf `output` of an op's result; empty when the op does more
// than to call them.
std::vector<Callee> CalleesOf(const hlo::Instruction& op, int64_t output) {
  std::vector<Callee> callees;
  const hlo::Computation* only = op.called.size() == 1 ? op.called[0] : nullptr;
  switch (op.opcode) {
    case hlo::Opcode::kFusion:
    case hlo::Opcode::kCall:
      callees.push_back({only, 0, output});
      break;
    case hlo::Opcode::kAsyncStart: {
      // ((operands), result, contexts).
      if (!op.shape.IsTuple() || op.shape.tuple.size() < 2) return {};
      int64_t first = NumLeaves(op.shape.tuple[0]);
      int64_t count = NumLeaves(op.shape.tuple[1]);
      if (output < first || output >= first + count) return {};
      callees.push_back({only, 0, output - first});
      break;
    }
    case hlo::Opcode::kConditional:
      for (size_t k = 1; k < op.operands.size(); ++k) {
        if (KnownBranch(op) != 0 && KnownBranch(op) != k) continue;
        callees.push_back({Branch(op, k), static_cast<int64_t>(k), output});
      }
      break;
    default:
      return {};
  }
  for (const Callee& callee : callees) {
    if (!callee.computation || !callee.computation->root) return {};
    size_t arguments = op.opcode == hlo::Opcode::kConditional ? 1 : op.operands.size();
    if (callee.computation->parameters.size() != arguments) return {};
  }
  return callees;
}

std::vector<LabeledMap> MapsToLeaf(llvm::ArrayRef<LabeledMap> maps, int64_t leaf) {
  std::vector<LabeledMap> of_leaf;
  llvm::copy_if(maps, std::back_inserter(of_leaf),
                [&](const LabeledMap& m) { return m.leaf == leaf; });
  return of_leaf;
}

uint64_t Size(const IndexingMap& map) {
  uint64_t size = 0;
  if (map.state() != IndexingMap::State::kNormal) return size;
  for (SymbolicExpr e : map.results()) size += e.size();
  for (const Constraint& c : map.constraints()) size += c.expr.size();
  return size;
}

// Proves what must hold of every map of a call, whatever is read: it leads from an index of the
// result's leaf to an index of a leaf that the operand has, and is empty where that leaf has no
// elements.
MapProofResult ProveShapes(const hlo::Instruction& call, int64_t output_id, size_t operand,
                           llvm::ArrayRef<LabeledMap> maps, const DecideOptions& options) {
  MapProofResult answer{.verdict = Verdict::kProved};
  const std::vector<const hlo::Shape*> leaves = LeafShapes(call.operands[operand]->shape);
  for (LabeledMap m : maps) {
    if (m.leaf < 0 || m.leaf >= std::ssize(leaves))
      return {.reason = "a map leads to a leaf that the operand does not have"};
    if (m.exactness == Exactness::kUnknown) return {.reason = "a map makes no claim"};
    m.exactness = Exactness::kOverApproximate;
    AccessRelation nothing;
    nothing.output = IndexSpace(*LeafShape(call.shape, output_id));
    nothing.input = IndexSpace(*leaves[m.leaf]);
    nothing.reads = Formula::False();
    m.replica_id.reset();
    MapProofResult next = ProveMap(nothing, m, Direction::kOutputToInput, options);
    if (next.verdict != Verdict::kProved) return next;
    answer.engine = std::max(answer.engine, next.engine);
  }
  return answer;
}

// The invariants of all that the loop carries, proved once.
const LoopProof& ProofOfLoop(const hlo::Instruction& loop, CallProofs& proofs) {
  const auto found = proofs.loops.find(&loop);
  if (found != proofs.loops.end()) return *found->second;
  std::vector<int64_t> leaves(NumLeaves(loop.shape));
  std::iota(leaves.begin(), leaves.end(), 0);
  auto proof =
      std::make_shared<const LoopProof>(loop, AnalyzeCarried(loop, leaves, proofs.context), proofs);
  return *(proofs.loops[&loop] = std::move(proof));
}

// Of all leaves of the operand together.
MapProofResult ProveLoop(const hlo::Instruction& loop, int64_t output_id,
                         llvm::ArrayRef<LabeledMap> maps, CallProofs& proofs) {
  MapProofResult answer = ProveShapes(loop, output_id, 0, maps, proofs.options);
  if (answer.verdict != Verdict::kProved) return answer;
  const LoopProof& proof = ProofOfLoop(loop, proofs);
  for (int64_t leaf = 0; leaf < NumLeaves(loop.shape); ++leaf) {
    MapProofResult next =
        Timed([&] { return proof.Prove(output_id, leaf, MapsToLeaf(maps, leaf)); });
    next.engine = std::max(next.engine, answer.engine);
    answer = std::move(next);
    if (answer.verdict != Verdict::kProved) break;
  }
  return answer;
}

// What a branch reads is read where the selector selects it, the branch of operand k: its value, of
// an index any below 0 taken for -1, is a further runtime variable.
IndexingMap WhereItRuns(const IndexingMap& map, const hlo::Instruction& op, size_t k) {
  const int64_t branches = std::ssize(op.operands) - 1;
  if (!IsNormal(map) || branches == 1) return map;
  const hlo::Instruction& selector = *op.operands[0];
  Context& context = *map.context();
  std::vector<Variable> runtime = map.runtime();
  std::vector<Constraint> constraints(map.constraints().begin(), map.constraints().end());
  const SymbolicExpr value = context.Runtime(std::ssize(runtime));
  Interval values{-1, branches - 1};
  if (selector.shape.type == hlo::PrimitiveType::kPred) {
    values = {0, 1};
    constraints.push_back({value, Interval::Point(k == 1 ? 1 : 0)});
  } else if (static_cast<int64_t>(k) < branches) {
    constraints.push_back({value, Interval::Point(static_cast<int64_t>(k) - 1)});
  } else {
    // Neither of the others: the distance from the middle of these is larger than half of them.
    const SymbolicExpr twice = value * 2 - (branches - 2);
    constraints.push_back({twice.Max(-twice), {branches - 1, kInt64Max}});
  }
  runtime.push_back({values, "", RuntimeSource{selector.id, values, selector.name, nullptr}});
  return IndexingMap(context, map.results(), map.dims(), map.ranges(), std::move(runtime),
                     constraints);
}

std::vector<Paths> WhereItRuns(std::vector<Paths> paths, const hlo::Instruction& op, size_t k) {
  for (Paths& of_leaf : paths) {
    for (LabeledMap& m : of_leaf.maps) {
      m.map = WhereItRuns(m.map, op, k);
      // A replica is a function of the same variables.
      if (m.replica_id) m.replica_id = WhereItRuns(*m.replica_id, op, k);
    }
  }
  return paths;
}

// Whether the maps cover all that there is to read, and claim no more than that: what is read is
// among it, whatever that is.
MapProofResult ProveEverything(llvm::ArrayRef<LabeledMap> claimed, const hlo::Shape& from,
                               const hlo::Shape& to, CallProofs& proofs) {
  std::vector<IndexingMap> given;
  for (const LabeledMap& m : claimed) {
    if (m.exactness != Exactness::kOverApproximate || m.replica_id) return {};
    given.push_back(m.map);
  }
  if (given.empty() || hlo::HasDynamicSize(from) || hlo::HasDynamicSize(to)) return {};
  return ProveCoversForAllRuntimeValues(given, {EveryElement(proofs.context, from, to)},
                                        proofs.options);
}

// Leaf after leaf of operand k of a call, whose parameter has these paths.
MapProofResult CompareLeaves(const hlo::Instruction& call, int64_t output, size_t k,
                             llvm::ArrayRef<Paths> paths, llvm::ArrayRef<LabeledMap> claimed,
                             CallProofs& proofs) {
  MapProofResult answer{.verdict = Verdict::kProved};
  for (auto [number, of_leaf] : llvm::enumerate(paths)) {
    const auto leaf = static_cast<int64_t>(number);
    const std::vector<LabeledMap> maps = MapsToLeaf(claimed, leaf);
    MapProofResult next = CompareWithPaths(of_leaf, maps, proofs.options);
    if (!of_leaf.problem.empty()) {
      MapProofResult all = ProveEverything(maps, *LeafShape(call.shape, output),
                                           *LeafShape(call.operands[k]->shape, leaf), proofs);
      if (all.verdict == Verdict::kProved) next = std::move(all);
    }
    next.engine = std::max(next.engine, answer.engine);
    answer = std::move(next);
    if (answer.verdict != Verdict::kProved) break;
  }
  return answer;
}

std::vector<MapProofResult> ProveCall(const hlo::Instruction& call, int64_t output_id,
                                      llvm::ArrayRef<std::vector<LabeledMap>> maps,
                                      CallProofs& proofs) {
  const DecideOptions& options = proofs.options;
  std::vector<MapProofResult> answers(call.operands.size());
  auto all_unknown = [&](const char* reason) {
    for (MapProofResult& a : answers) a.reason = reason;
    return answers;
  };
  if (proofs.depth > kMaxDepth) return all_unknown("calls are nested too deeply");
  if (call.opcode == hlo::Opcode::kWhile && maps.size() == 1) {
    answers[0] = ProveLoop(call, output_id, maps[0], proofs);
    return answers;
  }
  std::vector<Callee> callees = CalleesOf(call, output_id);
  if (callees.empty() || maps.size() != answers.size()) return all_unknown("not a call with maps");
  if (hlo::UsesDynamicSizes(call, output_id)) {
    return all_unknown("a size is known at run time only");
  }
  bool one_of_many = call.opcode == hlo::Opcode::kConditional && KnownBranch(call) == 0;
  if (call.opcode == hlo::Opcode::kConditional) {
    // Branches that never run read nothing.
    for (size_t k = 1; k < answers.size(); ++k) {
      if (maps[k].empty()) answers[k].verdict = Verdict::kProved;
      if (!maps[k].empty()) answers[k].reason = "a branch that does not run has maps";
    }
    auto selector = AccessRelationOf(call, output_id, 0, proofs.context);
    if (selector) answers[0] = ProveMaps(*selector, maps[0], Direction::kOutputToInput, options);
  }
  for (const Callee& callee : callees) {
    const ParameterPaths& paths = PathsToParameters(*callee.computation, callee.output, proofs);
    for (auto [number, of_parameter] : llvm::enumerate(paths)) {
      const size_t k = static_cast<size_t>(callee.first) + number;
      answers[k] = Timed([&] {
        MapProofResult shapes = ProveShapes(call, output_id, k, maps[k], options);
        if (shapes.verdict != Verdict::kProved) return shapes;
        const std::vector<Paths> where =
            one_of_many ? WhereItRuns(of_parameter, call, k) : of_parameter;
        return CompareLeaves(call, output_id, k, where, maps[k], proofs);
      });
    }
  }
  return answers;
}

// The maps that the analysis gives an op that calls computations, and what is proved of them.
const CallProofs::Call& ProofOfCall(const hlo::Instruction& op, int64_t leaf, CallProofs& proofs) {
  const auto key = std::make_pair(&op, leaf);
  const auto found = proofs.calls.find(key);
  if (found != proofs.calls.end()) return found->second;
  CallProofs::Call call;
  call.indexing = OutputToInput(op, leaf, proofs.analyzed, {.exact = true});
  if (call.indexing.maps.size() == op.operands.size()) {
    call.answers = ProveCall(op, leaf, call.indexing.maps, proofs);
  }
  return proofs.calls[key] = std::move(call);
}

void FusionProof::MarkUnknown(const hlo::Instruction& op, const std::string& problem) {
  for (const hlo::Instruction* operand : op.operands) {
    for (int64_t leaf = 0; leaf < NumLeaves(operand->shape); ++leaf) {
      Paths& paths = table_[{operand, leaf}];
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
    int64_t leaves = NumLeaves(op.operands[k]->shape);
    for (int64_t to = 0; to < leaves; ++to) {
      // No map leads where nothing is read, which is proved wherever one does.
      const OperandLeaf there{static_cast<int64_t>(k), to};
      if (handed_on && *handed_on != there && MapsToLeaf(indexing.maps[k], to).empty()) continue;
      Paths& next = table_[{op.operands[k], to}];
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
  auto leaves = LeafShapes(computation.root->shape);
  if (output_id < 0 || output_id >= static_cast<int64_t>(leaves.size())) return;
  from_ = leaves[output_id];
  LabeledMap identity;
  identity.map = IndexingMap::Identity(context_, from_->dims);
  identity.exactness = Exactness::kExact;
  table_[{computation.root, output_id}].maps.push_back(std::move(identity));
  // Operands come before their users.
  for (const auto& op : llvm::reverse(computation.instructions)) {
    if (op->opcode == hlo::Opcode::kParameter) continue;
    for (int64_t leaf = 0; leaf < NumLeaves(op->shape); ++leaf) {
      auto at = table_.find({op.get(), leaf});
      if (at != table_.end()) ExtendPaths(*op, leaf, at->second);
    }
  }
}

std::vector<Paths> FusionProof::PathsTo(const hlo::Instruction& parameter) const {
  std::vector<Paths> all(NumLeaves(parameter.shape));
  for (size_t leaf = 0; leaf < all.size(); ++leaf) {
    const auto at = table_.find({&parameter, static_cast<int64_t>(leaf)});
    if (at != table_.end()) all[leaf] = at->second;
  }
  return all;
}

// Of maps, or of maps joined with replicas, that all have as many results.
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
    // What is wider than what is read shows that claims hold, and not that they don't.
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

bool IsCall(const hlo::Instruction& op, int64_t output_id) {
  if (op.opcode == hlo::Opcode::kWhile) return !hlo::UsesDynamicSizes(op, output_id);
  return !CalleesOf(op, output_id).empty();
}

std::vector<MapProofResult> ProveFusion(const hlo::Instruction& fusion, int64_t output_id,
                                        llvm::ArrayRef<std::vector<LabeledMap>> maps,
                                        Context& context, const DecideOptions& options) {
  CallProofs proofs(context, options);
  return ProveCall(fusion, output_id, maps, proofs);
}

std::vector<MapProofResult> ProveFusion(const hlo::Instruction& fusion, int64_t output_id,
                                        llvm::ArrayRef<std::vector<LabeledMap>> maps,
                                        CallProofs& proofs) {
  return ProveCall(fusion, output_id, maps, proofs);
}

}  // namespace affirm
