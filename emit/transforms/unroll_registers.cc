// affirm-unroll-registers: loops whose iterations take different elements of a vector are unrolled,
// so that the vector lies in registers. An element number that is known only at run time would put
// it into local memory.
#include "emit/transforms/pass_base.h"
#include "emit/transforms/passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace affirm::emit {
namespace {

namespace LLVM = mlir::LLVM;
namespace scf = mlir::scf;
using mlir::Value;

// Which element of a vector an operation takes or replaces; null for other operations.
Value PositionOf(mlir::Operation* op) {
  if (auto extract = mlir::dyn_cast<LLVM::ExtractElementOp>(op)) return extract.getPosition();
  if (auto insert = mlir::dyn_cast<LLVM::InsertElementOp>(op)) return insert.getPosition();
  return {};
}

bool NumbersElements(scf::ForOp loop) {
  mlir::SetVector<mlir::Operation*> slice;
  mlir::getForwardSlice(loop.getInductionVar(), &slice);
  return llvm::any_of(slice, [&](mlir::Operation* op) {
    Value position = PositionOf(op);
    return position && position.getDefiningOp() && slice.contains(position.getDefiningOp());
  });
}

mlir::LogicalResult UnrollRegisters(mlir::ModuleOp module) {
  llvm::SmallVector<scf::ForOp> loops;
  // Inner loops first: an outer loop that is unrolled then copies no loop of this kind.
  module.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    if (NumbersElements(loop) && mlir::failed(mlir::loopUnrollFull(loop))) return mlir::failure();
  }
  return mlir::success();
}

}  // namespace

std::unique_ptr<mlir::Pass> CreateUnrollRegistersPass() {
  return std::make_unique<ModulePass>(
      "affirm-unroll-registers",
      "loops whose iterations take different elements of a vector are unrolled", UnrollRegisters);
}

}  // namespace affirm::emit
