#include "verify/compare/fold_orders.h"

#include "llvm/ADT/DenseSet.h"
#include "verify/compare/fold_terms.h"
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

bool FoldOrders::Add(terms::Scope& scope, Term reduction, Term order) {
  if (!IsOpenInOrder(reduction)) return true;
  const Term numbered = terms::WithNumberedVariables(scope, order);
  return orders_.try_emplace(terms::WithNumberedVariables(scope, reduction), numbered)
             .first->second == numbered;
}

bool FoldOrders::AddCommon(terms::Scope& scope, Term computation, Term kernel) {
  const llvm::DenseSet<Term> open = ReductionsIn(computation);
  if (open.empty()) return true;
  const llvm::DenseSet<Term> combined = ReductionsIn(kernel);
  return llvm::all_of(
      open, [&](Term term) { return !combined.contains(term) || Add(scope, term, term); });
}

}  // namespace affirm::compare
