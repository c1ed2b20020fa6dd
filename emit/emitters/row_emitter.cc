// The row emitter: softmax, layer norm and their like, whose reductions feed each other and the
// result, in one kernel. The threads of a row hold its elements in registers, so that each operand
// is read once, and what reads a reduction is computed from these (emit/plan/row_fusion.h).
#include <utility>

#include "core/simplify/simplify.h"
#include "emit/elements/scalar_function.h"
#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/row_plan.h"
#include "emit/emitters/thread_map.h"
#include "emit/ir/dialect.h"
#include "emit/plan/regrouping.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

using mlir::Value;
using mlir::ValueRange;
using Values = EntryBuilder::Values;

struct RowKernel {
  RowFusion fusion;
  RowPlan plan;
  // Groups of the request, by stage: of what a row has, of its elements, of initial values.
  struct Groups {
    size_t row = 0, element = 0, inits = 0;
  };
  std::vector<Groups> groups;
  std::vector<int64_t> row_outputs, element_outputs;  // leaves; roots of the last two groups
};

class RowEmitter {
 public:
  RowEmitter(const RowKernel& kernel, EntryBuilder& entry)
      : kernel_(kernel), fusion_(kernel.fusion), plan_(kernel.plan), entry_(entry), b_(entry.b()) {}

  llvm::Error Run() {
    for (auto [stage, groups] : llvm::zip(fusion_.stages, kernel_.groups)) {
      ComputeRow(stage.row, groups.row);
      if (&stage == &fusion_.stages.back()) break;
      if (llvm::Error error = Reduce(stage, groups)) return error;
    }
    const RowFusion::Stage& last = fusion_.stages.back();
    if (!kernel_.element_outputs.empty()) {
      entry_.WriteLoop(plan_.held, [&](ValueRange at) {
        Values roots = CallAt(kernel_.groups.back().element, last.element, at);
        Write(kernel_.element_outputs, roots, at.drop_back(), fusion_.shape);
      });
    }
    if (!kernel_.row_outputs.empty()) {
      entry_.WriteLoop(plan_.first, [&](ValueRange at) {
        ValueRange roots = ValueRange(row_values_).take_back(kernel_.row_outputs.size());
        Write(kernel_.row_outputs, roots, at, fusion_.rows);
      });
    }
    return llvm::Error::success();
  }

 private:
  using Combiners = llvm::SmallVector<mlir::func::FuncOp>;

  hlo::PrimitiveType TypeOf(int64_t node) const {
    return entry_.parts().graph.shape({node, 0}).type;
  }
  mlir::Type ValueTypeOf(int64_t node) const { return ValueType(b_.getContext(), TypeOf(node)); }

  // Computes the values of a row; each of its threads has them.
  void ComputeRow(const RowFusion::Values& values, size_t group) {
    mlir::func::FuncOp function = entry_.parts().functions[group];
    if (!function) return;
    Values inits;
    for (mlir::Type type : function.getResultTypes()) {
      inits.push_back(mlir::arith::ConstantOp::create(b_, b_.getZeroAttr(type)));
    }
    row_values_ = entry_.Loop(plan_.row, inits, [&](ValueRange at, ValueRange) {
      return entry_.Call(group, at, Given(values, Value()));
    });
    for (auto [node, value] : llvm::zip(values.kept, row_values_)) values_[node] = value;
  }

  // The inputs of a group; of held elements, the one with that number.
  Values Given(const RowFusion::Values& values, Value number) {
    Values given;
    for (int64_t node : values.given) {
      Value value = values_.lookup(node);
      if (mlir::isa<mlir::VectorType>(value.getType())) {
        value = mlir::LLVM::ExtractElementOp::create(b_, value, number);
      }
      given.push_back(value);
    }
    return given;
  }

  Value NumberOf(ValueRange at) {
    return mlir::arith::IndexCastOp::create(b_, b_.getI64Type(), at.back());
  }
  // The roots of a group at what plan_.held gives.
  Values CallAt(size_t group, const RowFusion::Values& values, ValueRange at) {
    return entry_.Call(group, at.drop_back(), Given(values, NumberOf(at)));
  }

  llvm::Error Reduce(const RowFusion::Stage& stage, const RowKernel::Groups& groups) {
    Combiners combiners;
    Values carried;
    for (int64_t node : stage.element.kept) {
      auto type = mlir::VectorType::get(plan_.registers, ValueTypeOf(node));
      carried.push_back(mlir::arith::ConstantOp::create(b_, b_.getZeroAttr(type)));
    }
    for (int64_t node : stage.reductions) {
      const hlo::Instruction& op = *entry_.parts().graph.nodes[node].instruction;
      auto combiner = EmitScalarFunction(entry_.parts(), *op.called.front(), "combine");
      if (!combiner) return combiner.takeError();
      combiners.push_back(*combiner);
      carried.push_back(EmitIdentity(b_, *RegroupedOperation(op), TypeOf(node)));
    }
    const size_t kept = stage.element.kept.size();
    Values results = entry_.Loop(plan_.held, carried, [&](ValueRange at, ValueRange before) {
      Values roots = CallAt(groups.element, stage.element, at);
      Values next;
      for (auto [vector, root] : llvm::zip(before.take_front(kept), roots)) {
        next.push_back(mlir::LLVM::InsertElementOp::create(b_, vector, root, NumberOf(at)));
      }
      next.append(Combine(combiners, before.drop_front(kept), ValueRange(roots).drop_front(kept)));
      return next;
    });
    for (auto [node, vector] : llvm::zip(stage.element.kept, results)) values_[node] = vector;
    Values partial = Exchange(combiners, ValueRange(results).drop_front(kept), plan_.lanes());
    if (plan_.warps() > 1) partial = CombineWarps(stage, combiners, partial);
    partial = Combine(combiners, entry_.Call(groups.inits, {}), partial);
    for (auto [node, value] : llvm::zip(stage.reductions, partial)) values_[node] = value;
    return llvm::Error::success();
  }

  Values Combine(Combiners combiners, ValueRange x, ValueRange y) {
    Values results;
    for (auto [combiner, a, b] : llvm::zip(combiners, x, y)) {
      auto call = ir::PureCallOp::create(b_, combiner.getResultTypes(), combiner.getSymName(),
                                         ValueRange{a, b});
      results.push_back(call.getResult(0));
    }
    return results;
  }

  // Every lane gets the combination of what its neighbors have, `lanes` of them.
  Values Exchange(Combiners combiners, ValueRange values, int64_t lanes) {
    Values results;
    for (auto [combiner, value] : llvm::zip(combiners, values)) {
      auto reduced =
          ir::ShuffleReduceOp::create(b_, combiner.getSymName(), value, lanes / 2, 1, true);
      results.push_back(reduced.getResult(0));
    }
    return results;
  }

  // Through a tile of one value a warp, from which every lane takes one.
  Values CombineWarps(const RowFusion::Stage& stage, Combiners combiners, ValueRange values) {
    Context& context = entry_.parts().context;
    const int64_t warps = plan_.warps();
    SymbolicExpr thread = ThreadX(context);
    Values tiles;
    for (int64_t node : stage.reductions) {
      tiles.push_back(entry_.AllocateShared(TypeOf(node), {warps}));
    }
    IndexingMap leaders = MakeThreadMap(context, plan_.launch, {}, thread.FloorDiv(plan_.lanes()),
                                        Constraint{thread.Mod(plan_.lanes()), {0, 0}});
    tiles = entry_.Loop(leaders, tiles, [&](ValueRange at, ValueRange carried) {
      Values next;
      for (auto [node, value, tile] : llvm::zip(stage.reductions, values, carried)) {
        Value stored = ToStorage(b_, value, TypeOf(node));
        next.push_back(mlir::tensor::InsertOp::create(b_, stored, tile, at));
      }
      return next;
    });
    auto synced = ir::SyncThreadsOp::create(b_, tiles);
    Values at =
        entry_.Apply(MakeThreadMap(context, plan_.launch, {}, thread.Mod(warps), {}), entry_.ids());
    Values loaded;
    for (auto [node, tile] : llvm::zip(stage.reductions, synced.getResults())) {
      Value stored = mlir::tensor::ExtractOp::create(b_, tile, at);
      loaded.push_back(FromStorage(b_, stored, TypeOf(node)));
    }
    return Exchange(std::move(combiners), loaded, warps);
  }

  // Writes outputs at an index of an array or of its rows.
  void Write(llvm::ArrayRef<int64_t> leaves, ValueRange roots, ValueRange index,
             llvm::ArrayRef<int64_t> sizes) {
    for (auto [leaf, root] : llvm::zip(leaves, roots)) {
      IndexingMap map(entry_.parts().context, fusion_.outputs[leaf].at, VariablesOfSizes(sizes), {},
                      {});
      const hlo::PrimitiveType type = entry_.parts().graph.output_leaves[leaf]->type;
      entry_.Store(leaf, ToStorage(b_, root, type), entry_.Apply(map, index));
    }
  }

  const RowKernel& kernel_;
  const RowFusion& fusion_;
  const RowPlan& plan_;
  EntryBuilder& entry_;
  Builder& b_;
  // Kept nodes: one value, or a vector of the values of the elements that a thread holds.
  llvm::DenseMap<int64_t, Value> values_;
  Values row_values_;  // of the stage at hand
};

// A group of what a stage computes at one index, with further roots behind what it keeps.
size_t AddGroup(EmissionPlan& plan, std::string name, llvm::ArrayRef<int64_t> shape,
                const RowFusion::Values& values) {
  RootGroup group{std::move(name), shape.vec(), {}};
  for (int64_t node : values.kept) group.roots.push_back({node, 0});
  group.indices = values.at;
  group.given = values.given;
  plan.request.groups.push_back(std::move(group));
  return plan.request.groups.size() - 1;
}

void AddRoot(RootGroup& group, ValueRef root, Index at) {
  group.roots.push_back(root);
  group.indices.push_back(std::move(at));
}

void AddStage(const FlatGraph& graph, const RowFusion::Stage& stage, RowKernel& kernel,
              EmissionPlan& plan) {
  RowKernel::Groups groups;
  groups.row = AddGroup(plan, "row", kernel.fusion.rows, stage.row);
  groups.element = AddGroup(plan, "element", kernel.fusion.shape, stage.element);
  groups.inits = AddGroup(plan, "init", {}, {});
  for (int64_t node : stage.reductions) {
    const FlatNode& reduce = graph.nodes[node];
    AddRoot(plan.request.groups[groups.element], reduce.operands[0], kernel.fusion.element);
    AddRoot(plan.request.groups[groups.inits], reduce.operands[1], {});
    if (!graph.IsMade(*reduce.instruction))
      plan.evaluation_orders[reduce.instruction] = kernel.plan.order;
    plan.request.injected.push_back(node);
  }
  kernel.groups.push_back(groups);
}

void AddOutputs(const FlatGraph& graph, Context& context, RowKernel& kernel, EmissionPlan& plan) {
  const RowFusion& fusion = kernel.fusion;
  for (auto [k, output] : llvm::enumerate(fusion.outputs)) {
    const auto leaf = static_cast<int64_t>(k);
    (output.of_rows ? kernel.row_outputs : kernel.element_outputs).push_back(leaf);
    const RowKernel::Groups& groups = kernel.groups.back();
    AddRoot(plan.request.groups[output.of_rows ? groups.row : groups.element], graph.outputs[k],
            output.at);
    IndexingMap at(context, output.at,
                   VariablesOfSizes(output.of_rows ? fusion.rows : fusion.shape), {}, {});
    const IndexingMap& threads = output.of_rows ? kernel.plan.first : kernel.plan.elements;
    plan.thread_maps.push_back({Simplify(Compose(threads, at)), graph.output_leaves[k]->dims,
                                "output " + std::to_string(k)});
  }
}

}  // namespace

std::optional<EmissionPlan> PlanRows(const FlatGraph& graph, Context& context) {
  std::optional<RowFusion> fusion = FindRowFusion(graph, context);
  if (!fusion) return std::nullopt;
  RowKernel kernel{*fusion, MakeRowPlan(context, *fusion), {}, {}, {}};
  EmissionPlan plan;
  plan.name = "row";
  plan.holds_rows = true;
  plan.launch = kernel.plan.launch;
  for (const RowFusion::Stage& stage : fusion->stages) {
    AddStage(graph, stage, kernel, plan);
  }
  AddOutputs(graph, context, kernel, plan);
  plan.thread_maps.push_back({kernel.plan.elements, fusion->shape, "operand of reduce"});
  plan.emit = [kernel](EntryBuilder& entry) { return RowEmitter(kernel, entry).Run(); };
  return plan;
}

}  // namespace affirm::emit
