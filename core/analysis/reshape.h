// Reshapes as maps. Internal to core/analysis.
#ifndef AFFIRM_CORE_ANALYSIS_RESHAPE_H_
#define AFFIRM_CORE_ANALYSIS_RESHAPE_H_

#include "core/indexing/indexing_map.h"

namespace affirm::analysis {

// Sends an index of an array of sizes `from` to the index with the same row-major position in an
// array of sizes `to`, simplified. Undefined when the numbers of elements differ or leave int64.
IndexingMap ReshapeMap(Context& context, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

// Row-major position of the index `exprs` in an array of `sizes`.
SymbolicExpr Linearize(Context& context, llvm::ArrayRef<SymbolicExpr> exprs,
                       llvm::ArrayRef<int64_t> sizes);
// The index at row-major position `linear` of an array of `sizes`, for 0 <= linear < number of
// elements.
std::vector<SymbolicExpr> Delinearize(SymbolicExpr linear, llvm::ArrayRef<int64_t> sizes);

}  // namespace affirm::analysis

#endif  // AFFIRM_CORE_ANALYSIS_RESHAPE_H_
