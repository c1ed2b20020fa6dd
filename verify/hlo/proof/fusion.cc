// The maps of an op that calls computations, by the paths through these.
#include "verify/hlo/proof/fusion.h"

#include <numeric>
#include <utility>

#include "core/hlo/dynamic_sizes.h"
#include "core/hlo/leaves.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/hlo/proof/composition.h"
#include "verify/hlo/proof/loops.h"
#include "verify/hlo/proof/paths.h"
#include "verify/hlo/proof/prove_map.h"
#include "verify/hlo/proof/runtime_congruence.h"
#include "verify/hlo/proof/runtime_equivalence.h"
#include "verify/hlo/semantics/access_relation.h"
#include "verify/maps/timing.h"

namespace affirm {
namespace {

constexpr int kMaxDepth = 64;  // of computations called within computations

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

// Proves the maps to all leaves of the operand together.
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

// A branch reads if the selector selects it, the branch of operand k. The selector's value is a
// further runtime variable; an index below 0 counts as -1.
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

std::vector<LeafPaths> WhereItRuns(std::vector<LeafPaths> paths, const hlo::Instruction& op,
                                   size_t k) {
  for (LeafPaths& of_leaf : paths) {
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
                             llvm::ArrayRef<LeafPaths> paths, llvm::ArrayRef<LabeledMap> claimed,
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
        const std::vector<LeafPaths> where =
            one_of_many ? WhereItRuns(of_parameter, call, k) : of_parameter;
        return CompareLeaves(call, output_id, k, where, maps[k], proofs);
      });
    }
  }
  return answers;
}

}  // namespace

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

}  // namespace affirm
