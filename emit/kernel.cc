// Emits one computation as a kernel: plans it, emits the functions of its partition and the entry.
#include "emit/kernel.h"

#include <cctype>

#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/mlir_context.h"
#include "emit/elements/function_emitter.h"
#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/slices.h"
#include "emit/ir/dialect.h"
#include "emit/plan/chosen_elements.h"
#include "emit/plan/flat_graph.h"
#include "mlir/IR/Verifier.h"

namespace affirm::emit {
namespace {

// Letters, digits and underscores: what every assembler takes.
std::string SymbolOf(llvm::StringRef name) {
  std::string symbol;
  for (char c : name) symbol += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return symbol;
}

std::vector<Buffer> Buffers(llvm::ArrayRef<const hlo::Shape*> leaves) {
  std::vector<Buffer> buffers;
  for (const hlo::Shape* leaf : leaves) {
    buffers.push_back({*leaf, leaf->NumElements(), hlo::ByteWidth(leaf->type)});
  }
  return buffers;
}

// Converts a list by leaf of parameters and result to one by input and output.
std::vector<int64_t> ByInputAndOutput(llvm::ArrayRef<int64_t> by_leaf, const FlatGraph& graph) {
  if (by_leaf.empty()) return {};
  const size_t inputs = graph.parameter_leaves.size();
  std::vector<int64_t> all = by_leaf.take_front(inputs).vec();
  all.resize(inputs + graph.outputs.size());
  for (auto [leaf, output] : llvm::enumerate(graph.output_of_leaf))
    all[inputs + output] = by_leaf[inputs + leaf];
  return all;
}

// The inverse of ByInputAndOutput. A slice is named by the first leaf that is in it.
std::vector<int64_t> ByLeaf(llvm::ArrayRef<int64_t> slices, const FlatGraph& graph) {
  const size_t inputs = graph.parameter_leaves.size();
  std::vector<int64_t> all = slices.take_front(inputs).vec();
  for (size_t output : graph.output_of_leaf) {
    const auto slice = static_cast<size_t>(slices[inputs + output]);
    const auto leaf = llvm::find(graph.output_of_leaf, slice - inputs);
    all.push_back(slice < inputs ? slice : inputs + (leaf - graph.output_of_leaf.begin()));
  }
  return all;
}

// Every function of the partition, and the entry in front of them.
llvm::Error EmitModule(const FlatGraph& graph, const EmissionPlan& plan, Context& context,
                       const EmitOptions& options, Kernel::Impl& impl) {
  const Partition& partition = plan.partition;
  KernelParts parts{graph,
                    partition,
                    context,
                    *impl.module,
                    {},
                    FindArrays(graph, partition),
                    {options.fault_constant}};
  // No function of libclc has a name with such an end.
  for (auto [k, subgraph] : llvm::enumerate(partition.subgraphs)) {
    parts.functions.emplace_back();
    if (subgraph.roots.empty()) continue;
    std::string name = impl.name + "_" + std::to_string(k) + "_" + SymbolOf(subgraph.name);
    llvm::Expected<mlir::func::FuncOp> function =
        DeclareFunction(parts, static_cast<int64_t>(k), name);
    if (!function) return function.takeError();
    parts.functions.back() = *function;
    ++impl.num_functions;
  }
  for (size_t k = 0; k < partition.subgraphs.size(); ++k) {
    if (!parts.functions[k]) continue;
    if (llvm::Error error = EmitFunction(parts, static_cast<int64_t>(k))) return error;
  }
  EntryBuilder entry(parts, impl.name, plan);
  if (llvm::Error error = plan.emit(entry)) return error;
  std::vector<int64_t> slices = ChooseSlices(graph, plan, ByInputAndOutput(options.slices, graph),
                                             [&](size_t input) { return entry.IsRead(input); });
  entry.Finish(slices);
  impl.slices = ByLeaf(slices, graph);
  ++impl.num_functions;
  return WithDiagnostics(*impl.context, "verifying the kernel",
                         [&] { return mlir::verify(*impl.module); });
}

struct Planned {
  FlatGraph graph;
  EmissionPlan plan;
};

// Plans a kernel. If it holds rows in registers, gathers from these rows read the registers.
llvm::Expected<Planned> Plan(const hlo::Computation& computation, Context& context,
                             const EmitOptions& options) {
  llvm::Expected<FlatGraph> graph = Flatten(computation);
  if (!graph) return graph.takeError();
  for (const hlo::Shape* leaf : graph->output_leaves) {
    if (!leaf->IsArray()) return Unsupported(*computation.root, "a result isn't an array");
  }
  llvm::Expected<EmissionPlan> plan = PlanEmission(*graph, context, options);
  if (!plan) return plan.takeError();
  std::optional<FlatGraph> chosen;
  if (plan->holds_rows) chosen = WithChosenElements(*graph);
  if (chosen) {
    llvm::Expected<EmissionPlan> of_chosen = PlanEmission(*chosen, context, options);
    if (of_chosen && of_chosen->holds_rows)
      return Planned{std::move(*chosen), std::move(*of_chosen)};
    if (!of_chosen) llvm::consumeError(of_chosen.takeError());
  }
  return Planned{std::move(*graph), std::move(*plan)};
}

}  // namespace

MayWriteOver MakeMayWriteOver(const hlo::Computation& computation, Context& context) {
  llvm::Expected<Planned> plan = Plan(computation, context, {});
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return [](size_t, size_t) { return false; };
  }
  auto planned = std::make_shared<Planned>(std::move(*plan));
  return [planned](size_t result_leaf, size_t operand_leaf) {
    const FlatGraph& of = planned->graph;
    return CanBeWrittenOver(of, planned->plan, of.output_of_leaf[result_leaf], operand_leaf);
  };
}

llvm::Expected<Kernel> EmitKernel(const hlo::Computation& computation, Context& context,
                                  const EmitOptions& options) {
  llvm::Expected<Planned> planned = Plan(computation, context, options);
  if (!planned) return planned.takeError();
  const auto& [graph, plan] = *planned;

  auto impl = std::make_unique<Kernel::Impl>();
  impl->name = SymbolOf(computation.name) + "_kernel";
  impl->emitter = plan.name;
  impl->launch = plan.launch;
  impl->thread_maps = plan.thread_maps;
  impl->evaluation_orders = plan.evaluation_orders;
  impl->unordered_terms = plan.unordered_terms;
  for (size_t output : graph.output_of_leaf) {
    if (!plan.aliases.empty()) impl->aliases.push_back(plan.aliases[output]);
  }
  for (const hlo::Instruction* parameter : computation.parameters) {
    impl->parameter_shapes.push_back(parameter->shape);
  }
  impl->result_shape = computation.root->shape;
  impl->inputs = Buffers(graph.parameter_leaves);
  impl->outputs = Buffers(hlo::LeafShapes(computation.root->shape));
  impl->context = MakeMlirContext();
  impl->context->getLoadedDialect<ir::AffirmDialect>()->UseSymbols(context);
  impl->module = mlir::ModuleOp::create(mlir::UnknownLoc::get(impl->context.get()));
  if (llvm::Error error = EmitModule(graph, plan, context, options, *impl)) return error;
  return Kernel(std::move(impl));
}

}  // namespace affirm::emit
