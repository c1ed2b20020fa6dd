// affirm-peel-loops: peels off the last iteration if the others then need no test.
#include "core/simplify/simplify.h"
#include "emit/elements/scalar.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "mlir/IR/IRMapping.h"

namespace affirm::emit {
namespace {

// The map with a range variable confined to `bounds`.
IndexingMap Confined(const IndexingMap& map, int64_t range, Interval bounds) {
  IndexingMap confined = map;
  confined.SetBounds(VarKind::kRange, range, bounds);
  return Simplify(confined);
}

size_t NumTests(const IndexingMap& map, int64_t range) {
  return llvm::count_if(map.constraints(),
                        [&](const Constraint& c) { return c.expr.Uses(VarKind::kRange, range); });
}

// Whether the last value of the outermost range variable is the only one that needs a test.
// (Peeling an inner variable would change the order of the iterations.)
bool IsPeelable(const IndexingMap& map) {
  if (map.ranges().empty() || NumTests(map, 0) == 0) return false;
  Interval bounds = map.ranges()[0].bounds;
  if (bounds.lower >= bounds.upper) return false;
  IndexingMap main = Confined(map, 0, {bounds.lower, bounds.upper - 1});
  return main.state() == IndexingMap::State::kNormal && NumTests(main, 0) == 0;
}

void Peel(ir::LoopOp loop) {
  IndexingMap map = loop.getMap().getMap();
  if (!IsPeelable(map)) return;
  Interval bounds = map.ranges()[0].bounds;
  IndexingMap tail = Confined(map, 0, Interval::Point(bounds.upper));
  if (tail.state() != IndexingMap::State::kNormal) return;
  IndexingMap main = Confined(map, 0, {bounds.lower, bounds.upper - 1});
  Builder b(loop.getLoc(), loop->getNextNode());
  mlir::MLIRContext* context = b.getContext();
  auto rest = mlir::cast<ir::LoopOp>(b.clone(*loop));
  loop.replaceAllUsesWith(rest);
  rest.getInitsMutable().assign(loop.getResults());
  loop.setMapAttr(ir::MapAttr(context, main));
  rest.setMapAttr(ir::MapAttr(context, tail));
}

mlir::LogicalResult PeelLoops(mlir::ModuleOp module) {
  llvm::SmallVector<ir::LoopOp> loops;
  module.walk([&](ir::LoopOp loop) { loops.push_back(loop); });
  for (ir::LoopOp loop : loops) Peel(loop);
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreatePeelLoopsPass() {
  return std::make_unique<ModulePass>(
      "affirm-peel-loops", "peels off the last iteration of a loop if the others then need no test",
      PeelLoops);
}

}  // namespace affirm::emit
