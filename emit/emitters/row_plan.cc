// Chooses how many threads hold a row, by its length.
#include "emit/emitters/row_plan.h"

#include <algorithm>
#include <bit>

#include "core/symbolic/linearize.h"
#include "emit/emitters/thread_map.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::emit {
namespace {

constexpr int64_t kShortRowThreads = 256;  // of a block that has several rows
constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxHeldByLane = 16;  // a block holds longer rows
constexpr int64_t kHeldByThread = 8;    // unless the row needs more than kMaxThreads

int64_t CeilToPowerOfTwo(int64_t n) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
}

int64_t ThreadsOfRow(int64_t length) {
  if (length <= kWarp * kMaxHeldByLane) return std::min(kWarp, CeilToPowerOfTwo(length));
  return std::min(kMaxThreads, CeilToPowerOfTwo(CeilOf(length, kHeldByThread)));
}

// The index in the array, from the index of a row and an index inside the row.
Index IndexOf(const RowFusion& fusion, llvm::ArrayRef<SymbolicExpr> row,
              llvm::ArrayRef<SymbolicExpr> in_row) {
  Index index;
  for (int64_t d = 0; d < std::ssize(fusion.shape); ++d) {
    llvm::ArrayRef<SymbolicExpr>& from = llvm::is_contained(fusion.dimensions, d) ? in_row : row;
    index.push_back(from.front());
    from = from.drop_front();
  }
  return index;
}

}  // namespace

int64_t RowPlan::lanes() const { return std::min(threads, kWarp); }
int64_t RowPlan::warps() const { return threads / lanes(); }

RowPlan MakeRowPlan(Context& context, const RowFusion& fusion) {
  std::vector<int64_t> in_row;
  for (auto [d, size] : llvm::enumerate(fusion.shape)) {
    if (llvm::is_contained(fusion.dimensions, static_cast<int64_t>(d))) in_row.push_back(size);
  }
  const int64_t length = ProductOf(in_row), rows = ProductOf(fusion.rows);
  RowPlan plan;
  plan.threads = ThreadsOfRow(length);
  const int64_t block = std::max(plan.threads, kShortRowThreads * (plan.threads <= kWarp));
  plan.launch = {CeilOf(rows, block / plan.threads), block};
  const SymbolicExpr row =
      BlockX(context) * (block / plan.threads) + ThreadX(context).FloorDiv(plan.threads);
  const SymbolicExpr lane = ThreadX(context).Mod(plan.threads);
  // As in other reductions, threads hold vectors of long rows. No vector crosses the end of a row.
  const bool vectors = rows * length >= kMinVectorElements && length % kVector == 0 &&
                       length >= plan.threads * kVector;
  const int64_t consecutive = vectors ? kVector : 1;
  const int64_t steps = CeilOf(length / consecutive, plan.threads);
  const SymbolicExpr step = context.Range(0) * plan.threads + lane;
  const SymbolicExpr column = vectors ? step * kVector + context.Range(1) : step;
  const SymbolicExpr held =
      vectors ? context.Range(0) * kVector + context.Range(1) : context.Range(0);
  const std::vector<SymbolicExpr> row_index = Delinearize(row, fusion.rows);
  const Constraint is_row{row, {0, rows - 1}};
  const Constraint is_in_row{step, {0, length / consecutive - 1}};
  Index index = IndexOf(fusion, row_index, Delinearize(column, in_row));
  llvm::SmallVector<int64_t, 2> loops = {steps};
  if (vectors) loops.push_back(kVector);
  plan.registers = steps * consecutive;
  plan.elements = MakeThreadMap(context, plan.launch, loops, index, {is_row, is_in_row});
  index.push_back(held);
  plan.held = MakeThreadMap(context, plan.launch, loops, index, {is_row, is_in_row});
  plan.row = MakeThreadMap(context, plan.launch, {}, row_index, is_row);
  plan.first = MakeThreadMap(context, plan.launch, {}, row_index, {is_row, {lane, {0, 0}}});
  plan.order = {plan.threads, plan.lanes(), consecutive};
  return plan;
}

}  // namespace affirm::emit
