// Thread maps over a whole shape, and the simplification that all of them get.
#include "emit/emitters/thread_map.h"

#include "core/simplify/simplify.h"
#include "core/symbolic/linearize.h"

namespace affirm::emit {

std::vector<Variable> LaunchVariables(LaunchShape launch) {
  return {{{0, launch.threads - 1}, "th_x", std::nullopt},
          {{0, launch.blocks - 1}, "bl_x", std::nullopt}};
}

IndexingMap MakeThreadMap(Context& context, LaunchShape launch, llvm::ArrayRef<int64_t> loops,
                          llvm::ArrayRef<SymbolicExpr> results,
                          llvm::ArrayRef<Constraint> constraints) {
  std::vector<Variable> ranges;
  for (int64_t size : loops) ranges.push_back({{0, size - 1}, "", std::nullopt});
  return Simplify(
      IndexingMap(context, results, LaunchVariables(launch), std::move(ranges), {}, constraints));
}

int64_t ProductOf(llvm::ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

IndexingMap LoopThreadMap(Context& context, llvm::ArrayRef<int64_t> shape, LaunchShape launch,
                          int64_t consecutive) {
  int64_t elements = ProductOf(shape);
  if (elements == 0) return IndexingMap::KnownEmpty(context);
  SymbolicExpr thread = BlockX(context) * launch.threads + ThreadX(context);
  if (consecutive == 1) {
    return MakeThreadMap(context, launch, {}, Delinearize(thread, shape),
                         Constraint{thread, {0, elements - 1}});
  }
  // The condition is on the thread, so that the elements are taken all or none.
  SymbolicExpr linear = thread * consecutive + context.Range(0);
  return MakeThreadMap(context, launch, consecutive, Delinearize(linear, shape),
                       Constraint{thread, {0, elements / consecutive - 1}});
}

IndexingMap StridedThreadMap(Context& context, llvm::ArrayRef<int64_t> shape, LaunchShape launch) {
  int64_t elements = ProductOf(shape), threads = launch.threads * launch.blocks;
  if (elements <= threads) return LoopThreadMap(context, shape, launch);
  SymbolicExpr linear =
      context.Range(0) * threads + BlockX(context) * launch.threads + ThreadX(context);
  return MakeThreadMap(context, launch, CeilOf(elements, threads), Delinearize(linear, shape),
                       Constraint{linear, {0, elements - 1}});
}

IndexingMap FirstOfConsecutive(const IndexingMap& map) {
  if (map.IsKnownEmpty()) return map;
  Context& context = *map.context();
  const auto last = std::ssize(map.ranges()) - 1;
  const SymbolicExpr variable = context.Range(last);
  const SymbolicExpr first = context.Constant(map.ranges()[last].bounds.lower);
  llvm::SmallVector<SymbolicExpr> results;
  for (SymbolicExpr e : map.results()) results.push_back(e.Replace(variable, first));
  std::vector<Constraint> constraints;
  for (const Constraint& c : map.constraints())
    constraints.push_back({c.expr.Replace(variable, first), c.bounds});
  std::vector<Variable> ranges(map.ranges().begin(), map.ranges().end() - 1);
  return Simplify(
      IndexingMap(context, results, map.dims(), std::move(ranges), map.runtime(), constraints));
}

}  // namespace affirm::emit
