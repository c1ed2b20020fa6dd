// The concatenate emitter: a thread copies one element of each operand into the result, or a few
// consecutive ones, so that no thread needs to find out which operand an element of the result
// comes from. Operands of one shape are copied in one loop, unless it writes vectors.
#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/thread_map.h"

namespace affirm::emit {
namespace {

struct Part {
  size_t group = 0;
  IndexingMap threads;    // to an element of the operand
  IndexingMap to_result;  // from there to the element of the result
};

struct ConcatenateEntryPlan {
  HeroFusion fusion;
  LaunchShape launch;
  std::vector<Part> parts;
  bool vector = false;
};

// From an operand's index to the result's: further by `offset` along `dim`.
IndexingMap ShiftMap(Context& context, llvm::ArrayRef<int64_t> shape, int64_t dim, int64_t offset) {
  const IndexingMap map = IndexingMap::Identity(context, shape);
  std::vector<SymbolicExpr> results(map.results());
  results[dim] = results[dim] + offset;
  return map.WithResults(results);
}

}  // namespace

std::optional<EmissionPlan> PlanConcatenate(const FlatGraph& graph, Context& context) {
  EmissionPlan plan;
  auto is_hero = [&](int64_t node) {
    const hlo::Instruction& op = *graph.nodes[node].instruction;
    return op.opcode == hlo::Opcode::kConcatenate && op.operands.size() > 1 &&
           op.attributes.dimensions.size() == 1;
  };
  auto fusion =
      FindHeroes(graph, context, is_hero, [](int64_t, int64_t) { return false; }, plan.request);
  if (!fusion) return std::nullopt;
  const FlatNode& hero = graph.nodes[fusion->heroes.front()];
  int64_t dim = hero.instruction->attributes.dimensions.front(), largest = 1, offset = 0;
  for (const hlo::Instruction* operand : hero.instruction->operands) {
    if (operand->shape.type != hero.instruction->shape.type) return std::nullopt;
    largest = std::max(largest, operand->shape.NumElements());
  }
  plan.name = "concatenate";
  auto fills_vectors = [](const hlo::Instruction* operand) {
    return operand->shape.NumElements() % kVector == 0;
  };
  const bool vector =
      largest >= kMinVectorElements && llvm::all_of(hero.instruction->operands, fills_vectors);
  const int64_t consecutive = vector ? kVector : 1;
  plan.launch = {CeilOf(largest, kThreadsPerBlock * consecutive), kThreadsPerBlock};
  ConcatenateEntryPlan entry_plan{*fusion, plan.launch, {}, vector};
  for (auto [k, operand] : llvm::enumerate(hero.instruction->operands)) {
    const std::vector<int64_t>& dims = operand->shape.dims;
    int64_t size = dims[dim];
    if (operand->shape.NumElements() == 0) continue;
    IndexingMap threads = LoopThreadMap(context, dims, plan.launch, consecutive);
    plan.thread_maps.push_back({threads, dims, "operand " + std::to_string(k) + " of concatenate"});
    entry_plan.parts.push_back(
        {plan.request.groups.size(), threads, ShiftMap(context, dims, dim, offset)});
    plan.request.groups.push_back({"operand_" + std::to_string(k), dims, {hero.operands[k]}});
    offset += size;
  }
  for (const HeroFusion::Outputs& outputs : fusion->outputs) {
    if (outputs.from_hero) continue;
    for (int64_t leaf : outputs.leaves) {
      const std::vector<int64_t>& dims = graph.output_leaves[leaf]->dims;
      plan.thread_maps.push_back(
          {StridedThreadMap(context, dims, plan.launch), dims, "output " + std::to_string(leaf)});
    }
  }
  plan.emit = [entry_plan](EntryBuilder& entry) {
    for (llvm::ArrayRef<Part> left = entry_plan.parts; !left.empty();) {
      const llvm::ArrayRef<Part> together =
          left.take_front(entry_plan.vector ? 1 : left.size()).take_while([&](const Part& part) {
            return part.threads == left.front().threads;
          });
      entry.WriteLoop(left.front().threads, [&](mlir::ValueRange index) {
        for (const Part& part : together) {
          EntryBuilder::Values element = entry.Call(part.group, index);
          entry.WriteFromHero(entry_plan.fusion, entry.Apply(part.to_result, index), element);
        }
      });
      left = left.drop_front(together.size());
    }
    entry.WriteSideOutputs(entry_plan.fusion, entry_plan.launch);
    return llvm::Error::success();
  };
  return plan;
}

}  // namespace affirm::emit
