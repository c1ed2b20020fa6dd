// Builds the entry function in MLIR: arguments, loops over thread maps, calls and insertions.
#include "emit/emitters/entry_builder.h"

#include "emit/emitters/thread_map.h"
#include "emit/ir/argument_attributes.h"
#include "emit/ir/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {

namespace arith = mlir::arith;
using mlir::Value;
using mlir::ValueRange;
using Values = EntryBuilder::Values;

EntryBuilder::EntryBuilder(KernelParts& parts, llvm::StringRef name, const EmissionPlan& plan)
    : parts_(parts), b_(parts.module.getLoc(), parts.module.getContext()) {
  mlir::MLIRContext* context = parts.module.getContext();
  llvm::SmallVector<mlir::Type> inputs, results;
  for (const hlo::Shape* leaf : parts.graph.parameter_leaves) {
    inputs.push_back(BufferType(context, *leaf));
  }
  for (const hlo::Shape* leaf : parts.graph.output_leaves) {
    results.push_back(BufferType(context, *leaf));
  }
  size_t first_result = inputs.size();
  inputs.append(results.begin(), results.end());
  b_.setInsertionPointToStart(parts.module.getBody());
  auto entry = mlir::func::FuncOp::create(b_, name, b_.getFunctionType(inputs, results));
  for (auto [k, alias] : llvm::enumerate(plan.aliases)) {
    if (alias < 0) continue;
    entry.setArgAttr(static_cast<unsigned>(first_result + k), ir::kAliasAttribute,
                     b_.getI64IntegerAttr(alias));
  }
  b_.setInsertionPointToStart(entry.addEntryBlock());
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    (i < first_result ? inputs_ : outputs_).push_back(argument);
  }
  auto bound = [&](int64_t size) { return b_.getIndexAttr(size); };
  ids_ = {mlir::gpu::ThreadIdOp::create(b_, b_.getIndexType(), mlir::gpu::Dimension::x,
                                        bound(plan.launch.threads)),
          mlir::gpu::BlockIdOp::create(b_, b_.getIndexType(), mlir::gpu::Dimension::x,
                                       bound(plan.launch.blocks))};
}

bool EntryBuilder::IsRead(size_t i) {
  auto is_read = [](Value array) {
    return llvm::any_of(array.getUsers(),
                        [](mlir::Operation* user) { return !mlir::isa<ir::PureCallOp>(user); });
  };
  for (auto [function, arrays] : llvm::zip(parts_.functions, parts_.arrays)) {
    const auto at = llvm::lower_bound(arrays, static_cast<int64_t>(i));
    if (at != arrays.end() && *at == static_cast<int64_t>(i) &&
        is_read(function.getArgument(static_cast<unsigned>(at - arrays.begin()))))
      return true;
  }
  return is_read(inputs_[i]);
}

void EntryBuilder::Finish(llvm::ArrayRef<int64_t> slices) {
  auto entry = mlir::cast<mlir::func::FuncOp>(b_.getInsertionBlock()->getParentOp());
  mlir::func::ReturnOp::create(b_, outputs_);
  ir::ArgumentAttributes attributes(entry);
  for (auto [k, slice] : llvm::enumerate(slices))
    attributes[static_cast<unsigned>(k)].set(ir::kSliceAttribute, b_.getI64IntegerAttr(slice));
  attributes.Write();
}

Values EntryBuilder::Call(size_t group, ValueRange index, ValueRange injected) {
  llvm::SmallVector<Value> arguments;
  for (int64_t leaf : parts_.arrays[group]) arguments.push_back(inputs_[leaf]);
  arguments.append(index.begin(), index.end());
  arguments.append(injected.begin(), injected.end());
  mlir::func::FuncOp function = parts_.functions[group];
  auto call =
      ir::PureCallOp::create(b_, function.getResultTypes(), function.getSymName(), arguments);
  return Values(call.getResults());
}

Values EntryBuilder::Apply(const IndexingMap& map, ValueRange variables) {
  llvm::SmallVector<mlir::Type> types(map.results().size(), b_.getIndexType());
  auto apply = ir::ApplyIndexingOp::create(b_, types, ir::MapAttr(b_.getContext(), map), variables);
  return Values(apply.getResults());
}

Value EntryBuilder::Within(Value value, int64_t lower, int64_t upper) {
  Value low = arith::CmpIOp::create(b_, arith::CmpIPredicate::sge, value, IndexConstant(b_, lower));
  Value high =
      arith::CmpIOp::create(b_, arith::CmpIPredicate::sle, value, IndexConstant(b_, upper));
  return arith::AndIOp::create(b_, low, high);
}

Values EntryBuilder::Loop(const IndexingMap& thread_map, ValueRange inits, LoopBody body) {
  if (thread_map.IsKnownEmpty()) return Values(inits);
  auto loop =
      ir::LoopOp::create(b_, ir::MapAttr(b_.getContext(), thread_map), ids_, ValueRange(), inits);
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToEnd(&loop.getBody().front());
  Values next = body(ValueRange(loop.MapResults()), ValueRange(loop.IterArgs()));
  ir::YieldOp::create(b_, next);
  return Values(loop.getResults());
}

void EntryBuilder::WriteLoop(const IndexingMap& thread_map,
                             llvm::function_ref<void(ValueRange results)> body) {
  outputs_ = Loop(thread_map, outputs_, [&](ValueRange results, ValueRange carried) {
    outputs_.assign(carried.begin(), carried.end());
    body(results);
    return outputs_;
  });
}

Values EntryBuilder::LoopAlong(llvm::ArrayRef<int64_t> shape, ValueRange first, size_t dim,
                               int64_t count, ValueRange inits, AlongBody body) {
  Context& context = parts_.context;
  std::vector<SymbolicExpr> results;
  std::vector<int64_t> bounds(shape);
  results.reserve(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) results.push_back(context.Dim(d));
  results[dim] = results[dim] + context.Dim(shape.size());
  bounds[dim] -= count - 1;
  bounds.push_back(count);
  const IndexingMap map = IndexingMap::FromShapes(context, results, bounds, {});
  auto loop = mlir::scf::ForOp::create(b_, IndexConstant(b_, 0), IndexConstant(b_, count),
                                       IndexConstant(b_, 1), inits);
  mlir::OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(loop.getBody());
  Values variables(first);
  variables.push_back(loop.getInductionVar());
  mlir::scf::YieldOp::create(
      b_, body(loop.getInductionVar(), Apply(map, variables), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

void EntryBuilder::WriteAt(size_t group, llvm::ArrayRef<int64_t> leaves, ValueRange index,
                           ValueRange output_index, ValueRange injected) {
  Values roots = Call(group, index, injected);
  for (auto [leaf, root] : llvm::zip(leaves, roots)) {
    Store(leaf, ToStorage(b_, root, parts_.graph.output_leaves[leaf]->type), output_index);
  }
}

void EntryBuilder::Store(int64_t leaf, Value stored, ValueRange index) {
  llvm::SmallVector<Value> at(index.begin(), index.end());
  InjectFault(stored, at);
  outputs_[leaf] = mlir::tensor::InsertOp::create(b_, stored, outputs_[leaf], at);
}

void EntryBuilder::InjectFault(Value& stored, llvm::SmallVectorImpl<Value>& at) {
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

void EntryBuilder::WriteFromHero(const HeroFusion& fusion, ValueRange hero_index,
                                 ValueRange injected) {
  for (const HeroFusion::Outputs& outputs : fusion.outputs) {
    if (!outputs.from_hero) continue;
    Write(outputs.group, outputs.leaves, Apply(*outputs.from_hero, hero_index), injected);
  }
}

void EntryBuilder::WriteSideOutputs(const HeroFusion& fusion, LaunchShape launch) {
  for (const HeroFusion::Outputs& outputs : fusion.outputs) {
    if (outputs.from_hero) continue;
    const std::vector<int64_t>& dims = parts_.graph.output_leaves[outputs.leaves.front()]->dims;
    WriteLoop(StridedThreadMap(parts_.context, dims, launch),
              [&](ValueRange index) { Write(outputs.group, outputs.leaves, index); });
  }
}

Value EntryBuilder::AllocateShared(hlo::PrimitiveType type, llvm::ArrayRef<int64_t> dims) {
  mlir::Type element = StorageType(b_.getContext(), type);
  return ir::AllocateSharedOp::create(b_, mlir::RankedTensorType::get(dims, element));
}

}  // namespace affirm::emit
