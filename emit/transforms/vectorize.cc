// affirm-vectorize: consecutive iterations that access consecutive elements access one vector
// instead, where the index of the first element is proved to be a multiple of the vector's length.
#include "core/simplify/simplify.h"
#include "emit/elements/scalar.h"
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace affirm::emit {
namespace {

namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;
namespace vector = mlir::vector;
using mlir::Value;

constexpr unsigned kMaxVectorBits = 256;  // two registers of 16 bytes

// The length of a loop from 0 to 2 or 4 by 1; 0 for others.
int64_t VectorLength(scf::ForOp loop) {
  llvm::APInt lower, upper, step;
  if (!mlir::matchPattern(loop.getLowerBound(), mlir::m_ConstantInt(&lower)) ||
      !mlir::matchPattern(loop.getUpperBound(), mlir::m_ConstantInt(&upper)) ||
      !mlir::matchPattern(loop.getStep(), mlir::m_ConstantInt(&step))) {
    return 0;
  }
  bool fits = lower.isZero() && step.isOne() && (upper == 2 || upper == 4);
  return fits ? upper.getSExtValue() : 0;
}

class LoopVectorizer {
 public:
  LoopVectorizer(scf::ForOp loop, int64_t length)
      : loop_(loop), length_(length), b_(loop.getLoc(), loop) {}

  void Run() {
    llvm::SmallVector<tensor::ExtractOp> loads(loop_.getBody()->getOps<tensor::ExtractOp>());
    for (tensor::ExtractOp load : loads) VectorizeLoad(load);
    VectorizeStores();
  }

 private:
  mlir::VectorType VectorOf(mlir::Type element) const {
    if (!element.isIntOrFloat() || !VectorizableWidth(element.getIntOrFloatBitWidth())) return {};
    return mlir::VectorType::get(length_, element);
  }
  bool VectorizableWidth(unsigned width) const {
    return width >= 8 && width * length_ <= kMaxVectorBits;
  }

  // The index in the first iteration, built in front of the loop, when the index grows by one an
  // iteration and starts at a multiple of the length; else null.
  Value FirstIndex(Value index) {
    auto apply = index.getDefiningOp<ir::ApplyIndexingOp>();
    if (!apply || apply->getParentOp() != loop_) return {};
    IndexingMap map = ir::AsFunction(apply.getMap().getMap());
    Value iteration = loop_.getInductionVar();
    llvm::SmallVector<Value> variables(apply.getVariables());
    auto at = llvm::find(variables, iteration) - variables.begin();
    if (at == std::ssize(variables) || llvm::count(variables, iteration) > 1) return {};
    for (Value variable : variables) {
      if (variable != iteration && !loop_.isDefinedOutsideOfLoop(variable)) return {};
    }
    SymbolicExpr e = map.results()[mlir::cast<mlir::OpResult>(index).getResultNumber()];
    SymbolicExpr step = map.context()->Dim(at), zero = map.context()->Constant(0);
    SymbolicExpr first = e.Replace(step, zero);
    if (!first || !(e - first == step)) return {};
    // Bounds of the other variables hold in every iteration, so in the first.
    map.SetBounds(VarKind::kDim, at, Interval::Point(0));
    map = Simplify(map.WithResults({first, first.Mod(length_)}));
    if (map.state() != IndexingMap::State::kNormal || !map.results()[1].IsConstant(0)) return {};
    map = map.WithResults(map.results().front());
    variables[at] = IndexConstant(b_, 0);
    return ir::ApplyIndexingOp::create(b_, b_.getIndexType(), ir::MapAttr(b_.getContext(), map),
                                       variables)
        .getResult(0);
  }

  Value Position(Builder& b) {
    return mlir::arith::IndexCastOp::create(b, b.getI64Type(), loop_.getInductionVar());
  }

  // The tensor whose elements a load reads as they are in front of the loop; null where an
  // iteration may have changed them. One that the loop carries, and changes at the index of the
  // load alone, after it, has in each iteration the elements that it had in this place.
  Value TensorBefore(tensor::ExtractOp load) {
    if (loop_.isDefinedOutsideOfLoop(load.getTensor())) return load.getTensor();
    auto carried = mlir::dyn_cast<mlir::BlockArgument>(load.getTensor());
    if (!carried || carried.getOwner() != loop_.getBody() || carried.getArgNumber() == 0) return {};
    const unsigned k = carried.getArgNumber() - 1;
    auto insert = loop_.getYieldedValues()[k].getDefiningOp<tensor::InsertOp>();
    bool same = insert && insert->getParentOp() == loop_ && insert.getDest() == carried &&
                llvm::equal(insert.getIndices(), load.getIndices()) && insert->hasOneUse() &&
                llvm::all_of(carried.getUsers(),
                             [&](mlir::Operation* user) { return user == insert || user == load; });
    return same ? loop_.getInits()[k] : Value();
  }

  void VectorizeLoad(tensor::ExtractOp load) {
    mlir::VectorType type = VectorOf(load.getType());
    if (!type || load.getIndices().size() != 1) return;
    Value tensor = TensorBefore(load);
    Value first = tensor ? FirstIndex(load.getIndices()[0]) : Value();
    if (!first) return;
    Value padding = mlir::arith::ConstantOp::create(b_, b_.getZeroAttr(load.getType()));
    Value loaded = vector::TransferReadOp::create(b_, type, tensor, first, padding,
                                                  llvm::ArrayRef<bool>{true});
    Builder inside(load.getLoc(), load);
    Value element = LLVM::ExtractElementOp::create(inside, loaded, Position(inside));
    load.replaceAllUsesWith(element);
    load.erase();
  }

  // The insertion that makes up what happens to iter_arg `k`, unconditionally; null for others.
  tensor::InsertOp OnlyInsertion(unsigned k) {
    auto insert = loop_.getYieldedValues()[k].getDefiningOp<tensor::InsertOp>();
    mlir::BlockArgument carried = loop_.getRegionIterArg(k);
    bool only = insert && insert->getParentOp() == loop_ && insert.getDest() == carried &&
                carried.hasOneUse() && insert->hasOneUse() && insert.getIndices().size() == 1;
    return only ? insert : tensor::InsertOp();
  }

  void VectorizeStores() {
    struct Store {
      unsigned number;
      Value first, tensor;
    };
    llvm::SmallVector<Store> stores;
    for (unsigned k = 0; k < loop_.getNumResults(); ++k) {
      tensor::InsertOp insert = OnlyInsertion(k);
      mlir::VectorType type = insert ? VectorOf(insert.getScalar().getType()) : mlir::VectorType();
      Value first = type ? FirstIndex(insert.getIndices()[0]) : Value();
      if (!first) continue;
      // The loop carries the vector instead of the tensor.
      stores.push_back({k, first, loop_.getInits()[k]});
      Value empty = mlir::arith::ConstantOp::create(b_, b_.getZeroAttr(type));
      loop_.getInitsMutable()[k].set(empty);
      loop_.getRegionIterArg(k).setType(type);
      Builder inside(insert.getLoc(), insert);
      Value filled = LLVM::InsertElementOp::create(inside, loop_.getRegionIterArg(k),
                                                   insert.getScalar(), Position(inside));
      insert.replaceAllUsesWith(filled);
      insert.erase();
      loop_.getResult(k).setType(type);
    }
    Builder after(loop_.getLoc(), loop_->getNextNode());
    for (const Store& store : stores) {
      Value result = loop_.getResult(store.number);
      auto write = vector::TransferWriteOp::create(after, result, store.tensor, store.first,
                                                   llvm::ArrayRef<bool>{true});
      result.replaceAllUsesExcept(write.getResult(), write);
    }
  }

  scf::ForOp loop_;
  int64_t length_;
  Builder b_;
};

mlir::LogicalResult Vectorize(mlir::ModuleOp module) {
  llvm::SmallVector<scf::ForOp> loops;
  module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    if (int64_t length = VectorLength(loop)) LoopVectorizer(loop, length).Run();
  }
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateVectorizePass() {
  return std::make_unique<ModulePass>("affirm-vectorize",
                                      "consecutive accesses by two or four iterations as one, "
                                      "where the first is proved to lie at a multiple of that",
                                      Vectorize);
}

}  // namespace affirm::emit
