// The value of terms and formulas at a point, exactly. The last word on every counterexample.
#ifndef AFFIRM_VERIFY_DECIDE_EVALUATE_H_
#define AFFIRM_VERIFY_DECIDE_EVALUATE_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "verify/decide/formula.h"
#include "verify/decide/linear_form.h"

namespace affirm {

// The value of a term over Dim(k) where Dim(k) = point[k], of any size; nullopt where it has none.
std::optional<BigInt> EvaluateTerm(SymbolicExpr e, llvm::ArrayRef<int64_t> point);

// Whether the claim of `query` holds where its free variables have the values in `point`.
// Quantifiers are enumerated over the bounds of what they bind. nullopt when a term without a value
// matters, or past `limit` evaluations of a quantified formula.
std::optional<bool> EvaluateClaim(const SolverQuery& query, llvm::ArrayRef<int64_t> point,
                                  int64_t limit);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_DECIDE_EVALUATE_H_
