// `exact` on arith.index_cast and arith.index_castui, which MLIR 22 does not have: a discardable
// attribute of a dialect of its own. A cast that carries it keeps the integer, or is poison.
#ifndef AFFIRM_EMIT_TRANSFORMS_EXACT_CASTS_H_
#define AFFIRM_EMIT_TRANSFORMS_EXACT_CASTS_H_

#include <memory>

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace affirm::emit {

inline constexpr llvm::StringLiteral kExactAttr = "affirm_index.exact";

// The dialect that `affirm_index` attributes belong to. It verifies that `exact` is a unit
// attribute of an index cast, and not on one of a constant that visibly does not fit; and that
// what it declares of the bits of index are numbers in range (index_layout.h).
class IndexDialect : public mlir::Dialect {
 public:
  explicit IndexDialect(mlir::MLIRContext* context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "affirm_index"; }
  llvm::LogicalResult verifyOperationAttribute(mlir::Operation* op,
                                               mlir::NamedAttribute attribute) override;
};

bool IsExact(mlir::Operation* op);
void SetExact(mlir::Operation* op, bool exact);

// The rewrites that are sound exactly with `exact` (verify/width/casts.h proves it):
//   cast(cast(x) exact) -> x   where the types are the same
//   cast(constant) exact -> constant
void PopulateExactCastRewrites(mlir::RewritePatternSet& patterns);
// Applies these rewrites and no others within the operation; says whether any applied.
bool FoldExactCasts(mlir::Operation* root);
// affirm-fold-exact-casts: FoldExactCasts as a pass.
std::unique_ptr<mlir::Pass> CreateFoldExactCastsPass();

// Lowers exact casts to LLVM: a truncation has nsw (index_cast) or nuw (index_castui).
void PopulateExactCastLowerings(const mlir::LLVMTypeConverter& types,
                                mlir::RewritePatternSet& patterns);

}  // namespace affirm::emit

MLIR_DECLARE_EXPLICIT_TYPE_ID(affirm::emit::IndexDialect)

#endif  // AFFIRM_EMIT_TRANSFORMS_EXACT_CASTS_H_
