// Chooses how threads share a reduction, by the shape seen as [major, reduced, minor].
#include "emit/emitters/reduction_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "core/symbolic/linearize.h"
#include "emit/emitters/thread_map.h"

namespace affirm::emit {
namespace {

constexpr int64_t kReductionThreads = 256;
constexpr int64_t kWarps = kReductionThreads / kWarp;
constexpr int64_t kMinReduced = 8;         // fewer elements are one thread's work
constexpr int64_t kMaxWarpReduced = 1024;  // more elements of a row are a block's work
constexpr int64_t kMaxSmallColumns = 16;

// The operand as [major, reduced, minor], with the dims that each is made of.
struct CanonicalShape {
  llvm::SmallVector<int64_t> sizes[3], dims[3];
  int64_t major() const { return ProductOf(sizes[0]); }
  int64_t reduced() const { return ProductOf(sizes[1]); }
  int64_t minor() const { return ProductOf(sizes[2]); }
};

// Nothing when kept dims of more than one element lie between reduced ones.
std::optional<CanonicalShape> MakeCanonicalShape(llvm::ArrayRef<int64_t> shape,
                                                 llvm::ArrayRef<int64_t> dims) {
  CanonicalShape canonical;
  int part = 0;
  for (int64_t d = 0; d < std::ssize(shape); ++d) {
    bool reduced = llvm::is_contained(dims, d);
    if (shape[d] == 1) {  // anywhere; but a kept one must appear in the result
      canonical.sizes[reduced ? 1 : part == 0 ? 0 : 2].push_back(1);
      canonical.dims[reduced ? 1 : part == 0 ? 0 : 2].push_back(d);
      continue;
    }
    if (reduced && part == 2) return std::nullopt;
    if (reduced) part = 1;
    if (!reduced && part == 1) part = 2;
    canonical.sizes[part].push_back(shape[d]);
    canonical.dims[part].push_back(d);
  }
  return canonical;
}

class Planner {
 public:
  Planner(Context& context, CanonicalShape canonical)
      : context_(context), canonical_(std::move(canonical)) {}

  ReductionPlan Rows(bool whole_block);
  // `width`: how many columns a block takes.
  ReductionPlan Columns(int64_t width, int64_t most_neighbors);

 private:
  SymbolicExpr Thread() const { return ThreadX(context_); }
  SymbolicExpr Block() const { return BlockX(context_); }
  SymbolicExpr Zero() const { return context_.Constant(0); }

  // The map to the operand's index at [major, reduced, minor], where the constraints hold.
  IndexingMap Read(LaunchShape launch, llvm::ArrayRef<int64_t> loops,
                   std::array<SymbolicExpr, 3> at, llvm::ArrayRef<Constraint> constraints) const {
    llvm::SmallVector<SymbolicExpr> index(RankOf(), Zero());
    for (int part = 0; part < 3; ++part) {
      std::vector<SymbolicExpr> digits = Delinearize(at[part], canonical_.sizes[part]);
      for (size_t i = 0; i < digits.size(); ++i) index[canonical_.dims[part][i]] = digits[i];
    }
    return MakeThreadMap(context_, launch, loops, index, constraints);
  }

  // The map to the result's index at [major, minor], under a condition.
  IndexingMap Write(LaunchShape launch, SymbolicExpr major, SymbolicExpr minor,
                    Constraint condition) const {
    llvm::SmallVector<SymbolicExpr> index(RankOf());
    for (auto [part, at] : {std::pair(0, major), std::pair(2, minor)}) {
      std::vector<SymbolicExpr> digits = Delinearize(at, canonical_.sizes[part]);
      for (size_t i = 0; i < digits.size(); ++i) index[canonical_.dims[part][i]] = digits[i];
    }
    llvm::SmallVector<SymbolicExpr> results;
    for (SymbolicExpr e : index) {
      if (e) results.push_back(e);
    }
    return MakeThreadMap(
        context_, launch, {}, results,
        {condition, {major, {0, canonical_.major() - 1}}, {minor, {0, canonical_.minor() - 1}}});
  }

  // The map to a row of the tile and columns from `column` on, by the lanes below `lanes`.
  IndexingMap Store(LaunchShape launch, int64_t lanes, SymbolicExpr column,
                    int64_t neighbors) const {
    llvm::SmallVector<SymbolicExpr> results = {Thread().FloorDiv(kWarp)};
    for (int64_t k = 0; k < neighbors; ++k) results.push_back(column + k);
    return MakeThreadMap(context_, launch, {}, results,
                         Constraint{Thread().Mod(kWarp), {0, lanes - 1}});
  }

  // The dimension along which columns are neighbors, and how many of them a thread takes at once.
  std::pair<size_t, int64_t> Neighbors(int64_t width, int64_t most) const;

  size_t RankOf() const {
    return canonical_.dims[0].size() + canonical_.dims[1].size() + canonical_.dims[2].size();
  }

  Context& context_;
  CanonicalShape canonical_;
};

// A row is the work of some lanes of a warp, or of a block.
ReductionPlan Planner::Rows(bool whole_block) {
  int64_t reduced = canonical_.reduced();
  int64_t lanes = std::min<int64_t>(kWarp, std::bit_ceil(static_cast<uint64_t>(reduced)));
  ReductionPlan plan;
  plan.name = whole_block ? "row reduction" : "multi-row reduction";
  int64_t per_row = whole_block ? kReductionThreads : lanes;
  int64_t rows = kReductionThreads / per_row;
  plan.launch = {CeilOf(canonical_.major(), rows), kReductionThreads};
  SymbolicExpr row = Block() * rows + (whole_block ? Zero() : Thread().FloorDiv(lanes));
  SymbolicExpr lane = whole_block ? Thread() : Thread().Mod(lanes);
  // In long rows, a lane takes several consecutive elements at once, all of them or none.
  const bool vector = canonical_.major() * reduced >= kMinVectorElements &&
                      reduced % kVector == 0 && reduced >= per_row * kVector;
  const int64_t consecutive = vector ? kVector : 1;
  SymbolicExpr step = context_.Range(0) * per_row + lane;
  llvm::SmallVector<int64_t> loops = {CeilOf(reduced / consecutive, per_row)};
  if (vector) loops.push_back(consecutive);
  SymbolicExpr place = vector ? step * consecutive + context_.Range(1) : step;
  plan.read = Read(plan.launch, loops, {row, place, Zero()},
                   {{row, {0, canonical_.major() - 1}}, {step, {0, reduced / consecutive - 1}}});
  plan.shuffle = {lanes / 2, 1};
  plan.order = {per_row, lanes, consecutive};
  if (whole_block) {
    plan.columns = 1;
    plan.store = Store(plan.launch, 1, Zero(), 1);
    plan.tile_shuffle = {kWarps / 2, 1};
    plan.write = Write(plan.launch, row, Zero(), {Thread(), {0, 0}});
  } else {
    plan.write = Write(plan.launch, row, Zero(), {Thread().Mod(lanes), {0, 0}});
  }
  return plan;
}

std::pair<size_t, int64_t> Planner::Neighbors(int64_t width, int64_t most) const {
  const llvm::ArrayRef<int64_t> sizes = canonical_.sizes[2];
  size_t last = sizes.size() - 1;
  while (sizes[last] == 1) --last;
  const bool large =
      canonical_.major() * canonical_.reduced() * canonical_.minor() >= kMinVectorElements;
  int64_t neighbors = large ? std::min(most, width) : 1;
  while (sizes[last] % neighbors != 0) neighbors /= 2;
  return {canonical_.dims[2][last], neighbors};
}

// A block reads rows of `width` columns, each by as many lanes as there are vectors in it. Lanes of
// one column combine their values by shuffles, and then warps do.
ReductionPlan Planner::Columns(int64_t width, int64_t most_neighbors) {
  ReductionPlan plan;
  plan.name = width < kWarp ? "small column reduction" : "column reduction";
  std::tie(plan.neighbors_dim, plan.neighbors) = Neighbors(width, most_neighbors);
  const int64_t tiles = CeilOf(canonical_.minor(), width);
  const int64_t lanes = width / plan.neighbors, rows = kReductionThreads / lanes;
  plan.launch = {canonical_.major() * tiles, kReductionThreads};
  SymbolicExpr major = Block().FloorDiv(tiles);
  SymbolicExpr first_column = Block().Mod(tiles) * width;
  SymbolicExpr row = context_.Range(0) * rows + Thread().FloorDiv(lanes);
  SymbolicExpr in_tile = Thread().Mod(lanes) * plan.neighbors;
  SymbolicExpr first = first_column + in_tile;
  llvm::SmallVector<int64_t> loops = {CeilOf(canonical_.reduced(), rows)};
  if (plan.neighbors > 1) loops.push_back(plan.neighbors);
  SymbolicExpr column = plan.neighbors > 1 ? first + context_.Range(1) : first;
  plan.read = Read(plan.launch, loops, {major, row, column},
                   {{major, {0, canonical_.major() - 1}},
                    {row, {0, canonical_.reduced() - 1}},
                    {first, {0, canonical_.minor() - plan.neighbors}}});
  if (lanes < kWarp) plan.shuffle = {kWarp / 2, lanes};
  plan.order = {rows, kWarp / lanes};
  plan.columns = width;
  plan.store = Store(plan.launch, lanes, in_tile, plan.neighbors);
  plan.tile_shuffle = {kWarps / 2, 1};
  plan.write = Write(plan.launch, major, first_column + Thread().FloorDiv(kWarps),
                     {Thread().Mod(kWarps), {0, 0}});
  return plan;
}

}  // namespace

std::optional<ReductionPlan> MakeReductionPlan(Context& context, llvm::ArrayRef<int64_t> shape,
                                               llvm::ArrayRef<int64_t> dims,
                                               int64_t most_neighbors) {
  std::optional<CanonicalShape> canonical = MakeCanonicalShape(shape, dims);
  if (!canonical || canonical->reduced() < kMinReduced || canonical->major() == 0 ||
      canonical->minor() == 0) {
    return std::nullopt;
  }
  bool many = canonical->reduced() > kMaxWarpReduced;
  Planner planner(context, *canonical);
  int64_t columns = canonical->minor();
  if (columns == 1) return planner.Rows(many);
  bool power_of_two = std::has_single_bit(static_cast<uint64_t>(columns));
  const bool small = columns <= kMaxSmallColumns && power_of_two;
  return planner.Columns(small ? columns : kWarp, most_neighbors);
}

}  // namespace affirm::emit
