#include "verify/compare/fold_orders.h"

#include "llvm/ADT/DenseSet.h"
#include "verify/compare/fold_terms.h"
#include "verify/compare/one_order.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/query.h"

namespace affirm::compare {

using terms::Kind;
using terms::Term;

bool IsOpenInOrder(Term term) {
  return IsReduction(term) && terms::RoundsInOrder(term->op(), term->type);
}

namespace {

// The reductions in the term whose order counts.
llvm::DenseSet<Term> ReductionsIn(Term root) {
  llvm::DenseSet<Term> found;
  terms::ForEachPart(root, [&](Term term) {
    if (IsOpenInOrder(term)) found.insert(term);
    return terms::Visit::kInto;
  });
  return found;
}

}  // namespace

bool FoldOrders::Add(terms::Scope& scope, Term reduction, Term order, Holds holds) {
  if (!IsOpenInOrder(reduction)) return true;
  const Term form = terms::WithNumberedVariables(scope, reduction);
  const Term numbered = terms::WithNumberedVariables(scope, order);
  const auto [known, is_new] = orders_.try_emplace(form, numbered);
  if (known->second != numbered) return false;
  // Loops as those of the reduction are one order.
  return !is_new || form == numbered || IsDeterminedBy(scope, order, reduction, holds);
}

bool FoldOrders::AddCommon(terms::Scope& scope, Term computation, Term kernel, Holds holds) {
  const llvm::DenseSet<Term> open = ReductionsIn(computation);
  if (open.empty()) return true;
  const llvm::DenseSet<Term> combined = ReductionsIn(kernel);
  return llvm::all_of(
      open, [&](Term term) { return !combined.contains(term) || Add(scope, term, term, holds); });
}

}  // namespace affirm::compare
