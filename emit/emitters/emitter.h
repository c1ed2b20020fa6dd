// An emitter decides the launch, which thread writes which element, the functions it needs,
// and the entry function that calls them. As in XLA, the hero of a fusion is the instruction that
// the kernel is built around: a reduction, a transpose, a scatter and so on. There is one file per
// hero; emitter.cc lists them.
#ifndef AFFIRM_EMIT_EMITTERS_EMITTER_H_
#define AFFIRM_EMIT_EMITTERS_EMITTER_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emit/emitters/emit_options.h"
#include "emit/plan/flat_graph.h"
#include "emit/plan/launch.h"
#include "emit/plan/partition.h"
#include "verify/reference/evaluation_order.h"

namespace affirm::emit {

class EntryBuilder;

struct EmissionPlan {
  std::string name;
  LaunchShape launch;
  std::vector<ThreadMap> thread_maps;
  PartitionRequest request;
  Partition partition;  // of the request; PlanEmission fills it
  hlo::EvaluationOrders evaluation_orders;
  int64_t unordered_terms = 0;
  std::vector<int64_t> aliases;  // by output, as in Kernel::Impl; empty: none
  // Whether each element of each output is written as soon as a function gave it, by the one thread
  // that calls the function at its index, and the functions are called for nothing else.
  bool by_element = false;
  // Whether all elements of each row are held in registers (row_fusion.h).
  bool holds_rows = false;
  // Fills the entry function; groups are named by their position in `request`.
  std::function<llvm::Error(EntryBuilder&)> emit;
};

// The plan of the first emitter whose hero the graph has: scatter, dynamic-update-slice, sort,
// rows, reduction, transpose, concatenate, else the loop emitter's. An error names the first
// instruction without an emission, or says that the grid would be too large.
llvm::Expected<EmissionPlan> PlanEmission(const FlatGraph& graph, Context& context,
                                          const EmitOptions& options);

// Each answers nothing when the graph is not for it.
std::optional<EmissionPlan> PlanScatter(const FlatGraph& graph, Context& context);
std::optional<EmissionPlan> PlanUpdateSlice(const FlatGraph& graph, Context& context);
std::optional<EmissionPlan> PlanSort(const FlatGraph& graph, Context& context);
std::optional<EmissionPlan> PlanRows(const FlatGraph& graph, Context& context);
std::optional<EmissionPlan> PlanReduction(const FlatGraph& graph, Context& context);
std::optional<EmissionPlan> PlanTranspose(const FlatGraph& graph, Context& context);
std::optional<EmissionPlan> PlanConcatenate(const FlatGraph& graph, Context& context);
llvm::Expected<EmissionPlan> PlanLoop(const FlatGraph& graph, Context& context, int64_t threads);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_EMITTER_H_
