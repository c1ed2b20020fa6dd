// The sort emitter. A block sorts a row, or several short ones, in shared memory by a network of
// compare-exchanges. A row of n elements takes the network for the next power of two, without the
// exchanges behind the end: all of them leave the larger value at the larger position, so that what
// is not there would stay there. The network merges sorted parts of 1, 2, 4, ... elements,
//
//   width 4:  0 - 3, 1 - 2    the first of one part with the last of the other, and so on inwards
//             0 - 1, 2 - 3    then over half the distance, a quarter, ...
//
// A thread takes one exchange of each step, and a barrier is between two steps. Which of several
// elements that are equal comes first is left open; who wants it stable gives the positions as one
// more operand (emit/plan/expand_sorts.h).
#include <bit>

#include "core/symbolic/linearize.h"
#include "emit/elements/scalar_function.h"
#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/thread_map.h"
#include "emit/ir/dialect.h"
#include "emit/plan/sort_limits.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

using mlir::Value;
using mlir::ValueRange;
using Values = EntryBuilder::Values;

// How the rows of a sort are given to blocks.
class SortedRows {
 public:
  SortedRows(const hlo::Shape& shape, int64_t dimension, Context& context)
      : context_(context), dims_(shape.dims), dimension_(dimension), size_(dims_[dimension]) {
    width_ = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size_)));
    pairs_ = std::max<int64_t>(1, width_ / 2);
    others_ = dims_;
    others_.erase(others_.begin() + dimension);
    rows_ = ProductOf(others_);
    rows_of_block_ = std::clamp<int64_t>(kThreadsPerBlock / pairs_, 1, rows_);
  }

  int64_t width() const { return width_; }
  LaunchShape launch() const { return {CeilOf(rows_, rows_of_block_), rows_of_block_ * pairs_}; }
  std::vector<int64_t> tile() const { return {rows_of_block_, size_}; }

  // To the index of an element, and as its last two results to its place in the tile: a thread
  // takes two elements of a row, where there are as many.
  IndexingMap Elements() const {
    const bool pairs = width_ > 1;
    SymbolicExpr position = Lane();
    if (pairs) position = position + context_.Range(0) * pairs_;
    std::vector<SymbolicExpr> results = Delinearize(RowNumber(), others_);
    results.insert(results.begin() + dimension_, position);
    results.push_back(RowOfBlock());
    results.push_back(position);
    llvm::SmallVector<int64_t> loops;
    if (pairs) loops.push_back(2);
    return MakeThreadMap(context_, launch(), loops, results,
                         {RowExists(), {position, {0, size_ - 1}}});
  }

  // To the row of the tile and the two positions that a thread compares. `distance` is nothing in
  // the first step of a merge to `width` elements.
  IndexingMap Step(int64_t width, std::optional<int64_t> distance) const {
    const int64_t half = distance.value_or(width / 2);
    const SymbolicExpr part = Lane().FloorDiv(half) * (2 * half), within = Lane().Mod(half);
    const SymbolicExpr low = part + within;
    const SymbolicExpr high = distance ? low + half : part + (width - 1) - within;
    return MakeThreadMap(context_, launch(), {}, {RowOfBlock(), low, high},
                         {RowExists(), {high, {0, size_ - 1}}});
  }

 private:
  SymbolicExpr RowOfBlock() const { return ThreadX(context_).FloorDiv(pairs_); }
  SymbolicExpr RowNumber() const { return BlockX(context_) * rows_of_block_ + RowOfBlock(); }
  SymbolicExpr Lane() const { return ThreadX(context_).Mod(pairs_); }
  Constraint RowExists() const { return {RowNumber(), {0, rows_ - 1}}; }

  Context& context_;
  std::vector<int64_t> dims_, others_;
  int64_t dimension_, size_;
  int64_t width_ = 1, pairs_ = 1, rows_ = 1, rows_of_block_ = 1;
};

struct SortEntryPlan {
  const hlo::Instruction* sort = nullptr;
  size_t operands = 0;             // the group
  std::vector<int64_t> output_of;  // by operand of the sort; -1 for an unused result
  IndexingMap elements;
  std::vector<IndexingMap> steps;
  std::vector<int64_t> tile;
};

class SortEmitter {
 public:
  SortEmitter(const SortEntryPlan& plan, EntryBuilder& entry)
      : plan_(plan), entry_(entry), b_(entry.b()) {}

  llvm::Error Run() {
    auto less = EmitScalarFunction(entry_.parts(), *plan_.sort->called.front(), "less");
    if (!less) return less.takeError();
    less_ = *less;
    Values tiles = Synced(Fill());
    for (const IndexingMap& step : plan_.steps) tiles = Synced(Exchange(step, tiles));
    entry_.WriteLoop(plan_.elements, [&](ValueRange at) { Write(at, tiles); });
    return llvm::Error::success();
  }

 private:
  hlo::PrimitiveType TypeOf(size_t k) const { return plan_.sort->operands[k]->shape.type; }

  Values Synced(ValueRange tiles) {
    return Values(ir::SyncThreadsOp::create(b_, tiles).getResults());
  }

  Values Fill() {
    Values tiles;
    for (size_t k = 0; k < plan_.sort->operands.size(); ++k) {
      tiles.push_back(entry_.AllocateShared(TypeOf(k), plan_.tile));
    }
    return entry_.Loop(plan_.elements, tiles, [&](ValueRange at, ValueRange carried) {
      Values elements = entry_.Call(plan_.operands, at.drop_back(2)), next(carried);
      for (size_t k = 0; k < next.size(); ++k) {
        Value stored = ToStorage(b_, elements[k], TypeOf(k));
        next[k] = mlir::tensor::InsertOp::create(b_, stored, next[k], at.take_back(2));
      }
      return next;
    });
  }

  Values Exchange(const IndexingMap& step, ValueRange tiles) {
    return entry_.Loop(step, tiles, [&](ValueRange at, ValueRange carried) {
      const Values low{at[0], at[1]}, high{at[0], at[2]};
      Values of_low, of_high, pairs;
      for (size_t k = 0; k < carried.size(); ++k) {
        of_low.push_back(mlir::tensor::ExtractOp::create(b_, carried[k], low));
        of_high.push_back(mlir::tensor::ExtractOp::create(b_, carried[k], high));
        pairs.push_back(FromStorage(b_, of_high[k], TypeOf(k)));
        pairs.push_back(FromStorage(b_, of_low[k], TypeOf(k)));
      }
      auto less = ir::PureCallOp::create(b_, less_.getResultTypes(), less_.getSymName(), pairs);
      Values next(carried);
      for (size_t k = 0; k < next.size(); ++k) {
        next[k] = ir::PredicatedInsertOp::create(b_, of_high[k], next[k], low, less.getResult(0));
        next[k] = ir::PredicatedInsertOp::create(b_, of_low[k], next[k], high, less.getResult(0));
      }
      return next;
    });
  }

  void Write(ValueRange at, ValueRange tiles) {
    for (size_t k = 0; k < tiles.size(); ++k) {
      if (plan_.output_of[k] < 0) continue;
      Value stored = mlir::tensor::ExtractOp::create(b_, tiles[k], at.take_back(2));
      entry_.Store(plan_.output_of[k], stored, at.drop_back(2));
    }
  }

  const SortEntryPlan& plan_;
  EntryBuilder& entry_;
  Builder& b_;
  mlir::func::FuncOp less_;
};

// The sort that all results of the graph are results of, the node; -1 where they are not.
int64_t SortOf(const FlatGraph& graph) {
  if (graph.outputs.empty()) return -1;
  const int64_t node = graph.outputs.front().node;
  const bool all = llvm::all_of(graph.outputs, [&](ValueRef v) { return v.node == node; });
  return all && node >= 0 && graph.nodes[node].instruction->opcode == hlo::Opcode::kSort ? node
                                                                                         : -1;
}

}  // namespace

std::optional<EmissionPlan> PlanSort(const FlatGraph& graph, Context& context) {
  const int64_t node = SortOf(graph);
  if (node < 0) return std::nullopt;
  const hlo::Instruction& sort = *graph.nodes[node].instruction;
  const hlo::Shape& shape = sort.operands[0]->shape;
  if (!HasOneResult(sort) || !FitsOneBlock(sort) || shape.NumElements() == 0) return std::nullopt;
  const SortedRows rows(shape, sort.attributes.dimensions[0], context);
  EmissionPlan plan;
  plan.name = "sort";
  plan.launch = rows.launch();
  SortEntryPlan entry_plan{&sort,           0,  std::vector<int64_t>(sort.operands.size(), -1),
                           rows.Elements(), {}, rows.tile()};
  for (int64_t width = 2; width <= rows.width(); width *= 2) {
    entry_plan.steps.push_back(rows.Step(width, std::nullopt));
    for (int64_t distance = width / 4; distance > 0; distance /= 2) {
      entry_plan.steps.push_back(rows.Step(width, distance));
    }
  }
  RootGroup operands{"operand", shape.dims, {}};
  for (ValueRef operand : graph.nodes[node].operands) operands.roots.push_back(operand);
  plan.request.groups.push_back(std::move(operands));
  const IndexingMap& elements = entry_plan.elements;
  const IndexingMap map = elements.WithResults(llvm::ArrayRef(elements.results()).drop_back(2));
  plan.thread_maps.push_back({map, shape.dims, "operand of sort"});
  for (auto [k, output] : llvm::enumerate(graph.outputs)) {
    entry_plan.output_of[output.leaf] = static_cast<int64_t>(k);
    plan.thread_maps.push_back({map, shape.dims, "output " + std::to_string(k)});
  }
  plan.emit = [entry_plan](EntryBuilder& entry) { return SortEmitter(entry_plan, entry).Run(); };
  return plan;
}

}  // namespace affirm::emit
