// The list of emitters, and the choice among them.
#include "emit/emitters/emitter.h"

#include "emit/emitters/thread_map.h"

namespace affirm::emit {

llvm::Expected<EmissionPlan> PlanEmission(const FlatGraph& graph, Context& context,
                                          const EmitOptions& options) {
  constexpr std::optional<EmissionPlan> (*kHeroes[])(const FlatGraph&, Context&) = {
      PlanScatter,   PlanUpdateSlice, PlanSort,       PlanRows,
      PlanReduction, PlanTranspose,   PlanConcatenate};
  for (auto plan_hero : kHeroes) {
    if (options.loop_only) break;
    std::optional<EmissionPlan> plan = plan_hero(graph, context);
    if (!plan || plan->launch.blocks > kMaxBlocks) continue;
    llvm::Expected<Partition> partition = MakePartition(graph, context, plan->request);
    if (partition) {
      plan->partition = std::move(*partition);
      return std::move(*plan);
    }
    // The hero's value is needed inside of another function, or an op has no emission at all; the
    // loop emitter does without the one and reports the other.
    llvm::consumeError(partition.takeError());
  }
  llvm::Expected<EmissionPlan> plan = PlanLoop(graph, context, options.threads_per_block);
  if (!plan) return plan.takeError();
  llvm::Expected<Partition> partition = MakePartition(graph, context, plan->request);
  if (!partition) return partition.takeError();
  plan->partition = std::move(*partition);
  return std::move(*plan);
}

}  // namespace affirm::emit
