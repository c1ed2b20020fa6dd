// Composition through a graph. Every instruction is visited once, with the set of its distinct
// maps, so that the number of paths from the root does not matter.
#include "core/analysis/computation.h"

#include <set>

#include "core/analysis/ops/op_helpers.h"
#include "core/hlo/dynamic_sizes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

// The maps to one instruction, and its array leaves that had too many.
struct MapSet {
  std::vector<LabeledMap> maps;
  std::set<int64_t> capped;
};
using MapSets = llvm::DenseMap<const hlo::Instruction*, MapSet>;

// Calls nested deeper than this are not followed.
constexpr int kMaxCallDepth = 100;

// Whether composing with `second` gives `first` back: an identity whose bounds take in all of
// first's results.
bool KeepsUnchanged(const IndexingMap& first, const IndexingMap& second) {
  if (second.state() != IndexingMap::State::kNormal || !second.map().IsIdentity() ||
      !second.ranges().empty() || !second.runtime().empty() || !second.constraints().empty()) {
    return false;
  }
  if (first.state() != IndexingMap::State::kNormal) return true;
  if (first.results().size() != second.dims().size()) return false;
  for (size_t i = 0; i < second.dims().size(); ++i) {
    if (!first.RangeOf(first.results()[i]).Within(second.dims()[i].bounds)) return false;
  }
  return true;
}

bool IsTooLarge(const IndexingMap& map) {
  if (map.state() != IndexingMap::State::kNormal) return false;
  int64_t size = 0;
  for (SymbolicExpr e : map.results()) size += e.size();
  for (const Constraint& c : map.constraints()) size += c.expr.size();
  return size > kMaxExpressionSize;
}

// A map together with its replicas as further results, so that composition treats both alike. The
// results are those of the map; then one for each interval of `handed`, a new dim with these bounds
// that is passed through; then the map's own replicas.
IndexingMap WithReplicas(const LabeledMap& labeled, llvm::ArrayRef<Interval> handed) {
  const IndexingMap& map = labeled.map;
  if (map.state() != IndexingMap::State::kNormal) return map;
  std::vector<Variable> dims = map.dims();
  std::vector<SymbolicExpr> results(map.results().begin(), map.results().end());
  for (Interval bounds : handed) {
    results.push_back(map.context()->Dim(static_cast<int64_t>(dims.size())));
    dims.push_back({bounds, "", std::nullopt});
  }
  if (labeled.replica_id) {
    const IndexingMap& replica = *labeled.replica_id;
    if (replica.state() != IndexingMap::State::kNormal ||
        replica.ranges().size() != map.ranges().size()) {
      return IndexingMap::Undefined();
    }
    llvm::append_range(results, replica.results());
  }
  return IndexingMap(*map.context(), results, std::move(dims), map.ranges(), map.runtime(),
                     map.constraints());
}

// The first `rank` results lead to the element, the others to the replica.
void SplitReplicas(const IndexingMap& joined, size_t rank, LabeledMap& out) {
  out.map = joined;
  if (joined.state() != IndexingMap::State::kNormal) return;
  out.map = joined.WithResults(joined.results().take_front(rank));
  out.replica_id = joined.WithResults(joined.results().drop_front(rank));
}

IndexingMap SimplifyBounded(const IndexingMap& map) {
  return IsTooLarge(map) ? IndexingMap::Undefined() : Canonical(map);
}

// The array that maps start from, and the instruction that they lead to.
struct Ends {
  const hlo::Shape& from;
  const hlo::Instruction& to;
};

// The map that replaces the maps to a leaf that has too many: to any element of the leaf.
LabeledMap AnyElement(const MapSet& set, int64_t leaf, const Ends& ends, Context& context) {
  const hlo::Shape* to = LeafShape(ends.to.shape, leaf);
  auto has_indices_alone = [&](const LabeledMap& m) {
    return m.leaf != leaf || (!m.replica_id && !m.map.IsUndefined());
  };
  if (!to || hlo::HasDynamicSize(*to) || hlo::HasDynamicSize(ends.from) ||
      !llvm::all_of(set.maps, has_indices_alone)) {
    return Unknown(leaf);
  }
  return OverApproximate(ReadsAll(context, ends.from.dims, to->dims), leaf);
}

// Adds a map. Once an array leaf exceeds kMaxMapsPerLeaf maps, it has a single map, and so has
// every leaf that is reached through it.
void AddToSet(MapSet& set, LabeledMap map, bool from_capped, const Ends& ends, Context& context) {
  if (map.map.IsKnownEmpty() || set.capped.count(map.leaf)) return;
  int64_t leaf = map.leaf;
  auto of_leaf = [&](const LabeledMap& m) { return m.leaf == leaf; };
  AddDistinct(set.maps, std::move(map));
  if (!from_capped && llvm::count_if(set.maps, of_leaf) <= kMaxMapsPerLeaf) return;
  LabeledMap any = AnyElement(set, leaf, ends, context);
  llvm::erase_if(set.maps, of_leaf);
  set.maps.push_back(std::move(any));
  set.capped.insert(leaf);
}

using StepMaps = InstructionIndexing (*)(const hlo::Instruction& op, int64_t number,
                                         Session& session);

// The maps of a single instruction that may be composed: the exact ones if the default maps give
// only the reads of one step (scan).
InstructionIndexing StepOf(StepMaps maps_of, const hlo::Instruction& op, int64_t number,
                           Session& session) {
  InstructionIndexing step = maps_of(op, number, session);
  if (session.options.exact) return step;
  for (const std::vector<LabeledMap>& maps : step.maps) {
    for (const LabeledMap& m : maps) {
      if (m.exactness != Exactness::kUnknown || m.map.IsUndefined()) continue;
      return maps_of(op, number, session.OfExactMaps());
    }
  }
  return step;
}

// Hands the maps of `op` on to its operands.
void PropagateToOperands(const hlo::Instruction& op, const MapSet& set, const hlo::Shape& from,
                         MapSets& sets, Session& session) {
  llvm::DenseMap<int64_t, InstructionIndexing> steps;  // by leaf
  for (const LabeledMap& first : set.maps) {
    const bool from_capped = set.capped.contains(first.leaf);
    auto [it, is_new] = steps.try_emplace(first.leaf);
    if (is_new) it->second = StepOf(OutputToInput, op, first.leaf, session);
    for (size_t k = 0; k < it->second.maps.size(); ++k) {
      for (const LabeledMap& second : it->second.maps[k]) {
        ++session.compositions;
        AddToSet(sets[op.operands[k]], ComposeLabeled(first, second), from_capped,
                 {from, *op.operands[k]}, session.context);
      }
    }
  }
}

// The instructions that `root` needs, by position in the computation.
std::vector<bool> NeededBy(const hlo::Instruction& root, const hlo::Computation& computation) {
  llvm::DenseSet<const hlo::Instruction*> needed = {&root};
  std::vector<bool> flags(computation.instructions.size());
  for (size_t i = computation.instructions.size(); i-- > 0;) {
    const hlo::Instruction* op = computation.instructions[i].get();
    if (!needed.contains(op)) continue;
    flags[i] = true;
    needed.insert(op->operands.begin(), op->operands.end());
  }
  return flags;
}

// Extends the maps of `op`'s operands to `op`: once for each operand, also where several operands
// are the same array.
void PropagateFromOperands(const hlo::Instruction& op, const hlo::Shape& from, MapSets& sets,
                           Session& session) {
  MapSet set;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    auto it = sets.find(op.operands[k]);
    if (it == sets.end()) continue;
    InstructionIndexing step = StepOf(InputToOutput, op, static_cast<int64_t>(k), session);
    for (size_t leaf = 0; leaf < step.maps.size(); ++leaf) {
      for (const LabeledMap& second : step.maps[leaf]) {
        for (const LabeledMap& first : it->second.maps) {
          if (first.leaf != second.leaf) continue;
          ++session.compositions;
          LabeledMap composed = ComposeLabeled(first, second);
          composed.leaf = static_cast<int64_t>(leaf);
          AddToSet(set, std::move(composed), it->second.capped.contains(first.leaf), {from, op},
                   session.context);
        }
      }
    }
  }
  if (!set.maps.empty()) sets[&op] = std::move(set);
}

// If the only use of a leaf copies it element by element: the copy, which has the same maps.
std::optional<Session::Leaf> OnlyCopyOf(const Session::Leaf& from, Session& session) {
  const auto& [instruction, leaf] = from;
  if (instruction->users.size() != 1) return std::nullopt;
  const hlo::Instruction& user = *instruction->users.front();
  if (llvm::count(user.operands, instruction) != 1) return std::nullopt;
  const auto operand = llvm::find(user.operands, instruction) - user.operands.begin();
  const InstructionIndexing step = StepOf(InputToOutput, user, operand, session);
  const LabeledMap* only = nullptr;
  Session::Leaf copy{&user, 0};
  for (size_t to = 0; to < step.maps.size(); ++to) {
    for (const LabeledMap& map : step.maps[to]) {
      if (map.leaf != leaf) continue;
      if (only != nullptr) return std::nullopt;
      only = &map;
      copy.second = static_cast<int64_t>(to);
    }
  }
  if (only == nullptr || only->exactness != Exactness::kExact || only->replica_id)
    return std::nullopt;
  const auto& dims = LeafShape(instruction->shape, leaf)->dims;
  const bool is_copy = dims == LeafShape(user.shape, copy.second)->dims &&
                       KeepsUnchanged(IndexingMap::Identity(session.context, dims), only->map);
  return is_copy ? std::optional(copy) : std::nullopt;
}

// The maps from a leaf to the root of its computation. They are found once for all arrays on the
// way that are copies of one another, so that a sum of n operands takes n steps.
std::vector<LabeledMap> MapsToRoot(const hlo::Instruction& root, Session::Leaf from,
                                   Session& session) {
  const int64_t cut_off = session.nesting->cut_off;
  std::vector<Session::Leaf> alike;
  while (!session.to_root.contains(from)) {
    alike.push_back(from);
    const auto copy = from.first == &root ? std::nullopt : OnlyCopyOf(from, session);
    if (!copy) break;
    from = *copy;
  }
  const auto known = session.to_root.find(from);
  std::vector<LabeledMap> maps = known != session.to_root.end()
                                     ? known->second
                                     : UserIndexing(*from.first, from.second, root, session)[&root];
  if (session.nesting->cut_off == cut_off) {
    for (const Session::Leaf& leaf : alike) session.to_root[leaf] = maps;
  }
  return maps;
}

InstructionIndexing ComputeFromParameter(const hlo::Computation& computation, int64_t parameter,
                                         Session& session) {
  const hlo::Instruction& from = *computation.parameters[parameter];
  InstructionIndexing out = NothingWritten(*computation.root);
  // One pass per leaf: `leaf` of a map in a set is where the map ends, not where it starts.
  for (const hlo::LeafRef& start : Leaves(from.shape)) {
    for (LabeledMap& m : MapsToRoot(*computation.root, {&from, start.index}, session)) {
      std::vector<LabeledMap>& list = out.maps[m.leaf];
      m.leaf = start.index;
      list.push_back(std::move(m));
    }
  }
  return out;
}

bool IsComplete(const hlo::Computation& computation) {
  return computation.root &&
         llvm::none_of(computation.parameters, [](const hlo::Instruction* p) { return !p; });
}

}  // namespace

LabeledMap ComposeLabeled(const LabeledMap& first, const LabeledMap& second) {
  LabeledMap out{IndexingMap::Undefined(), Weaker(first.exactness, second.exactness), second.leaf,
                 std::nullopt};
  if (!second.replica_id && KeepsUnchanged(first.map, second.map)) {
    out.map = first.map;
    out.replica_id = first.replica_id;
  } else if (!first.replica_id && !second.replica_id) {
    out.map = SimplifyBounded(Compose(first.map, second.map));
  } else {
    std::vector<Interval> handed;
    if (first.replica_id) {
      for (SymbolicExpr e : first.replica_id->results()) handed.push_back(first.map.RangeOf(e));
    }
    SplitReplicas(SimplifyBounded(Compose(WithReplicas(first, {}), WithReplicas(second, handed))),
                  second.map.results().size(), out);
  }
  if (out.map.IsUndefined()) out = Unknown(second.leaf);
  return out;
}

GroupedIndexing UserIndexing(const hlo::Instruction& from, int64_t leaf,
                             const hlo::Instruction& user, Session& session) {
  const hlo::Computation& computation = *user.parent;
  std::vector<bool> needed = NeededBy(user, computation);
  MapSets sets;
  const hlo::Shape& shape = *LeafShape(from.shape, leaf);
  sets[&from].maps.push_back(Exact(IndexingMap::Identity(session.context, shape.dims), leaf));
  GroupedIndexing out;
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    const hlo::Instruction& op = *computation.instructions[i];
    if (!needed[i]) continue;
    if (&op != &from) PropagateFromOperands(op, shape, sets, session);
    auto found = sets.find(&op);
    if (found != sets.end() && !found->second.maps.empty()) out[&op] = found->second.maps;
  }
  return out;
}

GroupedIndexing ComputationIndexing(const hlo::Instruction& root, int64_t output_id,
                                    Session& session) {
  GroupedIndexing out;
  const hlo::Shape* leaf = LeafShape(root.shape, output_id);
  if (!leaf) return out;
  MapSets sets;
  sets[&root].maps.push_back(Exact(IndexingMap::Identity(session.context, leaf->dims), output_id));
  if (!root.parent) {
    out.insert({&root, sets[&root].maps});
    return out;
  }
  const auto& instructions = root.parent->instructions;
  for (size_t i = instructions.size(); i-- > 0;) {
    const hlo::Instruction& op = *instructions[i];
    auto it = sets.find(&op);
    if (it == sets.end() || it->second.maps.empty()) continue;
    MapSet set = std::move(it->second);
    sets.erase(it);
    PropagateToOperands(op, set, *leaf, sets, session);
    out.insert({&op, std::move(set.maps)});
  }
  return out;
}

InstructionIndexing ToParameters(const hlo::Computation& computation, int64_t output_id,
                                 Session& session) {
  auto key = std::make_pair(&computation, output_id);
  auto it = session.to_parameters.find(key);
  if (it != session.to_parameters.end()) return it->second;
  InstructionIndexing out;
  if (!IsComplete(computation)) return out;
  if (session.nesting->depth >= kMaxCallDepth) {
    ++session.nesting->cut_off;
    return out;
  }
  const int64_t cut_off = session.nesting->cut_off;
  ++session.nesting->depth;
  GroupedIndexing grouped = ComputationIndexing(*computation.root, output_id, session);
  --session.nesting->depth;
  for (const hlo::Instruction* p : computation.parameters) {
    auto found = grouped.find(p);
    out.maps.push_back(found == grouped.end() ? std::vector<LabeledMap>() : found->second);
  }
  if (session.nesting->cut_off == cut_off) session.to_parameters[key] = out;
  return out;
}

InstructionIndexing FromParameter(const hlo::Computation& computation, int64_t parameter,
                                  Session& session) {
  auto key = std::make_pair(&computation, parameter);
  auto it = session.from_parameter.find(key);
  if (it != session.from_parameter.end()) return it->second;
  InstructionIndexing out;
  if (!IsComplete(computation) || parameter < 0 ||
      parameter >= static_cast<int64_t>(computation.parameters.size())) {
    return out;
  }
  if (session.nesting->depth >= kMaxCallDepth) {
    ++session.nesting->cut_off;
    return out;
  }
  const int64_t cut_off = session.nesting->cut_off;
  ++session.nesting->depth;
  out = ComputeFromParameter(computation, parameter, session);
  --session.nesting->depth;
  if (session.nesting->cut_off == cut_off) session.from_parameter[key] = out;
  return out;
}

}  // namespace affirm::analysis

namespace affirm {

GroupedIndexing ComputationIndexing(const hlo::Instruction& root, int64_t output_id,
                                    Context& context, const IndexingOptions& options) {
  analysis::Session session{.context = context, .options = options};
  return analysis::ComputationIndexing(root, output_id, session);
}

GroupedIndexing ConsumerIndexing(const hlo::Instruction& instruction, int64_t operand, int64_t leaf,
                                 Context& context, const IndexingOptions& options) {
  GroupedIndexing out;
  if (operand < 0 || operand >= std::ssize(instruction.operands)) return out;
  const hlo::Instruction* from = instruction.operands[operand];
  const hlo::Shape* shape = LeafShape(from->shape, leaf);
  if (!shape) return out;
  analysis::Session session{.context = context, .options = options};
  const bool is_fusion =
      instruction.opcode == hlo::Opcode::kFusion && instruction.called.size() == 1;
  if (is_fusion && operand < std::ssize(instruction.called[0]->parameters)) {
    const hlo::Computation& fused = *instruction.called[0];
    return analysis::UserIndexing(*fused.parameters[operand], leaf, *fused.root, session);
  }
  out[from] = {analysis::Exact(IndexingMap::Identity(context, shape->dims), leaf)};
  InstructionIndexing step = InputToOutput(instruction, operand, context, options);
  for (size_t k = 0; k < step.maps.size(); ++k) {
    for (LabeledMap m : step.maps[k]) {
      if (m.leaf != leaf) continue;
      m.leaf = static_cast<int64_t>(k);
      out[&instruction].push_back(std::move(m));
    }
  }
  return out;
}

}  // namespace affirm
