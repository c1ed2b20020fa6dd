// `exact` on arith.index_cast and arith.index_castui, which MLIR 22 does not have: discardable
// attributes of a dialect of their own. A cast that is exact keeps the integer, or is poison.
//
//   arith.index_cast %x {affirm_index.exact} : i32 to index                         proved
//   arith.index_cast %x {affirm_index.exact, affirm_index.assumed} : i32 to index   a user says so
//
// Rewrites and lowerings take both alike, since poison may become anything. But an assumption is
// no proof: the analysis concludes nothing from it. In text a user writes an assumption as
// `arith.index_cast %x exact : i32 to index` (exact_text.h), or as `{exact}`.
#ifndef AFFIRM_EMIT_TRANSFORMS_EXACT_CASTS_H_
#define AFFIRM_EMIT_TRANSFORMS_EXACT_CASTS_H_

#include <memory>

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace affirm::emit {

inline constexpr llvm::StringLiteral kExactAttr = "affirm_index.exact";
inline constexpr llvm::StringLiteral kAssumedAttr = "affirm_index.assumed";

// The dialect that `affirm_index` attributes belong to. It verifies that `exact` is a unit
// attribute of an index cast, `assumed` one of an exact cast, and that what is declared of the bits
// of index are numbers in range (index_layout.h).
class IndexDialect : public mlir::Dialect {
 public:
  explicit IndexDialect(mlir::MLIRContext* context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "affirm_index"; }
  llvm::LogicalResult verifyOperationAttribute(mlir::Operation* op,
                                               mlir::NamedAttribute attribute) override;
};

bool IsExact(mlir::Operation* op);
// Exact, and proved to be.
bool IsProvedExact(mlir::Operation* op);
void SetExact(mlir::Operation* op, bool proved);

// Reads `exact` on casts within the operation as an assumption. An error at an index cast with an
// attribute that no dialect has: {exakt} is refused, not ignored.
llvm::LogicalResult ReadExactAttributes(mlir::Operation* root);
// affirm-read-exact: ReadExactAttributes as a pass, which affirm-opt runs first.
std::unique_ptr<mlir::Pass> CreateReadExactPass();

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
