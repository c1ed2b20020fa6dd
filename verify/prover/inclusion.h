// Evidence that one map lies inside another, and that a map is injective: facts and goals as the
// checker of certificates has them (verify/coq/certificate/claim_checker.v).
#ifndef AFFIRM_VERIFY_PROVER_INCLUSION_H_
#define AFFIRM_VERIFY_PROVER_INCLUSION_H_

#include <cstddef>
#include <string>

#include "core/symbolic/context.h"
#include "llvm/ADT/ArrayRef.h"
#include "verify/prover/view.h"

namespace affirm::prover {

// All answers are empty where no proof was found.
//
// Proves that every result of `from` is one of `to` with the same first `outer` variables:
// `witness` has the values of the others, over the variables of `from`.
std::string ProveInclusion(const View& from, const View& to, size_t outer,
                           llvm::ArrayRef<SymbolicExpr> witness);
// Proves that `from` lies inside a union of maps with the same runtime variables and dims; the
// witnesses, and the parts of `from` that lie in different maps of the union, are searched.
std::string ProveInclusion(const View& from, llvm::ArrayRef<View> to, Context& context);
// Proves that two points with the same runtime variables and results are one.
std::string ProveInjectivity(const View& m);

}  // namespace affirm::prover

#endif  // AFFIRM_VERIFY_PROVER_INCLUSION_H_
