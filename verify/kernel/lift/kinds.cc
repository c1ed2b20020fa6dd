// The content of values by kind and type. A value of another kind makes the lift unknown at the
// instruction that reads it. The returned term is then arbitrary, so a caller that continues until
// it checks failed() computes no wrong result.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

Term Lifter::RequireInteger(const Value& value) {
  if (auto integer = WithoutPoison(value).As<Value::Integer>()) return integer->term;
  Fail(*now_, "a value that is no integer of 2 to 64 bits");
  return pool_.Unknown(terms::kAnything);
}

Term Lifter::RequireCondition(const Value& value) {
  if (auto condition = WithoutPoison(value).As<Value::Condition>()) return condition->term;
  Fail(*now_, "a value that is no bit");
  return pool_.Holds(pool_.Arbitrary(hlo::PrimitiveType::kPred));
}

Term Lifter::RequireData(const Value& value, llvm::Type* type) {
  auto data = WithoutPoison(value).As<Value::Data>();
  const hlo::PrimitiveType primitive = TypeOf(type);
  if (data && primitive != hlo::PrimitiveType::kInvalid && data->term->type == primitive)
    return data->term;
  Fail(*now_, "a value that is no float of its type");
  return pool_.Arbitrary(hlo::PrimitiveType::kF32);
}

Value::Wide Lifter::RequireWide(const Value& value) {
  if (auto wide = WithoutPoison(value).As<Value::Wide>()) return *wide;
  Fail(*now_, "a value that is no integer of 128 bits");
  return {pool_.Unknown(terms::kAnything), pool_.Unknown(terms::kAnything)};
}

Value::Pointer Lifter::RequirePointer(const Value& value) {
  if (auto pointer = WithoutPoison(value).As<Value::Pointer>()) return *pointer;
  Fail(*now_, "a value that is no pointer");
  return {kNowhere, pool_.Unknown(terms::kAnything)};
}

llvm::ArrayRef<Value> Lifter::RequireParts(const Value& value, uint64_t count) {
  auto list = value.As<Value::List>();
  if (list && list->parts.size() == count) return list->parts;
  Fail(*now_, "a value that is no list of its length");
  return ListOf(std::vector<Value>(count)).As<Value::List>()->parts;
}

Term Lifter::SignedOf(const Value& value, llvm::Type* type) {
  if (type->isIntegerTy(1)) return pool_.Scale(BitAsInteger(RequireCondition(value)), -1);
  const Term term = RequireInteger(value);
  if (failed() || !IsWord(type)) return term;
  return terms::Signed(scope_, term, type->getIntegerBitWidth());
}

Term Lifter::UnsignedOf(const Value& value, llvm::Type* type) {
  if (type->isIntegerTy(1)) return BitAsInteger(RequireCondition(value));
  const Term term = RequireInteger(value);
  if (failed() || !IsWord(type)) return term;
  return terms::Unsigned(scope_, term, type->getIntegerBitWidth());
}

bool Lifter::IsWord(llvm::Type* type) {
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) return true;
  Fail(*now_, "an integer of more than 64 bits, or none");
  return false;
}

Term Lifter::BitAsInteger(Term condition) { return pool_.IntegerOf(pool_.OfCondition(condition)); }

bool Lifter::IsOfType(const Value& value, llvm::Type* type) {
  auto are_of_types = [&](llvm::ArrayRef<Value> parts, uint64_t count, auto&& type_of) {
    if (parts.size() != count) return false;
    for (unsigned k = 0; k < count; ++k) {
      if (!IsOfType(parts[k], type_of(k))) return false;
    }
    return true;
  };
  return value.Visit(
      Visitor{[](const Value::None&) { return false; },
              [&](const Value::Integer&) {
                return type->isIntegerTy() && type->getIntegerBitWidth() > 1 &&
                       type->getIntegerBitWidth() <= 64;
              },
              [&](const Value::Condition&) { return type->isIntegerTy(1); },
              [&](const Value::Wide&) { return type->isIntegerTy(128); },
              [&](const Value::Data& data) {
                return type->isFloatingPointTy() && data.term->type == TypeOf(type);
              },
              [&](const Value::Pointer&) { return type->isPointerTy(); },
              [&](const Value::List& list) {
                if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
                  return are_of_types(list.parts, vector->getNumElements(),
                                      [&](unsigned) { return vector->getElementType(); });
                }
                if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
                  return are_of_types(list.parts, array->getNumElements(),
                                      [&](unsigned) { return array->getElementType(); });
                }
                auto* structure = llvm::dyn_cast<llvm::StructType>(type);
                return structure != nullptr &&
                       are_of_types(list.parts, structure->getNumElements(),
                                    [&](unsigned k) { return structure->getElementType(k); });
              }});
}

}  // namespace affirm::kernel
