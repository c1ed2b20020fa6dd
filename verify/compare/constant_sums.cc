#include "verify/compare/constant_sums.h"

#include <cmath>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm::compare {

using terms::Kind;
using terms::Op;
using terms::Term;

std::optional<TypedScalar> ConstantSums::Computed(Term sum) {
  if (sum->kind != Kind::kApply || sum->op() != Op::kAdd || !hlo::IsFloat(sum->type))
    return std::nullopt;
  llvm::SmallVector<TypedScalar, 2> operands;
  for (Term arg : sum->args) {
    const Term constant = ConstantOf(arg);
    if (!constant) return std::nullopt;
    operands.push_back(OfBits(constant->number, constant->type));
  }
  llvm::Expected<TypedScalar> value = operations_.Apply(sum->operation, sum->type, operands);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  return std::isnan(value->value.re) ? std::nullopt : std::optional(*value);
}

Term ConstantSums::ConstantOf(Term term) {
  if (term->kind == Kind::kLiteral) return term;
  auto [known, is_new] = constants_.try_emplace(term, nullptr);
  if (!is_new) return known->second;
  const std::optional<TypedScalar> value = Computed(term);
  if (!value) return nullptr;
  return constants_[term] = scope_.pool().Literal(value->type, BitsOf(*value));
}

bool ConstantSums::HasSum(Term term) {
  auto known = has_sum_.find(term);
  if (known != has_sum_.end()) return known->second;
  const bool has =
      (term->kind == Kind::kApply && ConstantOf(term)) ||
      llvm::any_of(term->args, [&](Term arg) { return HasSum(arg); }) ||
      llvm::any_of(term->sum, [&](const terms::Monomial& m) { return HasSum(m.atom); });
  has_sum_[term] = has;
  return has;
}

Term ConstantSums::Replaced(Term value) {
  if (!HasSum(value)) return value;
  llvm::DenseMap<Term, Term> constants;
  terms::ForEachPart(value, [&](Term part) {
    if (!HasSum(part)) return terms::Visit::kPast;
    const Term constant = ConstantOf(part);
    if (constant && constant != part) constants[part] = constant;
    return constant ? terms::Visit::kPast : terms::Visit::kInto;
  });
  return scope_.Substitute(value, constants);
}

}  // namespace affirm::compare
