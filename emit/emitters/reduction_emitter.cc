// The reduction emitter: rows, several rows a block, columns, and few columns. It takes reductions
// with one operand, a known operation such as a sum, and neighbouring reduced dimensions. Several
// reductions of the same sizes make one kernel.
#include "emit/elements/scalar_function.h"
#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/reduction_plan.h"
#include "emit/emitters/thread_map.h"
#include "emit/ir/dialect.h"
#include "emit/plan/regrouping.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

using hlo::Opcode;
using mlir::Value;
using mlir::ValueRange;
using Values = EntryBuilder::Values;

struct Reduction {
  const hlo::Instruction* instruction;
  hlo::PrimitiveType type;
  Opcode operation;
};

bool IsReduction(const FlatGraph& graph, Context& context, int64_t node) {
  const hlo::Instruction& op = *graph.nodes[node].instruction;
  if (!RegroupedOperation(op)) return false;
  return MakeReductionPlan(context, op.operands[0]->shape.dims, op.attributes.dimensions)
      .has_value();
}

// Whether the type's values make vectors.
bool MakesVectors(hlo::PrimitiveType type) {
  return type == hlo::PrimitiveType::kPred ||
         (hlo::BitWidth(type) >= (hlo::IsInt(type) ? 8 : 16) && !hlo::IsComplex(type));
}

struct ReductionEntryPlan {
  HeroFusion fusion;
  std::vector<int64_t> shape;  // of the operands
  ReductionPlan plan;
  std::vector<Reduction> reductions;
  size_t operands = 0, inits = 0;  // groups
};

class ReductionEmitter {
 public:
  ReductionEmitter(const ReductionEntryPlan& entry_plan, EntryBuilder& entry)
      : entry_plan_(entry_plan), entry_(entry), b_(entry.b()) {}

  llvm::Error Run() {
    for (const Reduction& reduction : entry_plan_.reductions) {
      auto combiner = EmitScalarFunction(entry_.parts(), *reduction.instruction->called.front(),
                                         "combine_" + std::to_string(combiners_.size()));
      if (!combiner) return combiner.takeError();
      combiners_.push_back(*combiner);
      identities_.push_back(EmitIdentity(b_, reduction.operation, reduction.type));
    }
    Values partial = Shuffle(Reduce(), entry_plan_.plan.shuffle);
    if (entry_plan_.plan.columns > 0) partial = CombineWarps(partial);
    Values inits = entry_.Call(entry_plan_.inits, {});
    entry_.WriteLoop(entry_plan_.plan.write, [&](ValueRange index) {
      entry_.WriteFromHero(entry_plan_.fusion, index, Combine(inits, partial));
    });
    entry_.WriteSideOutputs(entry_plan_.fusion, entry_plan_.plan.launch);
    return llvm::Error::success();
  }

 private:
  // Values are one of each reduction, or one of each for every neighbor that a thread takes, the
  // neighbors after each other.
  mlir::func::FuncOp CombinerOf(size_t value) const {
    return combiners_[value % combiners_.size()];
  }

  Values Combine(ValueRange x, ValueRange y) {
    Values results;
    for (size_t k = 0; k < x.size(); ++k) {
      mlir::func::FuncOp f = CombinerOf(k);
      auto call =
          ir::PureCallOp::create(b_, f.getResultTypes(), f.getSymName(), ValueRange{x[k], y[k]});
      results.push_back(call.getResult(0));
    }
    return results;
  }

  // The partial results of each thread from its elements.
  Values Reduce() {
    const ReductionPlan& plan = entry_plan_.plan;
    const bool neighbors = plan.neighbors > 1;
    Values initial;
    for (int64_t k = 0; k < plan.neighbors; ++k) llvm::append_range(initial, identities_);
    return entry_.Loop(neighbors ? FirstOfConsecutive(plan.read) : plan.read, initial,
                       [&](ValueRange index, ValueRange carried) {
                         return Combine(carried, neighbors
                                                     ? Neighbors(index)
                                                     : entry_.Call(entry_plan_.operands, index));
                       });
  }

  // The elements of neighboring columns from one at `first` on. A loop collects them, so that they
  // are read at once where they lie beside each other.
  Values Neighbors(ValueRange first) {
    const ReductionPlan& plan = entry_plan_.plan;
    Values collected;
    for (Value identity : identities_) {
      auto type = mlir::VectorType::get(plan.neighbors, identity.getType());
      collected.push_back(mlir::arith::ConstantOp::create(b_, b_.getZeroAttr(type)));
    }
    collected =
        entry_.LoopAlong(entry_plan_.shape, first, plan.neighbors_dim, plan.neighbors, collected,
                         [&](Value number, ValueRange index, ValueRange carried) {
                           Value at = mlir::arith::IndexCastOp::create(b_, b_.getI64Type(), number);
                           Values next = entry_.Call(entry_plan_.operands, index);
                           for (auto [element, vector] : llvm::zip(next, carried))
                             element = mlir::LLVM::InsertElementOp::create(b_, vector, element, at);
                           return next;
                         });
    Values elements;
    for (int64_t k = 0; k < plan.neighbors; ++k) {
      Value at = IntConstant(b_, b_.getI64Type(), k);
      for (Value vector : collected)
        elements.push_back(mlir::LLVM::ExtractElementOp::create(b_, vector, at));
    }
    return elements;
  }

  Values Shuffle(ValueRange values, emit::Shuffle shuffle) {
    if (shuffle.first == 0) return Values(values);
    Values results;
    for (size_t k = 0; k < values.size(); ++k) {
      auto reduced = ir::ShuffleReduceOp::create(
          b_, CombinerOf(k).getSymName(), ValueRange{values[k]}, shuffle.first, shuffle.last);
      results.push_back(reduced.getResult(0));
    }
    return results;
  }

  // Through a tile of [warps][columns]; a column of it then lies in neighbouring lanes.
  Values CombineWarps(ValueRange values) {
    const ReductionPlan& plan = entry_plan_.plan;
    int64_t warps = plan.launch.threads / 32, columns = plan.columns;
    Values tiles;
    for (const Reduction& reduction : entry_plan_.reductions) {
      // An odd number of columns lets the lanes of a column hit different banks.
      tiles.push_back(entry_.AllocateShared(reduction.type, {warps, columns | 1}));
    }
    tiles = entry_.Loop(plan.store, tiles, [&](ValueRange at, ValueRange carried) {
      Values next(carried);
      for (size_t v = 0; v < values.size(); ++v) {
        const size_t k = v % next.size();
        Value column = at[1 + v / next.size()];
        Value stored = ToStorage(b_, values[v], entry_plan_.reductions[k].type);
        next[k] = mlir::tensor::InsertOp::create(b_, stored, next[k], ValueRange{at[0], column});
      }
      return next;
    });
    auto synced = ir::SyncThreadsOp::create(b_, tiles);
    Context& context = entry_.parts().context;
    IndexingMap tile_index =
        MakeThreadMap(context, plan.launch, {},
                      {ThreadX(context).Mod(warps), ThreadX(context).FloorDiv(warps)}, {});
    Values at = entry_.Apply(tile_index, entry_.ids());
    Value present = entry_.Within(at[1], 0, columns - 1);
    Values loaded;
    for (size_t k = 0; k < tiles.size(); ++k) {
      hlo::PrimitiveType type = entry_plan_.reductions[k].type;
      Value stored = ir::PredicatedExtractOp::create(b_, synced.getResult(k), at, present,
                                                     ToStorage(b_, identities_[k], type));
      loaded.push_back(FromStorage(b_, stored, type));
    }
    return Shuffle(loaded, plan.tile_shuffle);
  }

  const ReductionEntryPlan& entry_plan_;
  EntryBuilder& entry_;
  Builder& b_;
  std::vector<mlir::func::FuncOp> combiners_;
  Values identities_;
};

// Whether the instruction of a hero is also the instruction of another node, because the
// computation around it is called twice: that reduction would have two evaluation orders.
bool IsEmittedElsewhere(const FlatGraph& graph, const HeroFusion& fusion) {
  for (int64_t node = 0; node < std::ssize(graph.nodes); ++node) {
    if (llvm::is_contained(fusion.heroes, node)) continue;
    for (int64_t hero : fusion.heroes) {
      if (graph.nodes[node].instruction == graph.nodes[hero].instruction) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<EmissionPlan> PlanReduction(const FlatGraph& graph, Context& context) {
  EmissionPlan plan;
  auto fusion = FindHeroes(
      graph, context, [&](int64_t node) { return IsReduction(graph, context, node); },
      [&](int64_t a, int64_t b) { return HaveSameDimensions(graph, a, b); }, plan.request);
  if (!fusion || IsEmittedElsewhere(graph, *fusion)) return std::nullopt;
  const hlo::Instruction& hero = *graph.nodes[fusion->heroes.front()].instruction;
  ReductionEntryPlan entry_plan;
  entry_plan.fusion = *fusion;
  entry_plan.shape = hero.operands[0]->shape.dims;
  const bool vectors = llvm::all_of(fusion->heroes, [&](int64_t node) {
    return MakesVectors(graph.nodes[node].instruction->shape.type);
  });
  entry_plan.plan = *MakeReductionPlan(context, entry_plan.shape, hero.attributes.dimensions,
                                       vectors ? kVector : 1);
  RootGroup operands{"operand", entry_plan.shape, {}}, inits{"init", {}, {}};
  for (int64_t node : fusion->heroes) {
    const hlo::Instruction& op = *graph.nodes[node].instruction;
    entry_plan.reductions.push_back({&op, op.shape.type, *RegroupedOperation(op)});
    operands.roots.push_back(graph.nodes[node].operands[0]);
    inits.roots.push_back(graph.nodes[node].operands[1]);
    plan.evaluation_orders[&op] = entry_plan.plan.order;
  }
  plan.name = entry_plan.plan.name;
  plan.launch = entry_plan.plan.launch;
  AddThreadMaps(graph, *fusion, entry_plan.plan.write, context, plan);
  plan.thread_maps.push_back({entry_plan.plan.read, operands.shape, "operand of reduce"});
  entry_plan.operands = plan.request.groups.size();
  entry_plan.inits = entry_plan.operands + 1;
  plan.request.groups.push_back(std::move(operands));
  plan.request.groups.push_back(std::move(inits));
  plan.emit = [entry_plan](EntryBuilder& entry) {
    return ReductionEmitter(entry_plan, entry).Run();
  };
  return plan;
}

}  // namespace affirm::emit
