// Maps between instructions: through one computation, and from there into those that it calls.
#include "core/analysis/between.h"

#include "core/analysis/computation.h"
#include "core/analysis/ops/op_helpers.h"
#include "core/symbolic/error.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

using analysis::Session;

// The computation that a fusion or a call stands for: its root is their result.
const hlo::Computation* Inlined(const hlo::Instruction& op) {
  const bool is_inlined = op.opcode == hlo::Opcode::kFusion || op.opcode == hlo::Opcode::kCall;
  return is_inlined && op.called.size() == 1 && op.called[0]->root ? op.called[0] : nullptr;
}

// The instructions of `user`'s computation that it needs, itself among them.
llvm::DenseSet<const hlo::Instruction*> NeededInstructions(const hlo::Instruction& user) {
  llvm::DenseSet<const hlo::Instruction*> needed = {&user};
  std::vector<const hlo::Instruction*> next = {&user};
  while (!next.empty()) {
    const hlo::Instruction* op = next.back();
    next.pop_back();
    for (const hlo::Instruction* operand : op->operands) {
      if (needed.insert(operand).second) next.push_back(operand);
    }
  }
  return needed;
}

// The calls that lead from `user` to `source`, outermost first: none when `source` is in the same
// computation. A computation with several call sites is entered at each of them.
using Calls = std::vector<const hlo::Instruction*>;

class CallPaths {
 public:
  explicit CallPaths(const hlo::Instruction& source) : source_(source) {}

  // Returns the paths; stops soon after kMaxMapsPerLeaf of them.
  std::vector<Calls> From(const hlo::Instruction& user) {
    Follow(user);
    return std::move(found_);
  }

 private:
  // False when no path leads from `user` to the source.
  bool Follow(const hlo::Instruction& user) {
    llvm::DenseSet<const hlo::Instruction*> needed = NeededInstructions(user);
    bool is_on_the_way = needed.contains(&source_);
    if (is_on_the_way) found_.push_back(calls_);
    if (!user.parent || user.parent == source_.parent) return is_on_the_way;
    for (const auto& op : user.parent->instructions) {
      const hlo::Computation* inner = needed.contains(op.get()) ? Inlined(*op) : nullptr;
      if (!inner || dead_ends_.contains(inner)) continue;
      if (static_cast<int64_t>(found_.size()) > kMaxMapsPerLeaf) return true;
      calls_.push_back(op.get());
      const bool leads = Follow(*inner->root);
      calls_.pop_back();
      if (!leads) dead_ends_.insert(inner);
      is_on_the_way |= leads;
    }
    return is_on_the_way;
  }

  const hlo::Instruction& source_;
  Calls calls_;
  std::vector<Calls> found_;
  llvm::DenseSet<const hlo::Computation*> dead_ends_;
};

// One undefined map for each array of the instruction.
std::vector<LabeledMap> MapsUnknown(const hlo::Instruction& to) {
  std::vector<LabeledMap> maps;
  const int64_t leaves = NumLeaves(to.shape);
  maps.reserve(leaves);
  for (int64_t leaf = 0; leaf < leaves; ++leaf) {
    maps.push_back(analysis::Unknown(leaf));
  }
  return maps;
}

void AddNonEmpty(std::vector<LabeledMap>& maps, LabeledMap map) {
  if (!map.map.IsKnownEmpty()) analysis::AddDistinct(maps, std::move(map));
}

std::vector<LabeledMap> ToSource(const hlo::Instruction& user, int64_t leaf, const Calls& calls,
                                 const hlo::Instruction& source, Session& session) {
  std::vector<LabeledMap> maps = {analysis::Exact(
      IndexingMap::Identity(session.context, LeafShape(user.shape, leaf)->dims), leaf)};
  const hlo::Instruction* at = &user;
  for (size_t level = 0; level <= calls.size(); ++level) {
    const hlo::Instruction& next = level < calls.size() ? *calls[level] : source;
    std::vector<LabeledMap> longer;
    for (const LabeledMap& first : maps) {
      GroupedIndexing step = analysis::ComputationIndexing(*at, first.leaf, session);
      for (const LabeledMap& second : step.lookup(&next)) {
        AddNonEmpty(longer, analysis::ComposeLabeled(first, second));
      }
    }
    maps = std::move(longer);
    if (level < calls.size()) at = calls[level]->called[0]->root;
  }
  return maps;
}

std::vector<LabeledMap> ToUser(const hlo::Instruction& source, int64_t leaf, const Calls& calls,
                               const hlo::Instruction& user, Session& session) {
  std::vector<LabeledMap> maps = {analysis::Exact(
      IndexingMap::Identity(session.context, LeafShape(source.shape, leaf)->dims), leaf)};
  const hlo::Instruction* at = &source;
  for (size_t level = calls.size() + 1; level-- > 0;) {
    const hlo::Instruction& next = level > 0 ? *calls[level - 1]->called[0]->root : user;
    std::vector<LabeledMap> longer;
    for (const LabeledMap& first : maps) {
      GroupedIndexing step = analysis::UserIndexing(*at, first.leaf, next, session);
      for (const LabeledMap& second : step.lookup(&next)) {
        AddNonEmpty(longer, analysis::ComposeLabeled(first, second));
      }
    }
    maps = std::move(longer);
    if (level > 0) at = calls[level - 1];
  }
  return maps;
}

}  // namespace

llvm::Expected<std::vector<LabeledMap>> MapsBetween(const hlo::Instruction& from, int64_t leaf,
                                                    const hlo::Instruction& to, Direction direction,
                                                    Context& context,
                                                    const IndexingOptions& options) {
  if (!LeafShape(from.shape, leaf)) {
    return MakeError("'" + from.name + "' has no output " + llvm::Twine(leaf));
  }
  const bool is_to_source = direction == Direction::kOutputToInput;
  const hlo::Instruction &user = is_to_source ? from : to, &source = is_to_source ? to : from;
  std::vector<Calls> found = CallPaths(source).From(user);
  if (found.empty()) {
    return MakeError("'" + user.name + "' does not need '" + source.name +
                     "', expected an instruction on the way " +
                     (is_to_source ? "to its parameters" : "from it to the root"));
  }
  if (static_cast<int64_t>(found.size()) > kMaxMapsPerLeaf) return MapsUnknown(to);
  Session session{.context = context, .options = options};
  std::vector<LabeledMap> maps;
  for (const Calls& way : found) {
    std::vector<LabeledMap> some = is_to_source ? ToSource(user, leaf, way, source, session)
                                                : ToUser(source, leaf, way, user, session);
    for (LabeledMap& m : some) AddNonEmpty(maps, std::move(m));
  }
  return maps;
}

}  // namespace affirm
