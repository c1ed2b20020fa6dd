// Poison and unspecified values that the terms of an operation could hide.
//
// Most of LLVM's poison is an obligation where it would arise (a flag that does not hold, a shift
// by the width). What may lie in an arm of a choice that is not taken is allowed to arise: the
// constant poison, and what a conversion gives of a float beyond its integer's range. Its terms
// hold an operation of one of the names below. It may be moved, chosen, put into vectors and
// frozen; who operates on it, branches on it, stores it in a buffer or takes it for an address has
// an obligation that nothing proves, since `x - x` would be a 0 that hides it.
//
// What is poison where a condition does not hold, as a shift whose amount is not known to be below
// the width, carries the condition with it (Value::sound) through operations on registers, which
// give poison of poison. A choice drops it where the condition holds whenever the value is chosen:
//
//   s = shl i32 x, y     c = icmp ult i32 y, 32     r = select i1 c, i32 s, i32 0     // no poison
//
// Everybody else who takes the value has the obligation that the condition holds.
//
// An unspecified value (undef, memory that nobody wrote) may be another one at each use, unless it
// is frozen. An operation on two such values gives a new one: `x - x` is none that is known.
#include <iterator>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/lift/lifter.h"

namespace affirm::kernel {

namespace {

constexpr const char* kPoison = "poison";
constexpr const char* kFrozen = "frozen";
constexpr uint8_t kMayBePoison = 1, kMayVary = 2;

}  // namespace

Value Lifter::ScalarOf(llvm::Type* type, Unspecified kind) {
  if (type->isPointerTy()) return Value::Pointer(kNowhere, pool_.Number(0));
  auto primitive = type->isIntegerTy(1) ? hlo::PrimitiveType::kPred : TypeOf(type);
  const bool known = primitive != hlo::PrimitiveType::kInvalid;
  if (!known && kind == Unspecified::kPoison)
    Unproved(Obligation::Claim::kIntegers, "nothing is poison", "of a type without terms");
  if (!known && type->isIntegerTy()) return Value::Integer(pool_.Unknown(terms::kAnything));
  may_be_unspecified_ = true;
  Term term = pool_.Arbitrary(primitive);
  if (kind != Unspecified::kUndef)
    term = pool_.Apply(kind == Unspecified::kPoison ? kPoison : kFrozen, primitive, {term});
  if (type->isIntegerTy(1)) return Value::Condition(pool_.Holds(term));
  return type->isIntegerTy() ? Value::Integer(pool_.IntegerOf(term)) : Value::Data(term);
}

uint8_t Lifter::MarksOf(Term term) {
  auto [it, fresh] = marks_.try_emplace(term, 0);
  if (!fresh) return it->second;
  uint8_t marks = 0;
  const bool named = term->kind == terms::Kind::kApply;
  if (named && term->name == kFrozen) return 0;
  if (named && (term->name == kPoison || term->name.starts_with("convert-in-range")))
    marks |= kMayBePoison;
  if (term->kind == terms::Kind::kArbitrary) marks |= kMayVary;
  for (const terms::Monomial& m : term->sum) marks |= MarksOf(m.atom);
  for (Term arg : term->args) marks |= MarksOf(arg);
  return marks_[term] = marks;
}

uint8_t Lifter::MarksOf(const Value& value) {
  if (!may_be_unspecified_) return 0;
  if (value.kind != Value::Kind::kList) return value.term ? MarksOf(value.term) : 0;
  uint8_t marks = 0;
  for (const Value& part : value.list()) marks |= MarksOf(part);
  return marks;
}

void Lifter::ObligeNoPoison(const Value& value) {
  if ((MarksOf(value) & kMayBePoison) != 0) {
    Unproved(Obligation::Claim::kIntegers, "nothing is poison",
             "what a float gives beyond the integer's range, or the constant");
  }
}

Value Lifter::Combined(const Value& a, const Value& b, const Value& result, llvm::Type* type) {
  const bool vary = (MarksOf(a) & MarksOf(b) & kMayVary) != 0;
  return vary ? ArbitraryOf(type) : result;
}

Value Lifter::WithoutPoison(const Value& value) {
  if (!may_be_unsound_) return value;
  if (value.kind == Value::Kind::kList) {
    std::vector<Value> parts;
    for (const Value& part : value.list()) parts.push_back(WithoutPoison(part));
    return llvm::equal(parts, value.list()) ? value : ListOf(parts);
  }
  if (!value.sound) return value;
  const Term condition = value.sound;
  constexpr const char* kWhat = "nothing is poison";
  bool holds = Proves(scope_, condition);
  if (!holds && options_.holds_at_all_values) {
    const auto [at, is_new] = sound_.try_emplace(condition, false);
    if (is_new) at->second = options_.holds_at_all_values(condition);
    holds = at->second;
  }
  if (holds)
    Met(Obligation::Claim::kIntegers, kWhat);
  else
    Oblige(Obligation::Claim::kIntegers, kWhat, condition);
  Value sound = value;
  sound.sound = nullptr;
  return sound;
}

Value Lifter::WhereSound(llvm::ArrayRef<Term> sound, llvm::Type* type,
                         llvm::function_ref<Value()> compute) {
  std::vector<Term> conditions;
  llvm::copy_if(sound, std::back_inserter(conditions), [](Term term) { return term != nullptr; });
  if (conditions.empty()) return compute();
  may_be_unsound_ = true;
  Term condition = pool_.And(conditions);
  const size_t saved = scope_.Save();
  // Where it is never so, any value will do.
  Value value =
      scope_.Assume(condition) ? compute() : ConstantValue(llvm::Constant::getNullValue(type));
  scope_.Restore(saved);
  if (failed()) return {};
  if (value.kind == Value::Kind::kList) return Fail(*now_, "poison in parts");
  value.sound = value.sound ? pool_.And({condition, value.sound}) : condition;
  return value;
}

Value Lifter::ChooseSound(const Value& condition, const Value& a, const Value& b,
                          llvm::Type* type) {
  auto bare = [](Value value) {
    value.sound = nullptr;
    return value;
  };
  // What must hold where the value is chosen; true where it does.
  auto where = [&](Term side, Term sound) {
    if (!sound) return pool_.True();
    const size_t saved = scope_.Save();
    const bool holds = !scope_.Assume(side) || Proves(scope_, sound);
    scope_.Restore(saved);
    return holds ? pool_.True() : pool_.Or({pool_.Not(side), sound});
  };
  const Value by = bare(condition), x = bare(a), y = bare(b);
  return WhereSound({condition.sound}, type, [&] {
    // Where what is chosen by varies, so does what is chosen of it.
    Value chosen = Combined(by, x, Combined(by, y, Choose(by.term, x, y), type), type);
    Term sound = pool_.And({where(by.term, a.sound), where(pool_.Not(by.term), b.sound)});
    if (sound != pool_.True()) chosen.sound = sound;
    return chosen;
  });
}

Value Lifter::Frozen(const Value& value, llvm::Type* type) {
  return MarksOf(value) != 0 ? UnspecifiedOf(type, Unspecified::kFrozen) : value;
}

}  // namespace affirm::kernel
