#include "verify/compare/fold_orders.h"

#include <string>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "verify/compare/fold_terms.h"
#include "verify/terms/fold_laws.h"
#include "verify/terms/query.h"

namespace affirm::compare {

using terms::Kind;
using terms::Term;

namespace {

bool IsRounded(Term term) {
  return IsReduction(term) && terms::RoundsInOrder(term->op(), term->type);
}

Term WithNumberedVariables(terms::Scope& scope, Term reduction) {
  terms::Pool& pool = scope.pool();
  if (reduction->kind != Kind::kFold) {
    if (!IsReduction(reduction)) return reduction;
    std::vector<Term> args = reduction->args;
    for (Term& arg : args) arg = WithNumberedVariables(scope, arg);
    return pool.WithArgs(reduction, args);
  }
  llvm::DenseMap<Term, Term> numbered;
  std::vector<Term> variables;
  for (Term v : reduction->args.drop_front(2)) {
    variables.push_back(pool.Variable("order" + std::to_string(variables.size()), v->range));
    numbered[v] = variables.back();
  }
  return pool.Fold(reduction->operation, scope.Substitute(reduction->args[0], numbered),
                   scope.Substitute(reduction->args[1], numbered), variables);
}

// The reductions in the term whose order counts.
llvm::DenseSet<Term> ReductionsIn(Term root) {
  llvm::DenseSet<Term> found;
  terms::ForEachPart(root, [&](Term term) {
    if (IsRounded(term)) found.insert(term);
    return terms::Visit::kInto;
  });
  return found;
}

}  // namespace

bool FoldOrders::Add(terms::Scope& scope, Term reduction, Term order) {
  if (!IsRounded(reduction)) return true;
  const Term numbered = WithNumberedVariables(scope, order);
  return orders_.try_emplace(WithNumberedVariables(scope, reduction), numbered).first->second ==
         numbered;
}

bool FoldOrders::AddCommon(terms::Scope& scope, Term computation, Term kernel) {
  const llvm::DenseSet<Term> open = ReductionsIn(computation);
  if (open.empty()) return true;
  const llvm::DenseSet<Term> combined = ReductionsIn(kernel);
  return llvm::all_of(
      open, [&](Term term) { return !combined.contains(term) || Add(scope, term, term); });
}

}  // namespace affirm::compare
