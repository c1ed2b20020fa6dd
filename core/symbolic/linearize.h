// Positions of array elements in row-major order, as expressions.
//
// In an array of sizes {4, 8, 2}:
//   Linearize({d0, d1, d2}) = d0 * 16 + d1 * 2 + d2
//   Delinearize(x)          = {x floordiv 16, (x floordiv 2) mod 8, x mod 2}
#ifndef AFFIRM_CORE_SYMBOLIC_LINEARIZE_H_
#define AFFIRM_CORE_SYMBOLIC_LINEARIZE_H_

#include <cstdint>
#include <vector>

#include "core/symbolic/context.h"
#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm {

// The row-major position of the element with this index in an array of `sizes`. A coordinate along
// a dimension of size one is 0 and does not occur.
SymbolicExpr Linearize(Context& context, llvm::ArrayRef<SymbolicExpr> index,
                       llvm::ArrayRef<int64_t> sizes);

// The index of the element at the row-major position `linear` of an array of `sizes`, provided that
// 0 <= linear < the number of elements. Along a dimension of size one it is the constant 0; the
// most major of the other coordinates needs no mod.
std::vector<SymbolicExpr> Delinearize(SymbolicExpr linear, llvm::ArrayRef<int64_t> sizes);

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_LINEARIZE_H_
