// The transpose emitter. A block moves a tile of 32 x 32 elements through shared memory, so that
// both the reads and the writes of a warp are contiguous. The elements of a column must lie in
// different banks: rows are padded by one element, or, where that takes more shared memory than
// there is, rotated by their number (a swizzle, which takes an addition and a mask for each
// access).
#include "core/symbolic/linearize.h"
#include "emit/emitters/emitter.h"
#include "emit/emitters/entry_builder.h"
#include "emit/emitters/thread_map.h"
#include "emit/ir/dialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace affirm::emit {
namespace {

using mlir::Value;
using mlir::ValueRange;

constexpr int64_t kTile = 32;
constexpr int64_t kRows = 4;  // of a tile that the threads of a block deal with at once
constexpr int64_t kMinSide = 4, kMinElements = 64;
constexpr int64_t kMaxSharedBytes = 48 * 1024;

// A transpose with neighbouring dimensions that stay together made one, and without those of size
// one.
struct MergedTranspose {
  std::vector<int64_t> sizes;               // of the operand
  std::vector<int64_t> permutation;         // dim d of the result is dim permutation[d]
  std::vector<std::vector<int64_t>> parts;  // dims of the operand that each is made of
};

MergedTranspose Merge(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> permutation) {
  MergedTranspose merged;
  std::vector<int64_t> order;  // of the operand's dims, as the result has them
  for (int64_t d : permutation) {
    if (sizes[d] != 1) order.push_back(d);
  }
  std::vector<std::pair<int64_t, int64_t>> groups;  // first operand dim, position in the result
  std::vector<std::vector<int64_t>> parts;
  // The next dim of the operand behind `d`.
  auto next = [&](int64_t d) {
    do ++d;
    while (d < std::ssize(sizes) && sizes[d] == 1);
    return d;
  };
  for (int64_t d : order) {
    if (parts.empty() || next(parts.back().back()) != d) parts.emplace_back();
    parts.back().push_back(d);
  }
  groups.reserve(parts.size());
  for (size_t k = 0; k < parts.size(); ++k) groups.push_back({parts[k].front(), k});
  llvm::sort(groups);
  merged.permutation.resize(parts.size());
  for (auto [position, group] : llvm::enumerate(groups)) {
    merged.permutation[group.second] = static_cast<int64_t>(position);
    merged.parts.push_back(parts[group.second]);
    int64_t size = 1;
    for (int64_t d : merged.parts.back()) size *= sizes[d];
    merged.sizes.push_back(size);
  }
  return merged;
}

// How the elements of a tile lie in shared memory.
enum class Layout : uint8_t { kPadded, kSwizzled };

constexpr int64_t RowLength(Layout layout) { return layout == Layout::kPadded ? kTile + 1 : kTile; }

// The walk of the threads over a tile: the map to the element of the array and, as its last two
// results, to that of the tile; and the latter alone, for one block and a whole tile.
struct TileWalk {
  IndexingMap map;
  ThreadMap tile;

  IndexingMap ToArray() const {
    return map.WithResults(llvm::ArrayRef(map.results()).drop_back(2));
  }
};

class TransposePlan {
 public:
  TransposePlan(const hlo::Instruction& hero, Context& context)
      : context_(context),
        sizes_(hero.operands[0]->shape.dims),
        permutation_(hero.attributes.dimensions),
        merged_(Merge(sizes_, permutation_)) {
    if (merged_.sizes.size() < 2) return;
    a_ = merged_.sizes.size() - 1;
    b_ = static_cast<size_t>(merged_.permutation.back());
  }

  // Whether the dimension that runs fastest changes and the tile is worth it.
  bool IsWorthwhile() const {
    if (merged_.sizes.size() < 2 || a_ == b_) return false;
    int64_t a = merged_.sizes[a_], b = merged_.sizes[b_];
    return std::min(a, b) >= kMinSide && a * b >= kMinElements;
  }

  LaunchShape launch() const { return {ProductOf(Grid()), kTile * kRows}; }

  // From the operand to the tile, of which element (b, a) is that at b and a; and from the tile to
  // the result.
  TileWalk Read(Layout layout) const {
    const Walk walk = WalkAlong(a_);
    return Map(
        walk, a_, b_, sizes_, [](size_t d) { return d; }, InTile(layout, walk.across, walk.along),
        NameOf(layout) + ", filled");
  }
  TileWalk Write(Layout layout) const {
    const Walk walk = WalkAlong(b_);
    return Map(
        walk, b_, a_, sizes_, [&](size_t d) { return permutation_[d]; },
        InTile(layout, walk.along, walk.across), NameOf(layout) + ", read");
  }

 private:
  // How a thread goes through a tile: `along` the dimension that is contiguous in memory, `across`
  // it. Where vectors fit, it takes kVector elements along, and its block more rows at once.
  struct Walk {
    SymbolicExpr along, across;
    SymbolicExpr vector;  // the first of the elements that are in bounds all or none
    llvm::SmallVector<int64_t> loops;
  };
  Walk WalkAlong(size_t dim) const {
    const SymbolicExpr thread = ThreadX(context_);
    const bool vector =
        ProductOf(sizes_) >= kMinVectorElements && merged_.sizes[dim] % kVector == 0;
    if (!vector) {
      SymbolicExpr along = thread.Mod(kTile);
      return {along, thread.FloorDiv(kTile) + context_.Range(0) * kRows, along, {kTile / kRows}};
    }
    constexpr int64_t kLanes = kTile / kVector, kRowsOfLanes = kTile * kRows / kLanes;
    SymbolicExpr first = thread.Mod(kLanes) * kVector;
    return {first + context_.Range(1),
            thread.FloorDiv(kLanes) + context_.Range(0) * kRowsOfLanes,
            first,
            {kTile / kRowsOfLanes, kVector}};
  }
  // How many blocks there are along each merged dimension.
  llvm::SmallVector<int64_t> Grid() const {
    llvm::SmallVector<int64_t> grid(merged_.sizes.begin(), merged_.sizes.end());
    grid[a_] = CeilOf(grid[a_], kTile);
    grid[b_] = CeilOf(grid[b_], kTile);
    return grid;
  }

  static std::string NameOf(Layout layout) {
    return layout == Layout::kSwizzled ? "swizzled tile" : "tile";
  }
  // Where the element of a tile lies.
  static std::array<SymbolicExpr, 2> InTile(Layout layout, SymbolicExpr row, SymbolicExpr column) {
    return {row, layout == Layout::kSwizzled ? (row + column).Mod(kTile) : column};
  }

  // `along`, `across`: the merged dimensions that the walk means by these.
  TileWalk Map(const Walk& walk, size_t along, size_t across, llvm::ArrayRef<int64_t> sizes,
               llvm::function_ref<size_t(size_t)> dim_of, std::array<SymbolicExpr, 2> in_tile,
               std::string what) const {
    std::vector<SymbolicExpr> at = Delinearize(BlockX(context_), Grid());
    std::vector<Constraint> constraints;
    const int64_t last = merged_.sizes[along] - (walk.loops.size() > 1 ? kVector : 1);
    constraints.push_back({at[along] * kTile + walk.vector, {0, last}});
    constraints.push_back({at[across] * kTile + walk.across, {0, merged_.sizes[across] - 1}});
    at[along] = at[along] * kTile + walk.along;
    at[across] = at[across] * kTile + walk.across;
    llvm::SmallVector<SymbolicExpr> index(sizes.size(), context_.Constant(0));
    for (size_t d = 0; d < merged_.parts.size(); ++d) {
      llvm::SmallVector<int64_t> parts;
      for (int64_t part : merged_.parts[d]) parts.push_back(sizes_[part]);
      std::vector<SymbolicExpr> digits = Delinearize(at[d], parts);
      for (size_t i = 0; i < digits.size(); ++i) index[merged_.parts[d][i]] = digits[i];
    }
    llvm::SmallVector<SymbolicExpr> results;
    for (size_t d = 0; d < sizes.size(); ++d) results.push_back(index[dim_of(d)]);
    results.append(in_tile.begin(), in_tile.end());
    const LaunchShape block{1, kTile * kRows};
    return {
        MakeThreadMap(context_, launch(), walk.loops, results, constraints),
        {MakeThreadMap(context_, block, walk.loops, in_tile, {}), {kTile, kTile}, std::move(what)}};
  }

  Context& context_;
  std::vector<int64_t> sizes_, permutation_;
  MergedTranspose merged_;
  size_t a_ = 0, b_ = 0;  // merged dims of the operand: the fastest of the operand, of the result
};

// The shared memory of the tiles of all heroes together.
int64_t SharedBytes(const FlatGraph& graph, const HeroFusion& fusion, Layout layout) {
  int64_t bytes = 0;
  for (int64_t hero : fusion.heroes) {
    bytes += kTile * RowLength(layout) * hlo::ByteWidth(graph.shape({hero, 0}).type);
  }
  return bytes;
}

bool IsTranspose(const FlatGraph& graph, Context& context, int64_t node) {
  const hlo::Instruction& op = *graph.nodes[node].instruction;
  return op.opcode == hlo::Opcode::kTranspose && op.operands[0]->shape.NumElements() > 0 &&
         op.operands[0]->shape.type == op.shape.type && TransposePlan(op, context).IsWorthwhile();
}

// The plan of the entry.
struct TransposeEntryPlan {
  HeroFusion fusion;
  LaunchShape launch;
  Layout layout = Layout::kPadded;
  size_t operands = 0;  // the group
  IndexingMap read, write;
};

llvm::Error EmitTranspose(const TransposeEntryPlan& entry_plan, EntryBuilder& entry) {
  Builder& b = entry.b();
  const FlatGraph& graph = entry.parts().graph;
  llvm::SmallVector<hlo::PrimitiveType> types;
  EntryBuilder::Values tiles;
  for (int64_t hero : entry_plan.fusion.heroes) {
    types.push_back(graph.shape({hero, 0}).type);
    tiles.push_back(entry.AllocateShared(types.back(), {kTile, RowLength(entry_plan.layout)}));
  }
  tiles = entry.Loop(entry_plan.read, tiles, [&](ValueRange at, ValueRange carried) {
    EntryBuilder::Values next(carried);
    EntryBuilder::Values elements = entry.Call(entry_plan.operands, at.drop_back(2));
    for (size_t k = 0; k < next.size(); ++k) {
      Value stored = ToStorage(b, elements[k], types[k]);
      next[k] = mlir::tensor::InsertOp::create(b, stored, next[k], at.take_back(2));
    }
    return next;
  });
  auto synced = ir::SyncThreadsOp::create(b, tiles);
  entry.WriteLoop(entry_plan.write, [&](ValueRange at) {
    EntryBuilder::Values elements;
    for (size_t k = 0; k < types.size(); ++k) {
      Value stored = mlir::tensor::ExtractOp::create(b, synced.getResult(k), at.take_back(2));
      elements.push_back(FromStorage(b, stored, types[k]));
    }
    entry.WriteFromHero(entry_plan.fusion, at.drop_back(2), elements);
  });
  entry.WriteSideOutputs(entry_plan.fusion, entry_plan.launch);
  return llvm::Error::success();
}

}  // namespace

std::optional<EmissionPlan> PlanTranspose(const FlatGraph& graph, Context& context) {
  EmissionPlan plan;
  auto fusion = FindHeroes(
      graph, context, [&](int64_t node) { return IsTranspose(graph, context, node); },
      [&](int64_t a, int64_t b) { return HaveSameDimensions(graph, a, b); }, plan.request);
  if (!fusion) return std::nullopt;
  bool padded = SharedBytes(graph, *fusion, Layout::kPadded) <= kMaxSharedBytes;
  Layout layout = padded ? Layout::kPadded : Layout::kSwizzled;
  if (SharedBytes(graph, *fusion, layout) > kMaxSharedBytes) return std::nullopt;
  RootGroup operands{"operand", {}, {}};
  for (int64_t hero : fusion->heroes) operands.roots.push_back(graph.nodes[hero].operands[0]);
  const hlo::Instruction& hero = *graph.nodes[fusion->heroes.front()].instruction;
  operands.shape = hero.operands[0]->shape.dims;
  TransposePlan tiles(hero, context);
  plan.name = "transpose";
  plan.launch = tiles.launch();
  const TileWalk read = tiles.Read(layout), write = tiles.Write(layout);
  AddThreadMaps(graph, *fusion, write.ToArray(), context, plan);
  plan.thread_maps.push_back({read.ToArray(), operands.shape, "operand of transpose"});
  plan.thread_maps.push_back(read.tile);
  plan.thread_maps.push_back(write.tile);
  TransposeEntryPlan entry_plan{*fusion,  plan.launch, layout, plan.request.groups.size(),
                                read.map, write.map};
  plan.request.groups.push_back(std::move(operands));
  plan.emit = [entry_plan](EntryBuilder& entry) { return EmitTranspose(entry_plan, entry); };
  return plan;
}

}  // namespace affirm::emit
