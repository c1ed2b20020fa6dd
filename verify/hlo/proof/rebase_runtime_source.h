// The source of a runtime variable, rewritten for a map with other variables.
#ifndef AFFIRM_VERIFY_HLO_PROOF_REBASE_RUNTIME_SOURCE_H_
#define AFFIRM_VERIFY_HLO_PROOF_REBASE_RUNTIME_SOURCE_H_

#include <vector>

#include "core/indexing/indexing_map.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm {

// The runtime variable `v` for a map with the variables `dims`, `ranges` and `runtime`: the index
// into its producer is expressed in them, `to` giving the term for each variable of the old map.
// When d0 becomes d0 + 1, `rt0 = producer[d0]` becomes `rt0 = producer[d0 + 1]`. The constraints
// under which the element was read are dropped, for they do not change which element it is.
Variable RebaseRuntimeVariable(const Variable& v,
                               llvm::function_ref<SymbolicExpr(VarKind, int64_t)> to,
                               const std::vector<Variable>& dims,
                               const std::vector<Variable>& ranges,
                               const std::vector<Variable>& runtime);

}  // namespace affirm

#endif  // AFFIRM_VERIFY_HLO_PROOF_REBASE_RUNTIME_SOURCE_H_
