#include "emit/loop_emitter.h"

#include <algorithm>

#include "core/simplify/simplify.h"
#include "emit/error.h"
#include "emit/index_emitter.h"
#include "emit/scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;

constexpr int64_t kMaxBlocks = (int64_t{1} << 31) - 1;

std::vector<Variable> LaunchVariables(LaunchShape launch) {
  return {{{0, launch.threads - 1}, "th_x", std::nullopt},
          {{0, launch.blocks - 1}, "bl_x", std::nullopt}};
}

class EntryEmitter {
 public:
  EntryEmitter(KernelParts& parts, LaunchShape launch, llvm::ArrayRef<IndexingMap> maps,
               mlir::func::FuncOp entry, Builder& b)
      : parts_(parts), launch_(launch), maps_(maps), b_(b), index_(b) {
    size_t inputs = parts.graph.parameter_leaves.size();
    for (size_t i = 0; i < entry.getNumArguments(); ++i) {
      (i < inputs ? inputs_ : outputs_).push_back(entry.getArgument(i));
    }
    index_.SetDim(0, mlir::gpu::ThreadIdOp::create(b_, mlir::gpu::Dimension::x));
    index_.SetDim(1, mlir::gpu::BlockIdOp::create(b_, mlir::gpu::Dimension::x));
  }

  void Run() {
    for (size_t s = 0; s < parts_.partition.subgraphs.size(); ++s) {
      if (!parts_.partition.subgraphs[s].roots.empty()) Section(s);
    }
    mlir::func::ReturnOp::create(b_, outputs_);
  }

 private:
  // Whether the thread has an element, as far as the launch does not imply it; null when it does.
  Value Predicate(const IndexingMap& map) {
    IndexingMap launched(parts_.context, SymbolicMap(2, 0, 0, {}), LaunchVariables(launch_), {},
                         {});
    std::vector<Constraint> conditions = map.constraints();
    for (int64_t d = 0; d < 2; ++d) {
      conditions.push_back({parts_.context.Dim(d), map.dims()[d].bounds});
    }
    Value inside;
    for (const Constraint& condition : conditions) {
      if (launched.RangeOf(condition.expr).Within(condition.bounds)) continue;
      Value holds = index_.EmitWithin(condition.expr, condition.bounds, launched);
      inside = inside ? Value(arith::AndIOp::create(b_, inside, holds)) : holds;
    }
    return inside;
  }

  // Writes the outputs of one subgraph, by the threads that have an element of it.
  void Section(size_t s) {
    const Subgraph& subgraph = parts_.partition.subgraphs[s];
    if (subgraph.outputs.empty()) return;
    const IndexingMap& map = maps_[subgraph.outputs.front()];
    Value inside = Predicate(map);
    if (!inside) return Write(s, map);
    llvm::SmallVector<Value> before;
    for (int64_t k : subgraph.outputs) before.push_back(outputs_[k]);
    mlir::ValueRange range(before);
    auto branch = scf::IfOp::create(b_, range.getTypes(), inside, /*withElseRegion=*/true);
    {
      mlir::OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(&branch.getThenRegion().front());
      index_.Enter();
      Write(s, map);
      index_.Leave();
      llvm::SmallVector<Value> after;
      for (int64_t k : subgraph.outputs) after.push_back(outputs_[k]);
      scf::YieldOp::create(b_, after);
      b_.setInsertionPointToStart(&branch.getElseRegion().front());
      scf::YieldOp::create(b_, before);
    }
    for (size_t i = 0; i < before.size(); ++i) {
      outputs_[subgraph.outputs[i]] = branch.getResult(static_cast<unsigned>(i));
    }
  }

  void Write(size_t s, const IndexingMap& map) {
    const Subgraph& subgraph = parts_.partition.subgraphs[s];
    llvm::SmallVector<Value> arguments(inputs_.begin(), inputs_.end()), indices;
    for (SymbolicExpr e : map.results()) indices.push_back(index_.Emit(e, map));
    arguments.append(indices.begin(), indices.end());
    auto call = mlir::func::CallOp::create(b_, parts_.functions[s], arguments);
    for (size_t i = 0; i < subgraph.outputs.size(); ++i) {
      int64_t k = subgraph.outputs[i];
      hlo::PrimitiveType type = parts_.graph.output_leaves[k]->type;
      Value stored = ToStorage(b_, call.getResult(static_cast<unsigned>(i)), type);
      llvm::SmallVector<Value> at = indices;
      InjectFault(stored, at);
      outputs_[k] = mlir::tensor::InsertOp::create(b_, stored, outputs_[k], at);
    }
  }

  // When no constant took the fault: the first stored index, or the value of a scalar output.
  void InjectFault(Value& stored, llvm::SmallVectorImpl<Value>& at) {
    int64_t delta = std::exchange(parts_.fault.delta, 0);
    if (delta == 0) return;
    if (!at.empty()) {
      at.back() = arith::AddIOp::create(b_, at.back(), IndexConstant(b_, delta));
    } else if (stored.getType().isInteger()) {
      stored = Add(b_, stored, IntConstant(b_, stored.getType(), delta));
    } else {
      stored = Add(b_, stored, FloatConstant(b_, stored.getType(), static_cast<double>(delta)));
    }
  }

  KernelParts& parts_;
  LaunchShape launch_;
  llvm::ArrayRef<IndexingMap> maps_;
  Builder& b_;
  IndexEmitter index_;
  llvm::SmallVector<Value> inputs_, outputs_;
};

}  // namespace

llvm::Expected<LaunchShape> LoopLaunch(const FlatGraph& graph, int64_t threads) {
  if (threads < 1 || threads > 1024) {
    return InvalidArgument("a block has 1 to 1024 threads, not " + llvm::Twine(threads));
  }
  int64_t elements = 0;
  for (const hlo::Shape* leaf : graph.output_leaves) {
    elements = std::max(elements, leaf->NumElements());
  }
  LaunchShape launch;
  launch.threads = threads;
  launch.blocks = std::max<int64_t>(1, elements / threads + (elements % threads != 0));
  if (launch.blocks > kMaxBlocks) {
    return NotSupported(llvm::Twine(elements) + " elements need more blocks than a grid has");
  }
  return launch;
}

IndexingMap LoopThreadMap(Context& context, llvm::ArrayRef<int64_t> shape, LaunchShape launch) {
  SymbolicExpr linear = context.Dim(1) * launch.threads + context.Dim(0);
  std::vector<SymbolicExpr> results(shape.size());
  int64_t elements = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    SymbolicExpr position = elements > 1 ? linear.FloorDiv(elements) : linear;
    if (shape[d] == 0) return IndexingMap::KnownEmpty(context);
    results[d] = d == 0 ? position : position.Mod(shape[d]);
    elements *= shape[d];
  }
  SymbolicMap map(2, 0, 0, results);
  IndexingMap thread_map(context, map, LaunchVariables(launch), {}, {},
                         {Constraint{linear, {0, elements - 1}}});
  return Simplify(thread_map);
}

llvm::Error EmitLoopEntry(KernelParts& parts, llvm::StringRef name, LaunchShape launch,
                          llvm::ArrayRef<IndexingMap> thread_maps) {
  mlir::MLIRContext* context = parts.module.getContext();
  llvm::SmallVector<mlir::Type> inputs, results;
  for (const hlo::Shape* leaf : parts.graph.parameter_leaves) {
    inputs.push_back(BufferType(context, *leaf));
  }
  for (const hlo::Shape* leaf : parts.graph.output_leaves) {
    results.push_back(BufferType(context, *leaf));
  }
  inputs.append(results.begin(), results.end());
  mlir::OpBuilder at_start = mlir::OpBuilder::atBlockBegin(parts.module.getBody());
  auto entry = mlir::func::FuncOp::create(at_start, mlir::UnknownLoc::get(context), name,
                                          at_start.getFunctionType(inputs, results));
  Builder b(entry.getLoc(), context);
  b.setInsertionPointToStart(entry.addEntryBlock());
  EntryEmitter(parts, launch, thread_maps, entry, b).Run();
  return llvm::Error::success();
}

}  // namespace affirm::emit
