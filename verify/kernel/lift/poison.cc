// Poison that the terms of an operation could hide.
//
// Most of LLVM's poison is an obligation where it would arise (a flag that does not hold, a shift
// by the width). What may lie in an arm of a choice that is not taken is allowed to arise: the
// constant poison, and what a conversion gives of a float beyond its integer's range. Its terms
// hold an operation of one of the names below. It may be moved, chosen, put into vectors and
// frozen; who operates on it, branches on it, stores it in a buffer or takes it for an address has
// an obligation that nothing proves, since `x - x` would be a 0 that hides it.
#include "verify/kernel/lift/lifter.h"

namespace affirm::kernel {

namespace {

constexpr const char* kPoison = "poison";

bool IsSource(Term term) {
  return term->kind == terms::Kind::kApply &&
         (term->name == kPoison || term->name.starts_with("convert-in-range"));
}

}  // namespace

Value Lifter::PoisonOf(llvm::Type* type) {
  auto primitive = type->isIntegerTy(1) ? hlo::PrimitiveType::kPred : TypeOf(type);
  if (primitive == hlo::PrimitiveType::kInvalid) {
    if (!type->isPointerTy())  // which is nowhere
      Unproved(Obligation::Claim::kIntegers, "nothing is poison", "of a type without terms");
    return ArbitraryOf(type);
  }
  may_have_poison_ = true;
  Term term = pool_.Apply(kPoison, primitive, {pool_.Arbitrary(primitive)});
  if (type->isIntegerTy(1)) return Value::Condition(pool_.Holds(term));
  return type->isIntegerTy() ? Value::Integer(pool_.IntegerOf(term)) : Value::Data(term);
}

bool Lifter::MayBePoison(Term term) {
  auto [it, fresh] = poison_.try_emplace(term, false);
  if (!fresh) return it->second;
  bool found = IsSource(term);
  for (const terms::Monomial& m : term->sum) found = found || MayBePoison(m.atom);
  for (Term arg : term->args) found = found || MayBePoison(arg);
  return poison_[term] = found;
}

bool Lifter::MayBePoison(const Value& value) {
  if (!may_have_poison_) return false;
  if (value.kind == Value::Kind::kList)
    return llvm::any_of(value.list(), [&](const Value& part) { return MayBePoison(part); });
  return value.term && MayBePoison(value.term);
}

void Lifter::ObligeNoPoison(const Value& value) {
  if (MayBePoison(value)) {
    Unproved(Obligation::Claim::kIntegers, "nothing is poison",
             "what a float gives beyond the integer's range, or the constant");
  }
}

}  // namespace affirm::kernel
