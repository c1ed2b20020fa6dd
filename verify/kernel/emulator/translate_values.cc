// Types as lists of scalars, constants, and the variables of the module.
#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Operator.h"
#include "verify/kernel/emulator/memory.h"
#include "verify/kernel/emulator/translate_impl.h"

namespace affirm::kernel {
namespace {

constexpr size_t kMostPieces = 4096;  // of one value
constexpr uint64_t kMostVariableBytes = uint64_t{1} << 28;

unsigned BitsOf(llvm::Type* type, const llvm::DataLayout& layout) {
  if (type->isPointerTy()) return 64;
  return static_cast<unsigned>(layout.getTypeSizeInBits(type).getFixedValue());
}

}  // namespace

std::optional<FloatKind> Translator::KindOf(llvm::Type* type) {
  type = type->getScalarType();
  if (type->isHalfTy()) return kHalf;
  if (type->isBFloatTy()) return kBFloat;
  if (type->isFloatTy()) return kFloat;
  if (type->isDoubleTy()) return kDouble;
  return std::nullopt;
}

llvm::Error Translator::Flatten(llvm::Type* type, int64_t offset,
                                llvm::SmallVectorImpl<Piece>& pieces) {
  if (pieces.size() > kMostPieces) return MakeError("a value has too many scalars");
  if (type->isVoidTy()) return llvm::Error::success();
  if (type->isPointerTy() || KindOf(type).has_value() || type->isIntegerTy()) {
    if (!type->isVectorTy()) {
      const unsigned bits = BitsOf(type, layout_);
      if (bits > 128) return MakeError("integers of more than 128 bits are not executed");
      pieces.push_back({offset, std::min(bits, 64u)});
      if (bits > 64) pieces.push_back({offset + 8, bits - 64});
      return llvm::Error::success();
    }
  }
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    llvm::Type* element = vector->getElementType();
    const unsigned bits = BitsOf(element, layout_);
    for (unsigned k = 0; k < vector->getNumElements(); ++k) {
      llvm::Error error = Flatten(element, offset + int64_t{k} * bits / 8, pieces);
      if (error) return error;
    }
    return llvm::Error::success();
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    llvm::Type* element = array->getElementType();
    const auto stride = static_cast<int64_t>(layout_.getTypeAllocSize(element).getFixedValue());
    if (array->getNumElements() > kMostPieces) return MakeError("a value has too many scalars");
    for (uint64_t k = 0; k < array->getNumElements(); ++k) {
      llvm::Error error = Flatten(element, offset + static_cast<int64_t>(k) * stride, pieces);
      if (error) return error;
    }
    return llvm::Error::success();
  }
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type); record && !record->isOpaque()) {
    const llvm::StructLayout* fields = layout_.getStructLayout(record);
    for (unsigned k = 0; k < record->getNumElements(); ++k) {
      const auto at = static_cast<int64_t>(fields->getElementOffset(k).getFixedValue());
      if (llvm::Error error = Flatten(record->getElementType(k), offset + at, pieces)) return error;
    }
    return llvm::Error::success();
  }
  return MakeError("values of this type are not executed");
}

llvm::Expected<llvm::SmallVector<Piece>> Translator::PiecesOf(llvm::Type* type) {
  llvm::SmallVector<Piece> pieces;
  if (llvm::Error error = Flatten(type, 0, pieces)) return error;
  return pieces;
}

uint32_t Translator::NewRegisters(size_t count) {
  const uint32_t first = registers_;
  registers_ += static_cast<uint32_t>(count);
  return first;
}

void Translator::Define(const llvm::Value* value, uint32_t first, size_t count) {
  Operands operands;
  for (uint32_t k = 0; k < count; ++k) operands.push_back(Register(first + k));
  Define(value, std::move(operands));
}

Operand Translator::AddConstant(Slot slot) {
  if (slot.mark == 0) {
    // DenseMap keeps the two largest keys for itself.
    auto found =
        slot.bits < ~uint64_t{1} ? plain_constants_.find(slot.bits) : plain_constants_.end();
    if (found != plain_constants_.end()) return found->second;
  }
  const Operand operand = static_cast<Operand>(program_.constants.size()) * 2 + 1;
  program_.constants.push_back(slot);
  if (slot.mark == 0 && slot.bits < ~uint64_t{1}) plain_constants_[slot.bits] = operand;
  return operand;
}

llvm::Expected<Operands> Translator::Get(const llvm::Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (constant == nullptr) {
    auto found = values_.find(value);
    if (found == values_.end()) return MakeError("an operand is not a value that is executed");
    return found->second;
  }
  auto found = constants_.find(constant);
  if (found != constants_.end()) return found->second;
  llvm::SmallVector<Slot> slots;
  if (llvm::Error error = ConstantSlots(constant, slots)) return error;
  Operands operands;
  for (const Slot& slot : slots) operands.push_back(AddConstant(slot));
  constants_[constant] = operands;
  return operands;
}

llvm::Expected<Operand> Translator::GetScalar(const llvm::Value* value) {
  auto operands = Get(value);
  if (!operands) return operands.takeError();
  if (operands->size() != 1) return MakeError("an operand is wider than 64 bits");
  return operands->front();
}

llvm::Error Translator::UnsupportedConstant(const llvm::Constant& constant) {
  return MakeError("the constant " + TextOf(constant) + " is not executed");
}

llvm::Error Translator::ConstantSlots(const llvm::Constant* constant,
                                      llvm::SmallVectorImpl<Slot>& slots) {
  auto add = [&](const llvm::APInt& bits) {
    slots.push_back({bits.extractBitsAsZExtValue(std::min(bits.getBitWidth(), 64u), 0), 0});
    if (bits.getBitWidth() > 64) {
      slots.push_back({bits.extractBitsAsZExtValue(bits.getBitWidth() - 64, 64), 0});
    }
    return llvm::Error::success();
  };
  llvm::Type* type = constant->getType();
  if (llvm::isa<llvm::UndefValue>(constant)) {  // poison too
    auto pieces = PiecesOf(type);
    if (!pieces) return pieces.takeError();
    const bool poison = llvm::isa<llvm::PoisonValue>(constant);
    slots.append(pieces->size(),
                 {0, MakeMark(poison ? kPoison : kUnspecified | kIsUndef, source_)});
    return llvm::Error::success();
  }
  if (auto* value = llvm::dyn_cast<llvm::ConstantInt>(constant); value && !type->isVectorTy()) {
    return add(value->getValue());
  }
  if (auto* value = llvm::dyn_cast<llvm::ConstantFP>(constant); value && !type->isVectorTy()) {
    return add(value->getValueAPF().bitcastToAPInt());
  }
  if (constant->isNullValue()) {
    auto pieces = PiecesOf(type);
    if (!pieces) return pieces.takeError();
    slots.append(pieces->size(), {0, 0});
    return llvm::Error::success();
  }
  if (type->isVectorTy() || type->isAggregateType()) {
    for (unsigned k = 0;; ++k) {
      const llvm::Constant* element = constant->getAggregateElement(k);
      if (element == nullptr) return llvm::Error::success();
      if (llvm::Error error = ConstantSlots(element, slots)) return error;
    }
  }
  auto address = AddressOfConstant(constant);
  if (!address) return address.takeError();
  slots.push_back(*address);
  return llvm::Error::success();
}

llvm::Expected<Slot> Translator::AddressOfConstant(const llvm::Constant* constant) {
  if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant)) {
    auto found = addresses_.find(variable);
    if (found == addresses_.end()) return UnsupportedConstant(*constant);
    return Slot{found->second, 0};
  }
  if (llvm::isa<llvm::ConstantPointerNull>(constant)) return Slot{0, 0};
  if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(constant); number != nullptr) {
    if (number->getBitWidth() <= 64) return Slot{number->getZExtValue(), 0};
  }
  auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(constant);
  if (expression == nullptr) return UnsupportedConstant(*constant);
  auto operand = [&](unsigned k) { return AddressOfConstant(expression->getOperand(k)); };
  const unsigned width = expression->getType()->isIntegerTy()
                             ? std::min(expression->getType()->getIntegerBitWidth(), 64u)
                             : 64;
  switch (expression->getOpcode()) {
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::IntToPtr:
      return operand(0);
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::Trunc: {
      auto value = operand(0);
      if (!value) return value.takeError();
      return Slot{value->bits & MaskOf(width), value->mark};
    }
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub: {
      auto a = operand(0), b = operand(1);
      if (!a || !b) {
        return llvm::joinErrors(a ? llvm::Error::success() : a.takeError(),
                                b ? llvm::Error::success() : b.takeError());
      }
      const bool add = expression->getOpcode() == llvm::Instruction::Add;
      return Slot{(add ? a->bits + b->bits : a->bits - b->bits) & MaskOf(width), 0};
    }
    case llvm::Instruction::GetElementPtr: {
      auto base = operand(0);
      if (!base) return base.takeError();
      llvm::APInt offset(64, 0);
      if (!llvm::cast<llvm::GEPOperator>(expression)->accumulateConstantOffset(layout_, offset)) {
        return UnsupportedConstant(*constant);
      }
      return Slot{base->bits + offset.getZExtValue(), base->mark};
    }
    default:
      return UnsupportedConstant(*constant);
  }
}

llvm::Expected<int64_t> Translator::ScalarsBefore(llvm::Type* type,
                                                  llvm::ArrayRef<unsigned> indices,
                                                  llvm::Type** inner) {
  int64_t before = 0;
  for (unsigned index : indices) {
    for (unsigned k = 0; k < index; ++k) {
      auto* record = llvm::dyn_cast<llvm::StructType>(type);
      auto pieces = PiecesOf(record ? record->getElementType(k) : type->getArrayElementType());
      if (!pieces) return pieces.takeError();
      before += static_cast<int64_t>(pieces->size());
    }
    auto* record = llvm::dyn_cast<llvm::StructType>(type);
    type = record ? record->getElementType(index) : type->getArrayElementType();
  }
  *inner = type;
  return before;
}

llvm::Error Translator::AddVariables() {
  auto alignment_of = [&](const llvm::GlobalVariable& global) {
    auto usual = layout_.getABITypeAlign(global.getValueType());
    return static_cast<int64_t>(global.getAlign().value_or(usual).value());
  };
  for (const llvm::GlobalVariable& global : ir_.module->globals()) {
    if (global.getName().starts_with("llvm.")) continue;
    Variable variable;
    variable.name = global.getName().str();
    variable.shared = global.getAddressSpace() == 3;
    variable.writable = variable.shared || !global.isConstant();
    const uint64_t bytes = layout_.getTypeAllocSize(global.getValueType()).getFixedValue();
    if (bytes > kMostVariableBytes) {
      return MakeError(ir_.where + ":1:1: error: @" + variable.name + " is too large");
    }
    variable.dynamic = variable.shared && global.isDeclaration() && bytes == 0;
    if (variable.dynamic) {
      // Dynamic shared memory begins at one address, whatever its variables are called.
      auto other = llvm::find_if(program_.variables, [](const Variable& v) { return v.dynamic; });
      if (other != program_.variables.end()) {
        addresses_[&global] = other->address;
        other->alignment = std::min(other->alignment, alignment_of(global));
        continue;
      }
    }
    variable.initial.assign(bytes, 0);
    llvm::Type* element = global.getValueType();
    while (element->isArrayTy()) element = element->getArrayElementType();
    variable.element_bytes =
        std::max<int64_t>(layout_.getTypeAllocSize(element).getFixedValue(), 1);
    if (variable.shared) {
      variable.unspecified.assign(bytes, 1);
    } else if (global.hasInitializer()) {
      llvm::Error error = FillVariable(global.getInitializer(), global.getValueType(), 0, variable);
      if (error) {
        return MakeError(ir_.where + ":1:1: error: @" + variable.name + ": " +
                         llvm::toString(std::move(error)));
      }
    } else if (!global.use_empty()) {
      return MakeError(ir_.where + ":1:1: error: @" + variable.name +
                       " is defined elsewhere, and what it holds is not known");
    }
    variable.alignment = alignment_of(global);
    variable.address = AddressOf(next_region_++);
    addresses_[&global] = variable.address;
    program_.variables.push_back(std::move(variable));
  }
  return llvm::Error::success();
}

llvm::Error Translator::FillVariable(const llvm::Constant* constant, llvm::Type* type,
                                     int64_t offset, Variable& variable) {
  if (constant->isNullValue()) return llvm::Error::success();
  if (auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(constant)) {
    llvm::StringRef bytes = data->getRawDataValues();
    std::copy(bytes.bytes_begin(), bytes.bytes_end(), variable.initial.begin() + offset);
    return llvm::Error::success();
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type);
      array != nullptr && !llvm::isa<llvm::UndefValue>(constant)) {
    const auto stride =
        static_cast<int64_t>(layout_.getTypeAllocSize(array->getElementType()).getFixedValue());
    for (uint64_t k = 0; k < array->getNumElements(); ++k) {
      const llvm::Constant* element = constant->getAggregateElement(static_cast<unsigned>(k));
      if (element == nullptr) return UnsupportedConstant(*constant);
      llvm::Error error = FillVariable(element, array->getElementType(),
                                       offset + static_cast<int64_t>(k) * stride, variable);
      if (error) return error;
    }
    return llvm::Error::success();
  }
  if (llvm::isa<llvm::UndefValue>(constant)) {
    variable.unspecified.resize(variable.initial.size());
    const auto bytes = static_cast<int64_t>(layout_.getTypeAllocSize(type).getFixedValue());
    std::fill_n(variable.unspecified.begin() + offset, bytes, 1);
    return llvm::Error::success();
  }
  auto pieces = PiecesOf(type);
  if (!pieces) return pieces.takeError();
  llvm::SmallVector<Slot> slots;
  if (llvm::Error error = ConstantSlots(constant, slots)) return error;
  for (auto [piece, slot] : llvm::zip_equal(*pieces, slots)) {
    WriteBytes(variable.initial.data() + offset + piece.offset, slot.bits, (piece.bits + 7) / 8);
  }
  return llvm::Error::success();
}

}  // namespace affirm::kernel
