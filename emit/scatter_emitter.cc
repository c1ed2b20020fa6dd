// The scatter emitter, in place: a thread applies one element of the updates to the element of the
// operand where the indices send it, if that exists. Atomically, unless the indices are unique.
#include "emit/emitter.h"
#include "emit/entry_builder.h"
#include "emit/ir/dialect.h"
#include "emit/scalar_function.h"
#include "emit/thread_map.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
using mlir::Value;
using mlir::ValueRange;
using Values = EntryBuilder::Values;

constexpr int64_t kThreads = 128;

// Where an update element goes, in terms of the updates' dims.
struct Places {
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

Places PlacesOf(const hlo::Instruction& scatter) {
  const hlo::Attributes& a = scatter.attributes;
  return {Without(scatter.operands[0]->shape.rank(), a.inserted_window_dims, a.input_batching_dims),
          Without(scatter.operands[2]->shape.rank(), a.update_window_dims, {}),
          scatter.operands[1]->shape.dims};
}

const FlatNode* ScatterOf(const FlatGraph& graph) {
  if (graph.outputs.size() != 1 || graph.outputs[0].node < 0) return nullptr;
  const FlatNode& node = graph.nodes[graph.outputs[0].node];
  const hlo::Instruction& op = *node.instruction;
  if (op.opcode != hlo::Opcode::kScatter || op.operands.size() != 3 || op.called.size() != 1 ||
      op.shape.NumElements() == 0 || op.operands[2]->shape.NumElements() == 0 ||
      op.operands[2]->shape.type != op.shape.type || !hlo::IsInt(op.operands[1]->shape.type)) {
    return nullptr;
  }
  ValueRef operand = node.operands[0];
  bool in_place = operand.node >= 0 && graph.nodes[operand.node].is_parameter();
  return in_place ? &node : nullptr;
}

class ScatterEmitter {
 public:
  enum Groups : size_t { kIndices, kUpdates };

  ScatterEmitter(const FlatNode& node, const IndexingMap& threads, EntryBuilder& entry)
      : op_(*node.instruction),
        places_(PlacesOf(op_)),
        threads_(threads),
        entry_(entry),
        b_(entry.b()) {}

  llvm::Error Run() {
    auto combiner = EmitScalarFunction(entry_.parts(), *op_.called.front(), "combine");
    if (!combiner) return combiner.takeError();
    combiner_ = *combiner;
    entry_.WriteLoop(threads_, [&](ValueRange at) {
      Value inside;
      Values start = Start(at, inside);
      Value output = entry_.outputs()[0];
      auto branch = mlir::scf::IfOp::create(b_, output.getType(), inside, /*withElseRegion=*/true);
      mlir::OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(&branch.getElseRegion().front());
      mlir::scf::YieldOp::create(b_, output);
      b_.setInsertionPointToStart(&branch.getThenRegion().front());
      Values target = Target(at, start);
      Value update = entry_.Call(kUpdates, at)[0];
      Value next = op_.attributes.unique_indices ? Apply(output, target, update)
                                                 : ApplyAtomically(output, target, update);
      mlir::scf::YieldOp::create(b_, next);
      entry_.outputs()[0] = branch.getResult(0);
    });
    return llvm::Error::success();
  }

 private:
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
      int64_t batch = places_.batch[d > a.index_vector_dim ? d - 1 : d];
      start[a.input_batching_dims[k]] = arith::IndexCastOp::create(b_, i64, at[batch]);
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::optional<int64_t> window = WindowDim(d);
      int64_t extent = window ? op_.operands[2]->shape.dims[*window] : 1;
      int64_t starts = std::max<int64_t>(sizes[d] - extent + 1, 0);
      Value holds = arith::CmpIOp::create(b_, arith::CmpIPredicate::ult, start[d],
                                          IntConstant(b_, i64, starts));
      inside = inside ? Value(arith::AndIOp::create(b_, inside, holds)) : holds;
    }
    if (!inside) inside = IntConstant(b_, b_.getI1Type(), 1);
    return start;
  }

  // The operand's index for an index of the updates whose window lies inside.
  Values Target(ValueRange at, ValueRange start) {
    Values index;
    for (size_t d = 0; d < start.size(); ++d) {
      index.push_back(arith::IndexCastOp::create(b_, b_.getIndexType(), start[d]));
      std::optional<int64_t> window = WindowDim(d);
      if (window) index[d] = arith::AddIOp::create(b_, index[d], at[*window]);
    }
    return index;
  }

  // The dimension of the updates that runs along dimension d of the operand within a window.
  std::optional<int64_t> WindowDim(size_t d) const {
    auto window = llvm::find(places_.window, static_cast<int64_t>(d)) - places_.window.begin();
    if (window == std::ssize(places_.window)) return std::nullopt;
    return op_.attributes.update_window_dims[window];
  }

  // Component k of the index vector of an update element.
  Value Component(ValueRange at, int64_t k) {
    Values index;
    for (int64_t d : places_.batch) index.push_back(at[d]);
    int64_t vector = op_.attributes.index_vector_dim;
    if (vector < std::ssize(places_.index_shape)) {
      index.insert(index.begin() + vector, IndexConstant(b_, k));
    }
    Value element = entry_.Call(kIndices, index)[0];
    return Convert(b_, element, op_.operands[1]->shape.type, hlo::PrimitiveType::kS64);
  }

  Value Combined(Value stored, Value update) {
    hlo::PrimitiveType type = op_.shape.type;
    llvm::SmallVector<Value> arguments = {FromStorage(b_, stored, type), update};
    auto call =
        ir::PureCallOp::create(b_, combiner_.getResultTypes(), combiner_.getSymName(), arguments);
    return ToStorage(b_, call.getResult(0), type);
  }

  Value Apply(Value output, ValueRange target, Value update) {
    Value before = mlir::tensor::ExtractOp::create(b_, output, target);
    return mlir::tensor::InsertOp::create(b_, Combined(before, update), output, target);
  }

  Value ApplyAtomically(Value output, ValueRange target, Value update) {
    auto atomic = ir::AtomicRMWOp::create(b_, output.getType(), output, target);
    mlir::OpBuilder::InsertionGuard guard(b_);
    mlir::Block* block = b_.createBlock(&atomic.getBody());
    auto type = mlir::cast<mlir::RankedTensorType>(output.getType());
    Value before = block->addArgument(type.getElementType(), b_.getLoc());
    ir::YieldOp::create(b_, Combined(before, update));
    return atomic.getResult();
  }

  const hlo::Instruction& op_;
  Places places_;
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
  bool unique = op.attributes.unique_indices;
  plan.name = unique ? "scatter, unique" : "scatter, atomic";
  const std::vector<int64_t>& dims = op.operands[2]->shape.dims;
  int64_t updates = op.operands[2]->shape.NumElements();
  plan.launch = {CeilOf(updates, kThreads), kThreads};
  plan.thread_maps.push_back(
      {LoopThreadMap(context, dims, plan.launch), dims, "updates of scatter"});
  ValueRef operand = node->operands[0];
  plan.aliases.push_back(graph.nodes[operand.node].buffer + operand.leaf);
  plan.request.groups.push_back({"indices", op.operands[1]->shape.dims, {node->operands[1]}});
  plan.request.groups.push_back({"updates", dims, {node->operands[2]}});
  if (!unique && hlo::IsFloat(op.shape.type)) plan.regrouped_terms = updates + 1;
  plan.emit = [node, map = plan.thread_maps[0].map](EntryBuilder& entry) {
    return ScatterEmitter(*node, map, entry).Run();
  };
  return plan;
}

}  // namespace affirm::emit
