// The loop emitter: one thread computes one element of each output, or a few consecutive ones.
#include <algorithm>

#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/thread_map.h"
#include "emit/plan/error.h"

namespace affirm::emit {
namespace {

int64_t ElementsOfAThread(const FlatGraph& graph) {
  for (const hlo::Shape* leaf : graph.output_leaves) {
    if (leaf->NumElements() < kMinVectorElements || leaf->NumElements() % kVector != 0) return 1;
  }
  return graph.output_leaves.empty() ? 1 : kVector;
}

// Enough blocks of `threads` to give every element of the largest output a thread; at least one.
llvm::Expected<LaunchShape> LoopLaunch(const FlatGraph& graph, int64_t threads, int64_t vector) {
  if (threads < 1 || threads > 1024) {
    return InvalidArgument("a block has 1 to 1024 threads, not " + llvm::Twine(threads));
  }
  int64_t elements = 0;
  for (const hlo::Shape* leaf : graph.output_leaves) {
    elements = std::max(elements, leaf->NumElements());
  }
  LaunchShape launch{std::max<int64_t>(1, CeilOf(elements, threads * vector)), threads};
  if (launch.blocks > kMaxBlocks) {
    return NotSupported(llvm::Twine(elements) + " elements need more blocks than a grid has");
  }
  return launch;
}

}  // namespace

llvm::Expected<EmissionPlan> PlanLoop(const FlatGraph& graph, Context& context, int64_t threads) {
  int64_t vector = ElementsOfAThread(graph);
  llvm::Expected<LaunchShape> launch = LoopLaunch(graph, threads, vector);
  if (!launch) return launch.takeError();
  EmissionPlan plan;
  plan.name = "loop";
  plan.by_element = true;
  plan.launch = *launch;
  std::vector<HeroFusion::Outputs> groups = GroupOutputs(graph, plan.request);
  for (auto [k, leaf] : llvm::enumerate(graph.output_leaves)) {
    plan.thread_maps.push_back({LoopThreadMap(context, leaf->dims, *launch, vector), leaf->dims,
                                "output " + std::to_string(k)});
  }
  plan.emit = [groups, maps = plan.thread_maps](EntryBuilder& entry) {
    for (const HeroFusion::Outputs& outputs : groups) {
      entry.WriteLoop(maps[outputs.leaves.front()].map, [&](mlir::ValueRange index) {
        entry.Write(outputs.group, outputs.leaves, index);
      });
    }
    return llvm::Error::success();
  };
  return plan;
}

}  // namespace affirm::emit
