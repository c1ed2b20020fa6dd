// The emitter of dynamic-update-slice in place: the result starts as its operand, and the threads
// write the elements of the update alone.
#include "emit/elements/index_emitter.h"
#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/thread_map.h"

namespace affirm::emit {
namespace {

// The dynamic-update-slice that an output is, when its operand is a parameter's array.
const FlatNode* UpdateOf(const FlatGraph& graph, ValueRef output) {
  if (output.node < 0) return nullptr;
  const FlatNode& node = graph.nodes[output.node];
  const hlo::Instruction& op = *node.instruction;
  if (op.opcode != hlo::Opcode::kDynamicUpdateSlice || op.shape.NumElements() == 0 ||
      op.operands[1]->shape.NumElements() == 0 || op.operands.size() != 2 + op.shape.dims.size() ||
      op.operands[1]->shape.type != op.shape.type) {
    return nullptr;
  }
  for (const hlo::Instruction* start : llvm::drop_begin(op.operands, 2)) {
    if (!start->shape.IsScalar() || !hlo::IsInt(start->shape.type)) return nullptr;
  }
  ValueRef operand = node.operands[0];
  bool in_place = operand.node >= 0 && graph.nodes[operand.node].is_parameter();
  return in_place ? &node : nullptr;
}

struct Update {
  const FlatNode* node;
  int64_t leaf;
  size_t update, starts;  // groups
  IndexingMap to_result;  // (index of the update, starts) -> index of the result
};

IndexingMap UpdateToResult(Context& context, const hlo::Instruction& op) {
  const std::vector<int64_t>&sizes = op.shape.dims, &update = op.operands[1]->shape.dims;
  auto rank = static_cast<int64_t>(sizes.size());
  std::vector<SymbolicExpr> results;
  std::vector<int64_t> bounds = update;
  for (int64_t d = 0; d < rank; ++d) {
    results.push_back(context.Dim(d) + context.Dim(rank + d));
    bounds.push_back(sizes[d] - update[d] + 1);
  }
  return IndexingMap::FromShapes(context, results, bounds, {});
}

llvm::Error EmitUpdates(llvm::ArrayRef<Update> updates, llvm::ArrayRef<ThreadMap> maps,
                        EntryBuilder& entry) {
  Builder& b = entry.b();
  for (const Update& update : updates) {
    const hlo::Instruction& op = *update.node->instruction;
    EntryBuilder::Values starts;
    if (!op.shape.dims.empty()) starts = entry.Call(update.starts, {});
    for (size_t d = 0; d < starts.size(); ++d) {
      int64_t last = op.shape.dims[d] - op.operands[1]->shape.dims[d];
      starts[d] = ClampedIndex(b, starts[d], op.operands[2 + d]->shape.type, {0, last});
    }
    entry.WriteLoop(maps[update.leaf].map, [&](mlir::ValueRange index) {
      EntryBuilder::Values variables(index);
      variables.append(starts.begin(), starts.end());
      entry.WriteAt(update.update, {update.leaf}, index, entry.Apply(update.to_result, variables));
    });
  }
  return llvm::Error::success();
}

}  // namespace

std::optional<EmissionPlan> PlanUpdateSlice(const FlatGraph& graph, Context& context) {
  EmissionPlan plan;
  std::vector<Update> updates;
  int64_t largest = 1;
  for (auto [k, output] : llvm::enumerate(graph.outputs)) {
    const FlatNode* node = UpdateOf(graph, output);
    if (!node) return std::nullopt;
    const hlo::Instruction& op = *node->instruction;
    ValueRef operand = node->operands[0];
    plan.aliases.push_back(graph.nodes[operand.node].buffer + operand.leaf);
    size_t group = plan.request.groups.size();
    updates.push_back(
        {node, static_cast<int64_t>(k), group, group + 1, UpdateToResult(context, op)});
    const std::vector<int64_t>& dims = op.operands[1]->shape.dims;
    plan.request.groups.push_back({"update", dims, {node->operands[1]}});
    RootGroup starts{"starts", {}, {}};
    for (ValueRef start : llvm::drop_begin(node->operands, 2)) starts.roots.push_back(start);
    plan.request.groups.push_back(std::move(starts));
    largest = std::max(largest, op.operands[1]->shape.NumElements());
  }
  if (updates.empty()) return std::nullopt;
  plan.name = "dynamic-update-slice in place";
  const bool vector =
      largest >= kMinVectorElements && llvm::all_of(updates, [](const Update& update) {
        return update.node->instruction->operands[1]->shape.NumElements() % kVector == 0;
      });
  const int64_t consecutive = vector ? kVector : 1;
  plan.launch = {CeilOf(largest, kThreadsPerBlock * consecutive), kThreadsPerBlock};
  for (const Update& update : updates) {
    const std::vector<int64_t>& dims = update.node->instruction->operands[1]->shape.dims;
    plan.thread_maps.push_back({LoopThreadMap(context, dims, plan.launch, consecutive), dims,
                                "update of output " + std::to_string(update.leaf)});
  }
  plan.emit = [updates, maps = plan.thread_maps](EntryBuilder& entry) {
    return EmitUpdates(updates, maps, entry);
  };
  return plan;
}

}  // namespace affirm::emit
