#include "verify/compare/term_parts.h"

#include "verify/compare/fold_terms.h"
#include "verify/terms/fold_laws.h"

namespace affirm::compare {

using terms::Term;

void TermParts::Add(const TermParts& more) {
  operations |= more.operations;
  functions.Add(more.functions);
  open_zero_sign |= more.open_zero_sign;
  rounded_reduction |= more.rounded_reduction;
}

const TermParts& TermPartsMemo::Of(Term root) {
  if (auto found = known_.find(root); found != known_.end()) return found->second;
  TermParts parts;
  parts.operations.set(static_cast<size_t>(root->op()));
  parts.functions = FunctionOfDevice(root);
  parts.open_zero_sign = root->op() == terms::Op::kOpenZeroSign;
  parts.rounded_reduction = IsReduction(root) && terms::RoundsInOrder(root->op(), root->type);
  for (Term arg : root->args) parts.Add(Of(arg));
  for (const terms::Monomial& m : root->sum) parts.Add(Of(m.atom));
  return known_.insert_or_assign(root, parts).first->second;
}

}  // namespace affirm::compare
