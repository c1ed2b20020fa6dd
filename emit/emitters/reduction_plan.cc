// Chooses how threads share a reduction, by the shape seen as [major, reduced, minor].
#include "emit/emitters/reduction_plan.h"

#include <algorithm>
#include <bit>

#include "core/symbolic/linearize.h"
#include "emit/emitters/thread_map.h"

namespace affirm::emit {
namespace {

constexpr int64_t kWarp = 32;
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
  ReductionPlan Columns();
  ReductionPlan SmallColumns();

 private:
  SymbolicExpr Thread() const { return ThreadX(context_); }
  SymbolicExpr Block() const { return BlockX(context_); }
  SymbolicExpr Zero() const { return context_.Constant(0); }

  // The map to the operand's index at [major, reduced, minor]. `in_row` says where `reduced` is in
  // bounds, where that is said in another way.
  IndexingMap Read(LaunchShape launch, llvm::ArrayRef<int64_t> loops, SymbolicExpr major,
                   SymbolicExpr reduced, SymbolicExpr minor,
                   std::optional<Constraint> in_row = std::nullopt) const {
    llvm::SmallVector<SymbolicExpr> index(RankOf(), Zero());
    SymbolicExpr at[] = {major, reduced, minor};
    int64_t sizes[] = {canonical_.major(), canonical_.reduced(), canonical_.minor()};
    std::vector<Constraint> constraints;
    for (int part = 0; part < 3; ++part) {
      const bool other = part == 1 && in_row;
      constraints.push_back(other ? *in_row : Constraint{at[part], {0, sizes[part] - 1}});
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

  IndexingMap Store(LaunchShape launch, SymbolicExpr column, Constraint condition) const {
    return MakeThreadMap(context_, launch, {}, {Thread().FloorDiv(kWarp), column}, condition);
  }

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
  // Of long rows a lane takes several consecutive elements at once, all of them or none.
  const bool vector = canonical_.major() * reduced >= kMinVectorElements &&
                      reduced % kVector == 0 && reduced >= per_row * kVector;
  SymbolicExpr step = context_.Range(0) * per_row + lane;
  plan.read = vector ? Read(plan.launch, {CeilOf(reduced / kVector, per_row), kVector}, row,
                            step * kVector + context_.Range(1), Zero(),
                            Constraint{step, {0, reduced / kVector - 1}})
                     : Read(plan.launch, CeilOf(reduced, per_row), row, step, Zero());
  plan.shuffle = {lanes / 2, 1};
  plan.order = {per_row, lanes, vector ? kVector : 1};
  if (whole_block) {
    plan.columns = 1;
    plan.store = Store(plan.launch, Zero(), {Thread().Mod(kWarp), {0, 0}});
    plan.tile_shuffle = {kWarps / 2, 1};
    plan.write = Write(plan.launch, row, Zero(), {Thread(), {0, 0}});
  } else {
    plan.write = Write(plan.launch, row, Zero(), {Thread().Mod(lanes), {0, 0}});
  }
  return plan;
}

// Lanes are neighbouring columns, and warps share their rows.
ReductionPlan Planner::Columns() {
  ReductionPlan plan;
  plan.name = "column reduction";
  int64_t tiles = CeilOf(canonical_.minor(), kWarp);
  plan.launch = {canonical_.major() * tiles, kReductionThreads};
  SymbolicExpr major = Block().FloorDiv(tiles);
  SymbolicExpr first_column = Block().Mod(tiles) * kWarp;
  SymbolicExpr row = context_.Range(0) * kWarps + Thread().FloorDiv(kWarp);
  plan.read = Read(plan.launch, CeilOf(canonical_.reduced(), kWarps), major, row,
                   first_column + Thread().Mod(kWarp));
  plan.order = {kWarps, 1};
  plan.columns = kWarp;
  plan.store = Store(plan.launch, Thread().Mod(kWarp), {Thread(), {0, kReductionThreads - 1}});
  plan.tile_shuffle = {kWarps / 2, 1};
  plan.write = Write(plan.launch, major, first_column + Thread().FloorDiv(kWarps),
                     {Thread().Mod(kWarps), {0, 0}});
  return plan;
}

// A block reads consecutive elements: a lane's column is its number modulo the number of columns.
ReductionPlan Planner::SmallColumns() {
  int64_t columns = canonical_.minor();
  ReductionPlan plan;
  plan.name = "small column reduction";
  plan.launch = {canonical_.major(), kReductionThreads};
  int64_t rows = kReductionThreads / columns;
  plan.read = Read(plan.launch, CeilOf(canonical_.reduced(), rows), Block(),
                   context_.Range(0) * rows + Thread().FloorDiv(columns), Thread().Mod(columns));
  if (columns < kWarp) plan.shuffle = {kWarp / 2, columns};
  plan.order = {rows, kWarp / columns};
  plan.columns = columns;
  plan.store = Store(plan.launch, Thread().Mod(kWarp), {Thread().Mod(kWarp), {0, columns - 1}});
  plan.tile_shuffle = {kWarps / 2, 1};
  SymbolicExpr column = Thread().FloorDiv(kWarps);
  plan.write = Write(plan.launch, Block(), column, {Thread().Mod(kWarps), {0, 0}});
  return plan;
}

}  // namespace

std::optional<ReductionPlan> MakeReductionPlan(Context& context, llvm::ArrayRef<int64_t> shape,
                                               llvm::ArrayRef<int64_t> dims) {
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
  if (columns <= kMaxSmallColumns && power_of_two) return planner.SmallColumns();
  return planner.Columns();
}

}  // namespace affirm::emit
