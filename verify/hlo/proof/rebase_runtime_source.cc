// Substitution in the index of a runtime variable's source, without the simplifications of
// core/indexing, which proofs are not to depend on.
#include "verify/hlo/proof/rebase_runtime_source.h"

#include <memory>
#include <utility>

#include "verify/maps/flattened_map.h"

namespace affirm {

Variable RebaseRuntimeVariable(const Variable& v,
                               llvm::function_ref<SymbolicExpr(VarKind, int64_t)> to,
                               const std::vector<Variable>& dims,
                               const std::vector<Variable>& ranges,
                               const std::vector<Variable>& runtime) {
  if (!v.source || !v.source->map || v.source->map->state() != IndexingMap::State::kNormal)
    return v;
  Context& context = *v.source->map->context();
  std::vector<SymbolicExpr> results;
  for (SymbolicExpr e : v.source->map->results()) results.push_back(Rename(e, context, to));
  std::vector<Variable> others;
  others.reserve(runtime.size());
  for (const Variable& other : runtime) others.push_back({other.bounds, other.name, std::nullopt});
  Variable rebased = v;
  rebased.source->map =
      std::make_shared<IndexingMap>(context, results, dims, ranges, std::move(others));
  return rebased;
}

}  // namespace affirm
