// affirm.opaque_cast: the one rewrite of casts of index that is sound at every width.
#include "emit/ir/dialect.h"

namespace affirm::ir {

// The extension to more bits of the same kind, signed or unsigned, says nothing that the cast does
// not: be index narrower than both types, between them or wider, its bits are the same.
llvm::LogicalResult OpaqueCastOp::canonicalize(OpaqueCastOp op, mlir::PatternRewriter& rewriter) {
  mlir::Operation* extension = op.getIn().getDefiningOp();
  bool same_kind = op.getIsUnsigned() ? mlir::isa_and_nonnull<mlir::arith::ExtUIOp>(extension)
                                      : mlir::isa_and_nonnull<mlir::arith::ExtSIOp>(extension);
  if (!same_kind) return mlir::failure();
  rewriter.modifyOpInPlace(op, [&] { op.getInMutable().assign(extension->getOperand(0)); });
  return mlir::success();
}

}  // namespace affirm::ir
