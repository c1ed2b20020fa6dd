// The width of `index` in a kernel, by proof (docs/machine-integers.md).
//
// The width is declared in the module's data layout (index_layout.h), and what holds at that width
// is written on the operations: nsw and nuw on sums and products, an unsigned division where
// nothing is negative, `affirm_index.exact` (exact_casts.h) on casts.
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
  // Counts of what was written: operations with nsw or nuw, divisions that became unsigned, exact
  // casts.
  int64_t no_wrap = 0, unsigned_divisions = 0, exact_casts = 0;
  int64_t assumed_casts = 0;  // casts that are exact because a user says so
};

struct DeclareIndexWidthOptions {
  // Asked for: this width, or these bounds. Must be what the module declares, where it does.
  std::optional<IndexWidthBounds> wanted = std::nullopt;
  // Fail where something is not proved at a width below 64 that was asked for or is declared;
  // otherwise it stays without a flag, and the rest is written.
  bool require_proof = true;
  // Write the width into the data layout, which has none. Otherwise what holds at the width that is
  // wanted, at the declared one or else at any width, is written on the operations alone.
  bool update_layout = true;
};

// Takes the width that is wanted, or what is declared already, or else (where the layout may be
// updated) 32 bits where everything is proved at 32 bits and 64 bits where not. Declares it, and
// writes what is proved on the operations. An error is at the module or at the operation.
llvm::FailureOr<IndexWidthReport> DeclareIndexWidth(mlir::ModuleOp module,
                                                    const DeclareIndexWidthOptions& options = {});

// Proves again what the module says of its index arithmetic: each nsw, nuw and exact, and every
// unsigned operation, at the declared width; where none is declared, at every width. An error at
// what is not proved, and a remark at an exact cast that is an assumption.
llvm::LogicalResult VerifyIndexProofs(mlir::ModuleOp module);

// affirm-declare-index-width{width=N least=N most=N require-proof=BOOL update-dlti=BOOL} (the
// options of DeclareIndexWidth, but that proof is not required), affirm-verify-index-proofs and
// affirm-fold-exact-casts as passes, and the same under these names in text.
std::unique_ptr<mlir::Pass> CreateDeclareIndexWidthPass();
std::unique_ptr<mlir::Pass> CreateVerifyIndexProofsPass();
void RegisterIndexWidthPasses();

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_INDEX_WIDTH_H_
