// Values of operands and constants.
#include "llvm/IR/Constants.h"

#include "llvm/IR/GlobalVariable.h"
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

namespace {

// The most scalars of a vector, an array or a structure in a register.
constexpr uint64_t kMostScalars = 4096;

// The number of scalars in the type, saturating above kMostScalars.
uint64_t ScalarsIn(llvm::Type* type) {
  auto times = [](uint64_t count, llvm::Type* part) {
    const uint64_t each = count == 0 ? 0 : ScalarsIn(part);
    return each == 0 ? 0 : std::min(count, kMostScalars + 1) * each;
  };
  uint64_t count = 1;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    count = vector->getNumElements();
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    count = times(array->getNumElements(), array->getElementType());
  } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    count = 0;
    for (llvm::Type* part : structure->elements())
      count = std::min(count + ScalarsIn(part), kMostScalars + 1);
  }
  return std::min(count, kMostScalars + 1);
}

}  // namespace

hlo::PrimitiveType Lifter::TypeOf(llvm::Type* type) {
  if (type->isIntegerTy()) return terms::IntegerType(type->getIntegerBitWidth());
  if (type->isHalfTy()) return hlo::PrimitiveType::kF16;
  if (type->isBFloatTy()) return hlo::PrimitiveType::kBF16;
  if (type->isFloatTy()) return hlo::PrimitiveType::kF32;
  if (type->isDoubleTy()) return hlo::PrimitiveType::kF64;
  return hlo::PrimitiveType::kInvalid;
}

Value Lifter::ListOf(llvm::ArrayRef<Value> values) {
  Value* copy = lists_.Allocate<Value>(values.size());
  std::uninitialized_copy(values.begin(), values.end(), copy);
  return Value::List{llvm::ArrayRef<Value>(copy, values.size())};
}

bool Lifter::IsSmall(llvm::Type* type) {
  if (ScalarsIn(type) <= kMostScalars) return true;
  Fail(*now_, "an aggregate of more than 4096 scalars");
  return false;
}

Value Lifter::ArbitraryOf(llvm::Type* type) { return UnspecifiedOf(type, Unspecified::kUndef); }

Value Lifter::UnspecifiedOf(llvm::Type* type, Unspecified kind) {
  if (!IsSmall(type)) return {};
  std::vector<Value> parts;
  auto add = [&](llvm::Type* of, uint64_t count) {
    for (uint64_t i = 0; i < count && !failed(); ++i) parts.push_back(UnspecifiedOf(of, kind));
  };
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    add(vector->getElementType(), vector->getNumElements());
  else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    add(array->getElementType(), array->getNumElements());
  else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type))
    for (llvm::Type* part : structure->elements()) add(part, 1);
  else
    return ScalarOf(type, kind);
  return failed() ? Value{} : ListOf(parts);
}

Value Lifter::Get(const LiftFrame& frame, const llvm::Value* value) {
  return WithoutPoison(GetAny(frame, value));
}

Value Lifter::GetAny(const LiftFrame& frame, const llvm::Value* value) {
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return ConstantValue(constant);
  auto found = frame.function->numbers.find(value);
  if (found == frame.function->numbers.end()) return Fail(*now_, "an operand that is no register");
  const Value& held = frame.registers[found->second];
  return held.Is<Value::None>() ? Fail(*now_, "an operand whose value is not known") : held;
}

// undef and poison are new values at each use, so they are not memoized.
Value Lifter::ConstantValue(const llvm::Constant* constant) {
  if (llvm::isa<llvm::UndefValue>(constant))
    return UnspecifiedOf(constant->getType(), llvm::isa<llvm::PoisonValue>(constant)
                                                  ? Unspecified::kPoison
                                                  : Unspecified::kUndef);
  auto found = constants_.find(constant);
  if (found != constants_.end()) return found->second;
  Value value = MakeConstant(constant);
  if (!constant->containsUndefOrPoisonElement()) constants_[constant] = value;
  return value;
}

Value Lifter::MakeConstant(const llvm::Constant* constant) {
  llvm::Type* type = constant->getType();
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(constant);
      integer && type->isIntegerTy()) {
    if (type->isIntegerTy(1))
      return Value::Condition(integer->isOne() ? pool_.True() : pool_.False());
    if (type->isIntegerTy(128)) {
      auto word = [&](unsigned from) {
        return pool_.Number(integer->getValue().extractBits(64, from).getSExtValue());
      };
      return Value::Wide(word(0), word(64));
    }
    if (type->getIntegerBitWidth() > 64) return Fail(*now_, "an integer of more than 64 bits");
    return Value::Integer(pool_.Number(integer->getSExtValue()));
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(constant);
      number && !type->isVectorTy()) {
    auto primitive = TypeOf(type);
    if (primitive == hlo::PrimitiveType::kInvalid) return Fail(*now_, "a float of this type");
    return Value::Data(
        pool_.Literal(primitive, number->getValueAPF().bitcastToAPInt().getZExtValue()));
  }
  if (type->isPointerTy()) return ConstantPointer(constant);
  if (const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(constant);
      cast && cast->getOpcode() == llvm::Instruction::PtrToInt && type->isIntegerTy(32) &&
      cast->getOperand(0)->getType()->getPointerAddressSpace() == 3) {
    return AddressAsInteger(ConstantValue(cast->getOperand(0)));
  }
  uint64_t count = 0;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    count = vector->getNumElements();
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    count = array->getNumElements();
  } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    count = structure->getNumElements();
  }
  if (!IsSmall(type)) return {};
  std::vector<Value> parts;
  for (unsigned i = 0; i < count && !failed(); ++i) {
    const llvm::Constant* part = constant->getAggregateElement(i);
    if (!part) break;
    parts.push_back(ConstantValue(part));
  }
  if (count == 0 || parts.size() != count) return Fail(*now_, "a constant of this kind");
  return ListOf(parts);
}

Value Lifter::ConstantPointer(const llvm::Constant* constant) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
    auto found = variables_.find(variable);
    if (found == variables_.end())
      return Fail(*now_, "a global variable that is neither shared nor constant");
    return Value::Pointer(found->second, pool_.Number(0));
  }
  if (constant->isNullValue()) return Value::Pointer(kNowhere, pool_.Number(0));
  const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(constant);
  if (!expression) return Fail(*now_, "a pointer of this kind");
  if (expression->getOpcode() == llvm::Instruction::AddrSpaceCast)
    return ConstantValue(expression->getOperand(0));
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(expression)) {
    std::vector<Value> indices;
    for (const llvm::Use& index : gep->indices())
      indices.push_back(ConstantValue(llvm::cast<llvm::Constant>(index.get())));
    return Address(*gep, ConstantValue(llvm::cast<llvm::Constant>(gep->getPointerOperand())),
                   indices);
  }
  return Fail(*now_, "a pointer of this kind");
}

}  // namespace affirm::kernel
