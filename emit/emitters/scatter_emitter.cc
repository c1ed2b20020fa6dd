// The scatter emitter, in place: a thread applies one element of the updates (of each operand) to
// the element of the operand where the indices send it, if that exists. Atomically, unless the
// indices are unique. What no atomic update can do, several operands at once or elements of 128
// bits, one thread does for all updates in their order. Of many updates a thread applies four
// consecutive ones, which it reads at once.
#include "emit/elements/scalar_function.h"
#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/thread_map.h"
#include "emit/ir/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using mlir::Value;
using mlir::ValueRange;
using Values = EntryBuilder::Values;

// How the dimensions of the updates correspond to those of the operand and of the indices.
struct ScatterDimensions {
  std::vector<int64_t> window;       // dims of the operand that windows extend over
  std::vector<int64_t> batch;        // dims of the updates that aren't in a window
  std::vector<int64_t> index_shape;  // of the indices
};

std::vector<int64_t> Without(int64_t rank, llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  std::vector<int64_t> rest;
  for (int64_t d = 0; d < rank; ++d) {
    if (!llvm::is_contained(a, d) && !llvm::is_contained(b, d)) rest.push_back(d);
  }
  return rest;
}

// Operands are n arrays, the indices, n updates.
size_t NumArrays(const hlo::Instruction& scatter) { return scatter.operands.size() / 2; }
const hlo::Shape& IndicesOf(const hlo::Instruction& scatter) {
  return scatter.operands[NumArrays(scatter)]->shape;
}
// All updates have one shape, their types aside.
const hlo::Shape& UpdatesOf(const hlo::Instruction& scatter, size_t k = 0) {
  return scatter.operands[NumArrays(scatter) + 1 + k]->shape;
}

ScatterDimensions DimensionsOf(const hlo::Instruction& scatter) {
  const hlo::Attributes& a = scatter.attributes;
  return {Without(scatter.operands[0]->shape.rank(), a.inserted_window_dims, a.input_batching_dims),
          Without(UpdatesOf(scatter).rank(), a.update_window_dims, {}), IndicesOf(scatter).dims};
}

enum class UpdateMode : uint8_t { kUnique, kAtomic, kSequential };

UpdateMode UpdateModeOf(const hlo::Instruction& scatter) {
  if (scatter.attributes.unique_indices) return UpdateMode::kUnique;
  bool fits = NumArrays(scatter) == 1 && hlo::BitWidth(scatter.operands[0]->shape.type) <= 64;
  return fits ? UpdateMode::kAtomic : UpdateMode::kSequential;
}

// How a thread takes its updates.
struct ScatterWalk {
  enum Kind : uint8_t { kElements, kWithinWindow, kOfWindows } kind = kElements;
  size_t dim = 0;  // of the updates, along which consecutive ones lie
};

// If the fastest dimension of the updates is a window dimension, consecutive updates belong to one
// window, else each belongs to a window of its own.
ScatterWalk WalkOf(const hlo::Instruction& scatter) {
  const hlo::Shape& updates = UpdatesOf(scatter);
  if (UpdateModeOf(scatter) == UpdateMode::kSequential ||
      updates.NumElements() < kMinVectorElements) {
    return {};
  }
  auto last = static_cast<size_t>(updates.rank() - 1);
  while (updates.dims[last] == 1) --last;
  if (updates.dims[last] % kVector != 0) return {};
  const bool window =
      llvm::is_contained(scatter.attributes.update_window_dims, static_cast<int64_t>(last));
  return {window ? ScatterWalk::kWithinWindow : ScatterWalk::kOfWindows, last};
}

// The node whose leaves are the outputs, each an array of its own.
const FlatNode* ScatterOf(const FlatGraph& graph) {
  if (graph.outputs.empty() || graph.outputs[0].node < 0) return nullptr;
  const FlatNode& node = graph.nodes[graph.outputs[0].node];
  const hlo::Instruction& op = *node.instruction;
  size_t arrays = graph.outputs.size();
  if (op.opcode != hlo::Opcode::kScatter || op.operands.size() != 2 * arrays + 1 ||
      op.called.size() != 1 || graph.shape(graph.outputs[0]).NumElements() == 0 ||
      UpdatesOf(op).NumElements() == 0 || !hlo::IsInt(IndicesOf(op).type)) {
    return nullptr;
  }
  for (size_t k = 0; k < arrays; ++k) {
    ValueRef operand = node.operands[k];
    if (graph.outputs[k] != ValueRef{graph.outputs[0].node, static_cast<int64_t>(k)} ||
        UpdatesOf(op, k).type != op.operands[k]->shape.type || operand.node < 0 ||
        !graph.nodes[operand.node].is_parameter()) {
      return nullptr;
    }
  }
  return &node;
}

class ScatterEmitter {
 public:
  enum Groups : size_t { kIndices, kUpdates };

  ScatterEmitter(const FlatNode& node, const IndexingMap& threads, EntryBuilder& entry)
      : op_(*node.instruction),
        dimensions_(DimensionsOf(op_)),
        walk_(WalkOf(op_)),
        threads_(threads),
        entry_(entry),
        b_(entry.b()) {}

  llvm::Error Run() {
    auto combiner = EmitScalarFunction(entry_.parts(), *op_.called.front(), "combine");
    if (!combiner) return combiner.takeError();
    combiner_ = *combiner;
    const bool within = walk_.kind == ScatterWalk::kWithinWindow;
    entry_.WriteLoop(within ? FirstOfConsecutive(threads_) : threads_, [&](ValueRange at) {
      // If each update has a branch of its own, all are read before the branches: as one vector.
      Values updates;
      if (walk_.kind == ScatterWalk::kOfWindows) updates = entry_.Call(kUpdates, at);
      Value inside;
      Values start = Start(at, inside);
      WriteIf(inside, [&](ValueRange outputs) {
        for (Value& s : start) s = arith::IndexCastOp::create(b_, b_.getIndexType(), s);
        if (!within) return Applied(outputs, at, start, updates);
        return entry_.LoopAlong(UpdatesOf(op_).dims, at, walk_.dim, kVector, outputs,
                                [&](Value, ValueRange next, ValueRange carried) {
                                  return Applied(carried, next, start, {});
                                });
      });
    });
    return llvm::Error::success();
  }

 private:
  // The outputs become what `write` makes of them where the condition holds.
  void WriteIf(Value condition, llvm::function_ref<Values(ValueRange outputs)> write) {
    Values& outputs = entry_.outputs();
    auto branch = mlir::scf::IfOp::create(b_, ValueRange(outputs).getTypes(), condition,
                                          /*withElseRegion=*/true);
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(&branch.getElseRegion().front());
    mlir::scf::YieldOp::create(b_, outputs);
    b_.setInsertionPointToStart(&branch.getThenRegion().front());
    mlir::scf::YieldOp::create(b_, write(outputs));
    outputs.assign(branch.getResults().begin(), branch.getResults().end());
  }

  // The outputs with the updates at an index, which are read unless they are given, of the window
  // that starts inside.
  Values Applied(ValueRange outputs, ValueRange at, ValueRange start, Values updates) {
    Values target = Target(at, start);
    if (updates.empty()) updates = entry_.Call(kUpdates, at);
    if (UpdateModeOf(op_) != UpdateMode::kAtomic) return Apply(outputs, target, updates);
    return {ApplyAtomically(outputs[0], target, updates[0])};
  }

  // Where the window of an update starts in the operand, as i64, and whether the window lies inside
  // of it.
  Values Start(ValueRange at, Value& inside) {
    const hlo::Attributes& a = op_.attributes;
    mlir::Type i64 = b_.getI64Type();
    const std::vector<int64_t>& sizes = op_.operands[0]->shape.dims;
    Values start(sizes.size(), IntConstant(b_, i64, 0));
    for (size_t k = 0; k < a.scatter_dims_to_operand_dims.size(); ++k) {
      start[a.scatter_dims_to_operand_dims[k]] = Component(at, static_cast<int64_t>(k));
    }
    for (size_t k = 0; k < a.input_batching_dims.size(); ++k) {
      int64_t d = a.scatter_indices_batching_dims[k];
      int64_t batch = dimensions_.batch[d > a.index_vector_dim ? d - 1 : d];
      start[a.input_batching_dims[k]] = arith::IndexCastOp::create(b_, i64, at[batch]);
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      Value holds = arith::CmpIOp::create(b_, arith::CmpIPredicate::ult, start[d],
                                          IntConstant(b_, i64, NumStarts(d)));
      inside = inside ? Value(arith::AndIOp::create(b_, inside, holds)) : holds;
    }
    if (!inside) inside = IntConstant(b_, b_.getI1Type(), 1);
    return start;
  }

  // The operand's index for an index of the updates whose window lies inside.
  Values Target(ValueRange at, ValueRange start) {
    Context& context = entry_.parts().context;
    const std::vector<int64_t>& updates = UpdatesOf(op_).dims;
    std::vector<int64_t> bounds = updates;
    std::vector<SymbolicExpr> results;
    Values variables(at);
    variables.append(start.begin(), start.end());
    for (size_t d = 0; d < start.size(); ++d) {
      std::optional<int64_t> window = WindowDim(d);
      results.push_back(context.Dim(static_cast<int64_t>(bounds.size())));
      if (window) results[d] = results[d] + context.Dim(*window);
      bounds.push_back(std::max<int64_t>(NumStarts(d), 1));
    }
    return entry_.Apply(IndexingMap::FromShapes(context, results, bounds, {}), variables);
  }

  // How many places there are along dimension d of the operand where a window can start.
  int64_t NumStarts(size_t d) const {
    std::optional<int64_t> window = WindowDim(d);
    const int64_t extent = window ? UpdatesOf(op_).dims[*window] : 1;
    return std::max<int64_t>(op_.operands[0]->shape.dims[d] - extent + 1, 0);
  }

  // The dimension of the updates that runs along dimension d of the operand within a window.
  std::optional<int64_t> WindowDim(size_t d) const {
    auto window =
        llvm::find(dimensions_.window, static_cast<int64_t>(d)) - dimensions_.window.begin();
    if (window == std::ssize(dimensions_.window)) return std::nullopt;
    return op_.attributes.update_window_dims[window];
  }

  // Component k of the index vector of an update element.
  Value Component(ValueRange at, int64_t k) {
    Values index;
    for (int64_t d : dimensions_.batch) index.push_back(at[d]);
    int64_t vector = op_.attributes.index_vector_dim;
    if (vector < std::ssize(dimensions_.index_shape)) {
      index.insert(index.begin() + vector, IndexConstant(b_, k));
    }
    Value element = entry_.Call(kIndices, index)[0];
    return Convert(b_, element, IndicesOf(op_).type, hlo::PrimitiveType::kS64);
  }

  // Combines stored elements, one of each operand, with updates.
  Values Combined(ValueRange stored, ValueRange updates) {
    Values arguments, results;
    for (auto [k, value] : llvm::enumerate(stored)) {
      arguments.push_back(FromStorage(b_, value, op_.operands[k]->shape.type));
    }
    arguments.append(updates.begin(), updates.end());
    auto call =
        ir::PureCallOp::create(b_, combiner_.getResultTypes(), combiner_.getSymName(), arguments);
    for (auto [k, value] : llvm::enumerate(call.getResults())) {
      results.push_back(ToStorage(b_, value, op_.operands[k]->shape.type));
    }
    return results;
  }

  Values Apply(ValueRange outputs, ValueRange target, ValueRange updates) {
    Values before, after;
    for (Value output : outputs) {
      before.push_back(mlir::tensor::ExtractOp::create(b_, output, target));
    }
    for (auto [value, output] : llvm::zip(Combined(before, updates), outputs)) {
      after.push_back(mlir::tensor::InsertOp::create(b_, value, output, target));
    }
    return after;
  }

  Value ApplyAtomically(Value output, ValueRange target, Value update) {
    auto atomic = ir::AtomicRMWOp::create(b_, output.getType(), output, target);
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block* block = b_.createBlock(&atomic.getBody());
    auto type = mlir::cast<mlir::RankedTensorType>(output.getType());
    Value before = block->addArgument(type.getElementType(), b_.getLoc());
    ir::YieldOp::create(b_, Combined(before, update)[0]);
    return atomic.getResult();
  }

  const hlo::Instruction& op_;
  ScatterDimensions dimensions_;
  ScatterWalk walk_;
  const IndexingMap& threads_;
  EntryBuilder& entry_;
  Builder& b_;
  mlir::func::FuncOp combiner_;
};

}  // namespace

std::optional<EmissionPlan> PlanScatter(const FlatGraph& graph, Context& context) {
  const FlatNode* node = ScatterOf(graph);
  if (!node) return std::nullopt;
  const hlo::Instruction& op = *node->instruction;
  EmissionPlan plan;
  UpdateMode mode = UpdateModeOf(op);
  plan.name = mode == UpdateMode::kUnique   ? "scatter, unique"
              : mode == UpdateMode::kAtomic ? "scatter, atomic"
                                            : "scatter, in order";
  const std::vector<int64_t>& dims = UpdatesOf(op).dims;
  int64_t updates = UpdatesOf(op).NumElements();
  plan.launch = {1, 1};
  const int64_t consecutive = WalkOf(op).kind == ScatterWalk::kElements ? 1 : kVector;
  if (mode != UpdateMode::kSequential)
    plan.launch = {CeilOf(updates, kThreadsPerBlock * consecutive), kThreadsPerBlock};
  plan.thread_maps.push_back({consecutive == 1
                                  ? StridedThreadMap(context, dims, plan.launch)
                                  : LoopThreadMap(context, dims, plan.launch, consecutive),
                              dims, "updates of scatter"});
  size_t arrays = NumArrays(op);
  for (size_t k = 0; k < arrays; ++k) {
    ValueRef operand = node->operands[k];
    plan.aliases.push_back(graph.nodes[operand.node].buffer + operand.leaf);
  }
  llvm::ArrayRef<ValueRef> operands = node->operands;
  plan.request.groups.push_back({"indices", IndicesOf(op).dims, {operands[arrays]}});
  plan.request.groups.push_back({"updates", dims, operands.drop_front(arrays + 1).vec()});
  hlo::PrimitiveType type = op.operands[0]->shape.type;
  bool rounds = hlo::IsFloat(type) || hlo::IsComplex(type);
  if (mode == UpdateMode::kAtomic && rounds) plan.unordered_terms = updates + 1;
  plan.emit = [node, map = plan.thread_maps[0].map](EntryBuilder& entry) {
    return ScatterEmitter(*node, map, entry).Run();
  };
  return plan;
}

}  // namespace affirm::emit
