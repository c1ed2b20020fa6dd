// affirm-lower-loops: affirm.loop becomes scf.for, with tests of constraints between the loops.
#include "emit/elements/scalar.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace affirm::emit {
namespace {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

// The range of a value wherever it is computed.
Interval RangeOf(Value value) {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant))) {
    return Interval::Point(constant.getSExtValue());
  }
  std::optional<llvm::APInt> bound;
  if (auto thread = value.getDefiningOp<mlir::gpu::ThreadIdOp>()) bound = thread.getUpperBound();
  if (auto block = value.getDefiningOp<mlir::gpu::BlockIdOp>()) bound = block.getUpperBound();
  return bound ? Interval{0, bound->getSExtValue() - 1} : Interval::All();
}

class LoopLowering {
 public:
  explicit LoopLowering(ir::LoopOp loop)
      : loop_(loop), map_(loop.getMap().getMap()), b_(loop.getLoc(), loop), known_(Known()) {
    conditions_ = map_.constraints();
    for (int64_t d = 0; d < std::ssize(map_.dims()); ++d) {
      conditions_.push_back({map_.context()->Dim(d), map_.dims()[d].bounds});
    }
    for (int64_t r = 0; r < std::ssize(map_.runtime()); ++r) {
      conditions_.push_back({map_.context()->Runtime(r), map_.runtime()[r].bounds});
    }
  }

  void Run() {
    Values finals = Level(0, loop_.getInits());
    loop_.replaceAllUsesWith(finals);
    loop_.erase();
  }

 private:
  // The map with what is known of its variables for its domain.
  IndexingMap Known() {
    std::vector<Variable> dims = map_.dims(), runtime = map_.runtime();
    for (auto [variable, value] : llvm::zip(dims, loop_.getDims()))
      variable.bounds = RangeOf(value);
    for (auto [variable, value] : llvm::zip(runtime, loop_.getRuntime())) {
      variable.bounds = RangeOf(value);
    }
    return IndexingMap(*map_.context(), llvm::ArrayRef<SymbolicExpr>(), dims, map_.ranges(),
                       runtime);
  }

  // The first level at which the variables of an expression are known.
  int64_t LevelOf(SymbolicExpr e) const {
    int64_t level = 0;
    e.Walk([&](SymbolicExpr part) {
      if (part.IsVariable() && part.var_kind() == VarKind::kRange) {
        level = std::max(level, part.value() + 1);
      }
    });
    return level;
  }

  Values Operands() {
    Values operands(loop_.getDims());
    for (size_t r = 0; r < map_.ranges().size(); ++r) {
      // A range variable that is not known yet stands in no expression that is asked for.
      operands.push_back(r < ranges_.size() ? ranges_[r] : zero_);
    }
    operands.append(loop_.getRuntime().begin(), loop_.getRuntime().end());
    return operands;
  }

  // Whether the conditions of a level hold, as far as they are not implied; null when they are.
  Value Test(int64_t level) {
    Value all;
    for (const Constraint& condition : conditions_) {
      if (LevelOf(condition.expr) != level) continue;
      if (known_.RangeOf(condition.expr).Within(condition.bounds)) continue;
      const IndexingMap map = known_.WithResults(condition.expr);
      if (ranges_.size() < map_.ranges().size() && !zero_) zero_ = IndexConstant(b_, 0);
      auto apply = ir::ApplyIndexingOp::create(b_, b_.getIndexType(),
                                               ir::MapAttr(b_.getContext(), map), Operands());
      for (auto [bound, predicate] :
           {std::pair(condition.bounds.lower, arith::CmpIPredicate::sge),
            std::pair(condition.bounds.upper, arith::CmpIPredicate::sle)}) {
        bool lower = predicate == arith::CmpIPredicate::sge;
        Interval end = lower ? Interval{bound, kInt64Max} : Interval{kInt64Min, bound};
        if (known_.RangeOf(condition.expr).Within(end)) continue;
        Value holds =
            arith::CmpIOp::create(b_, predicate, apply.getResult(0), IndexConstant(b_, bound));
        all = all ? Value(arith::AndIOp::create(b_, all, holds)) : holds;
      }
    }
    return all;
  }

  // The loops from `level` inward, under that level's conditions.
  Values Level(int64_t level, mlir::ValueRange carried) {
    Value test = Test(level);
    if (!test) return Next(level, carried);
    auto branch = scf::IfOp::create(b_, carried.getTypes(), test,
                                    /*withElseRegion=*/!carried.empty());
    mlir::OpBuilder::InsertionGuard guard(b_);
    if (!carried.empty()) {
      b_.setInsertionPointToStart(&branch.getElseRegion().front());
      scf::YieldOp::create(b_, carried);
    }
    b_.setInsertionPointToStart(&branch.getThenRegion().front());
    Values next = Next(level, carried);
    if (!next.empty()) scf::YieldOp::create(b_, next);
    return Values(branch.getResults());
  }

  Values Next(int64_t level, mlir::ValueRange carried) {
    if (level == std::ssize(map_.ranges())) return Body(carried);
    Interval bounds = map_.ranges()[level].bounds;
    auto loop =
        scf::ForOp::create(b_, IndexConstant(b_, bounds.lower), IndexConstant(b_, bounds.upper + 1),
                           IndexConstant(b_, 1), carried);
    mlir::OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    ranges_.push_back(loop.getInductionVar());
    Values next = Level(level + 1, loop.getRegionIterArgs());
    ranges_.pop_back();
    if (!next.empty()) scf::YieldOp::create(b_, next);
    return Values(loop.getResults());
  }

  Values Body(mlir::ValueRange carried) {
    Values arguments = ranges_;
    if (!map_.results().empty()) {
      llvm::SmallVector<mlir::Type> types(map_.results().size(), b_.getIndexType());
      auto apply = ir::ApplyIndexingOp::create(b_, types, loop_.getMap(), Operands());
      arguments.append(apply.getResults().begin(), apply.getResults().end());
    }
    arguments.append(carried.begin(), carried.end());
    mlir::Block& body = loop_.getBody().front();
    auto yield = mlir::cast<ir::YieldOp>(body.getTerminator());
    // The body moves to the builder's insertion point.
    mlir::Block* to = b_.getInsertionBlock();
    auto before = b_.getInsertionPoint();
    for (auto [argument, value] : llvm::zip(body.getArguments(), arguments)) {
      argument.replaceAllUsesWith(value);
    }
    Values next(yield.getOperands());
    yield.erase();
    to->getOperations().splice(before, body.getOperations());
    b_.setInsertionPoint(to, before);
    return next;
  }

  ir::LoopOp loop_;
  IndexingMap map_;
  Builder b_;
  IndexingMap known_;
  std::vector<Constraint> conditions_;
  Values ranges_;
  Value zero_;
};

mlir::LogicalResult LowerLoops(mlir::ModuleOp module) {
  llvm::SmallVector<ir::LoopOp> loops;
  module.walk([&](ir::LoopOp loop) { loops.push_back(loop); });
  for (ir::LoopOp loop : loops) LoopLowering(loop).Run();
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateLowerLoopsPass() {
  return std::make_unique<ModulePass>(
      "affirm-lower-loops",
      "`affirm.loop` to `scf`; a constraint is tested as soon as its variables are known, outside "
      "of loops that don't change it",
      LowerLoops);
}

}  // namespace affirm::emit
