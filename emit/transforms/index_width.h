// The width of `index` in a kernel, by proof (docs/machine-integers.md).
//
// The width is declared in the module's data layout (DLTI):
//   module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>}
// or, where only bounds are known,
//   #dlti.dl_spec<"affirm_index.least" = 32 : i32, "affirm_index.most" = 64 : i32>
// and what holds at that width is written on the operations: nsw and nuw on sums and products, an
// unsigned division where nothing is negative, `affirm_index.exact` (exact_casts.h) on casts.
#ifndef AFFIRM_EMIT_TRANSFORMS_INDEX_WIDTH_H_
#define AFFIRM_EMIT_TRANSFORMS_INDEX_WIDTH_H_

#include <memory>
#include <optional>
#include <string>

#include "emit/transforms/index_analysis.h"
#include "mlir/Pass/Pass.h"

namespace affirm::emit {

struct IndexWidthReport {
  IndexWidthBounds width = {};
  // Every operation on index values is proved at that width.
  bool proved = false;
  // Why 32 bits, which are tried first, do not suffice, or what is not proved at the width.
  std::string refusal = {};
  // What was written: operations with nsw or nuw, divisions that became unsigned, exact casts.
  int64_t no_wrap = 0, unsigned_divisions = 0, exact_casts = 0;
};

// The width (or bounds) that the module declares; nullopt when it declares none.
std::optional<IndexWidthBounds> DeclaredIndexWidth(mlir::ModuleOp module);

// Adds the declaration to the module's data layout, which has none.
void SetDeclaredIndexWidth(mlir::ModuleOp module, IndexWidthBounds width);

// Declares `wanted`, or what is declared already, or else 32 bits where everything is proved at 32
// bits and 64 bits where not; then writes what is proved on the operations. Fails, with an error at
// the operation, when a width below 64 was asked for and is not proved.
llvm::FailureOr<IndexWidthReport> DeclareIndexWidth(
    mlir::ModuleOp module, std::optional<IndexWidthBounds> wanted = std::nullopt);

// Proves again what the module says of its index arithmetic: each nsw, nuw and exact, and every
// unsigned operation. An error at what is not proved.
llvm::LogicalResult VerifyIndexProofs(mlir::ModuleOp module);

// affirm-declare-index-width{width=N least=N most=N}, affirm-verify-index-proofs and
// affirm-fold-exact-casts as passes, and the same under these names in text.
std::unique_ptr<mlir::Pass> CreateDeclareIndexWidthPass();
std::unique_ptr<mlir::Pass> CreateVerifyIndexProofsPass();
void RegisterIndexWidthPasses();

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_INDEX_WIDTH_H_
