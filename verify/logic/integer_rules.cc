// Rules about integers, and values of integer types.
#include <cmath>

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "verify/logic/inference.h"

namespace affirm::logic {

using terms::Int128;
using terms::Kind;
using terms::Sort;
using terms::Term;

namespace {

bool AreIntegers(Term a, Term b) {
  return a->sort() == Sort::kInteger && b->sort() == Sort::kInteger;
}

bool IsNumber(Term term, Int128 number) { return term->IsNumber() && term->number == number; }

bool IsNan(Term term) {
  return term->kind == Kind::kLiteral && hlo::IsFloat(term->type) &&
         std::isnan(hlo::DecodeFloat(term->type, static_cast<uint64_t>(term->number)));
}

}  // namespace

// Sound under overflow: a sum that overflows 128 bits is an unknown integer, never the number 0.
Inference::Result Inference::Linear(Term a, Term b, llvm::ArrayRef<Theorem> premises,
                                    llvm::ArrayRef<Int128> multipliers) {
  if (!AreIntegers(a, b) || premises.size() != multipliers.size()) return std::nullopt;
  Term rest = pool_.Subtract(a, b);
  Facts facts;
  Oracles oracles;
  for (const auto& [premise, multiplier] : llvm::zip_equal(premises, multipliers)) {
    if (!AreIntegers(premise.left(), premise.right())) return std::nullopt;
    const Term difference = pool_.Subtract(premise.left(), premise.right());
    rest = pool_.Subtract(rest, pool_.Scale(difference, multiplier));
    facts = facts.Join(premise.facts());
    oracles.Add(premise.oracles());
  }
  if (!IsNumber(rest, 0)) return std::nullopt;
  return Make(std::move(facts), a, b, Equality::kBits, oracles);
}

Inference::Result Inference::FromDifference(const Theorem& zero, Term a, Term b) {
  if (!AreIntegers(a, b) || !zero.States(pool_.Equal(a, b))) return std::nullopt;
  return Make(zero.facts(), a, b, Equality::kBits, zero.oracles());
}

Inference::Result Inference::FromIntegers(const Theorem& integers, Term a, Term b) {
  const bool hold_integers = a->sort() == Sort::kValue && b->sort() == Sort::kValue &&
                             a->type == b->type && terms::IntegerWidth(a->type) > 0;
  if (!hold_integers || !integers.States(pool_.IntegerOf(a), pool_.IntegerOf(b)))
    return std::nullopt;
  return Make(integers.facts(), a, b, Equality::kBits, integers.oracles());
}

Inference::Result Inference::Modulo(Term a, Term b) {
  if (a->kind != Kind::kOfInteger || b->kind != Kind::kOfInteger || a->type != b->type)
    return std::nullopt;
  const Term difference = pool_.OfInteger(pool_.Subtract(a->args[0], b->args[0]), a->type);
  if (difference->kind != Kind::kOfInteger || !IsNumber(difference->args[0], 0))
    return std::nullopt;
  return Make({}, a, b, Equality::kBits, {});
}

Inference::Result Inference::PredicateAsInteger(Term predicate) {
  if (predicate->sort() != Sort::kValue || predicate->type != hlo::PrimitiveType::kPred)
    return std::nullopt;
  const Term is_one = pool_.Equal(pool_.IntegerOf(predicate), pool_.Number(1));
  return Make({}, is_one, pool_.Holds(predicate), Equality::kBits, {});
}

Inference::Result Inference::NansAreOne(Term a, Term b) {
  if (!IsNan(a) || !IsNan(b) || a->type != b->type) return std::nullopt;
  return Make({}, a, b, a == b ? Equality::kBits : Equality::kNansAreOne, {});
}

}  // namespace affirm::logic
