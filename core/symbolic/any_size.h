// Integers of any size, and the value of an expression in them.
#ifndef AFFIRM_CORE_SYMBOLIC_ANY_SIZE_H_
#define AFFIRM_CORE_SYMBOLIC_ANY_SIZE_H_

#include <cstdint>
#include <optional>

#include "core/symbolic/expr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"

namespace affirm {

using BigInt = llvm::DynamicAPInt;

// nullopt where the expression has no value: an index out of range, a division by zero or a modulus
// that is not positive. SymbolicExpr::EvaluateWide is faster where 128 bits will do.
std::optional<BigInt> EvaluateAnySize(SymbolicExpr e, llvm::ArrayRef<int64_t> dims,
                                      llvm::ArrayRef<int64_t> ranges = {},
                                      llvm::ArrayRef<int64_t> runtime = {});

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_ANY_SIZE_H_
