// Poison and unspecified values (LangRef, "Poison Values", "Undefined Values").
//
// Most poison is an obligation at the instruction that would create it (a violated flag, a shift by
// the width). Poison that may lie in the untaken arm of a select is allowed to arise: the constant
// poison, and an out-of-range conversion of a float to an integer. Its terms contain one of the
// operations below. It may be moved, selected, put into vectors and frozen. Any other use, such as
// arithmetic, a branch, a store to a buffer or an address, has an obligation that is never proved,
// since simplification could hide the poison: `x - x` is 0.
//
// A value that is poison unless a condition holds, such as a shift whose amount may exceed the
// width, carries that condition (Value::sound) through operations that propagate poison. A select
// drops it if the condition holds whenever the value is selected:
//
//   s = shl i32 x, y     c = icmp ult i32 y, 32     r = select i1 c, i32 s, i32 0     // no poison
//
// Any other use of the value has the obligation that the condition holds.
//
// An unspecified value (undef, unwritten memory) may differ at each use, unless it is frozen. So an
// operation on two such values gives a new arbitrary one: `x - x` is not 0.
#include <iterator>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

Value Lifter::ScalarOf(llvm::Type* type, Unspecified kind) {
  if (type->isPointerTy()) return Value::Pointer(kNowhere, pool_.Number(0));
  may_be_unspecified_ = true;
  auto of_type = [&](hlo::PrimitiveType primitive) {
    Term term = pool_.Arbitrary(primitive);
    if (kind == Unspecified::kUndef) return term;
    const bool is_poison = kind == Unspecified::kPoison;
    return pool_.Apply(is_poison ? terms::Op::kPoison : terms::Op::kFrozen, primitive, {term});
  };
  if (type->isIntegerTy(1))
    return Value::Condition(pool_.Holds(of_type(hlo::PrimitiveType::kPred)));
  if (type->isIntegerTy(128)) {
    auto word = [&] { return pool_.IntegerOf(of_type(hlo::PrimitiveType::kS64)); };
    return Value::Wide(word(), word());
  }
  const hlo::PrimitiveType primitive = TypeOf(type);
  if (primitive != hlo::PrimitiveType::kInvalid) {
    return type->isIntegerTy() ? Value(Value::Integer(pool_.IntegerOf(of_type(primitive))))
                               : Value(Value::Data(of_type(primitive)));
  }
  if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64)
    return Fail(*now_, "an unspecified value of this type");
  // Other widths have no value type, so it is a 64-bit integer modulo 2^width.
  return Value::Integer(terms::Congruent(pool_, pool_.IntegerOf(of_type(hlo::PrimitiveType::kS64)),
                                         type->getIntegerBitWidth()));
}

uint8_t Lifter::MarksOf(Term term) {
  auto [it, fresh] = marks_.try_emplace(term, 0);
  if (!fresh) return it->second;
  uint8_t marks = 0;
  const bool named = term->kind == terms::Kind::kApply;
  if (named && term->op() == terms::Op::kFrozen) return 0;
  if (named && (term->op() == terms::Op::kPoison || terms::IsConversionInRange(term->op())))
    marks |= kMayBePoison;
  if (term->kind == terms::Kind::kArbitrary) marks |= kMayVary;
  for (const terms::Monomial& m : term->sum) marks |= MarksOf(m.atom);
  for (Term arg : term->args) marks |= MarksOf(arg);
  return marks_[term] = marks;
}

uint8_t Lifter::MarksOf(const Value& value) {
  if (!may_be_unspecified_) return 0;
  auto of_term = [&](const auto& content) { return MarksOf(content.term); };
  return value.Visit(Visitor{
      [](const Value::None&) -> uint8_t { return 0; },
      [&](const Value::Integer& integer) { return of_term(integer); },
      [&](const Value::Condition& condition) { return of_term(condition); },
      [&](const Value::Wide& wide) -> uint8_t { return MarksOf(wide.low) | MarksOf(wide.high); },
      [&](const Value::Data& data) { return of_term(data); },
      [&](const Value::Pointer& pointer) { return MarksOf(pointer.offset); },
      [&](const Value::List& list) {
        uint8_t marks = 0;
        for (const Value& part : list.parts) marks |= MarksOf(part);
        return marks;
      }});
}

void Lifter::ObligeNoPoison(const Value& value) {
  if ((MarksOf(value) & kMayBePoison) != 0) {
    Unproved(Obligation::Claim::kIntegers, "nothing is poison",
             "what a float gives beyond the integer's range, or the constant");
  }
}

Value Lifter::Combined(llvm::ArrayRef<Value> operands, const Value& result, llvm::Type* type) {
  return NumVarying(operands) > 1 ? ArbitraryOf(type) : result;
}

int64_t Lifter::NumVarying(llvm::ArrayRef<Value> values) {
  return llvm::count_if(values,
                        [&](const Value& value) { return (MarksOf(value) & kMayVary) != 0; });
}

Value Lifter::WithoutPoison(const Value& value) {
  if (!may_be_unsound_) return value;
  if (auto list = value.As<Value::List>()) {
    std::vector<Value> parts;
    for (const Value& part : list->parts) parts.push_back(WithoutPoison(part));
    return llvm::equal(parts, list->parts) ? value : ListOf(parts);
  }
  const Term condition = value.sound();
  if (!condition) return value;
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
  return value.WithSound(nullptr);
}

Value Lifter::WhereSound(llvm::ArrayRef<Term> sound, llvm::Type* type,
                         llvm::function_ref<Value()> compute) {
  std::vector<Term> conditions;
  llvm::copy_if(sound, std::back_inserter(conditions), [](Term term) { return term != nullptr; });
  if (conditions.empty()) return compute();
  may_be_unsound_ = true;
  Term condition = pool_.And(conditions);
  const size_t saved = scope_.Save();
  // If the condition cannot hold, the value is poison, and any value will do.
  Value value =
      scope_.Assume(condition) ? compute() : ConstantValue(llvm::Constant::getNullValue(type));
  scope_.Restore(saved);
  if (failed()) return {};
  if (value.Is<Value::List>()) return Fail(*now_, "poison in parts");
  return value.WithSound(value.sound() ? pool_.And({condition, value.sound()}) : condition);
}

Value Lifter::ChooseSound(const Value& condition, const Value& a, const Value& b,
                          llvm::Type* type) {
  // The condition under which `side` selects no poison; True if that is proved.
  auto where = [&](Term side, Term sound) {
    if (!sound) return pool_.True();
    const size_t saved = scope_.Save();
    const bool holds = !scope_.Assume(side) || Proves(scope_, sound);
    scope_.Restore(saved);
    return holds ? pool_.True() : pool_.Or({pool_.Not(side), sound});
  };
  const Value by = condition.WithSound(nullptr), x = a.WithSound(nullptr), y = b.WithSound(nullptr);
  return WhereSound({condition.sound()}, type, [&]() -> Value {
    Term chooses = RequireCondition(by);
    if (failed()) return {};
    // If the select's condition may vary at each use, so may its result.
    Value chosen = Combined({by, x}, Combined({by, y}, Choose(chooses, x, y), type), type);
    Term sound = pool_.And({where(chooses, a.sound()), where(pool_.Not(chooses), b.sound())});
    return sound == pool_.True() ? chosen : chosen.WithSound(sound);
  });
}

Value Lifter::Frozen(const Value& value, llvm::Type* type) {
  return MarksOf(value) != 0 ? UnspecifiedOf(type, Unspecified::kFrozen) : value;
}

}  // namespace affirm::kernel
