// Vectors and aggregates.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

using llvm::Instruction;

// Replaces the part at an index path.
Value Lifter::Replaced(const Value& whole, llvm::ArrayRef<unsigned> place, const Value& part) {
  if (place.empty()) return part;
  auto list = whole.As<Value::List>();
  if (!list || place[0] >= list->parts.size()) return Fail(*now_, "a place that is in no list");
  std::vector<Value> parts(list->parts.begin(), list->parts.end());
  parts[place[0]] = Replaced(parts[place[0]], place.drop_front(), part);
  return failed() ? Value{} : ListOf(parts);
}

// The part of a value at an index path.
Value Lifter::PartAt(Value whole, llvm::ArrayRef<unsigned> place) {
  for (unsigned index : place) {
    auto list = whole.As<Value::List>();
    if (!list || index >= list->parts.size()) return Fail(*now_, "a place that is in no list");
    whole = list->parts[index];
  }
  return whole;
}

// The constant index of an element. An index out of bounds gives poison.
std::optional<unsigned> Lifter::ElementNumber(const LiftFrame& frame, const llvm::Value* operand) {
  Term index = UnsignedOf(Get(frame, operand), operand->getType());
  if (failed()) return std::nullopt;
  if (!index->IsNumber()) {
    Fail(*now_, "an element whose number is not known");
    return std::nullopt;
  }
  constexpr Int128 kMostElements = int64_t{1} << 31;
  if (index->number < 0 || index->number >= kMostElements) {
    Fail(*now_, "an element that the vector does not have");
    return std::nullopt;
  }
  return static_cast<unsigned>(index->number);
}

Value Lifter::Vector(const llvm::Instruction& i, const LiftFrame& frame) {
  Value a = Get(frame, i.getOperand(0));
  if (failed()) return {};
  switch (i.getOpcode()) {
    case Instruction::ExtractElement: {
      auto index = ElementNumber(frame, i.getOperand(1));
      return index ? PartAt(a, {*index}) : Value{};
    }
    case Instruction::InsertElement: {
      auto index = ElementNumber(frame, i.getOperand(2));
      Value value = Get(frame, i.getOperand(1));
      return index && !failed() ? Replaced(a, {*index}, value) : Value{};
    }
    case Instruction::ExtractValue:
      return PartAt(a, llvm::cast<llvm::ExtractValueInst>(i).getIndices());
    case Instruction::InsertValue: {
      Value value = Get(frame, i.getOperand(1));
      return failed() ? Value{}
                      : Replaced(a, llvm::cast<llvm::InsertValueInst>(i).getIndices(), value);
    }
    case Instruction::ShuffleVector: {
      Value b = Get(frame, i.getOperand(1));
      return failed() ? Value{} : ShuffleVector(llvm::cast<llvm::ShuffleVectorInst>(i), a, b);
    }
    default:
      return Fail(i, "an instruction of this kind");
  }
}

Value Lifter::ShuffleVector(const llvm::ShuffleVectorInst& i, const Value& a, const Value& b) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(i.getOperand(0)->getType());
  if (!type) return Fail(i, "a vector whose length is not known");
  const unsigned size = type->getNumElements();
  const llvm::ArrayRef<Value> left = RequireParts(a, size), right = RequireParts(b, size);
  std::vector<Value> parts;
  for (int k : i.getShuffleMask()) {
    if (k < 0) {
      parts.push_back(UnspecifiedOf(type->getElementType(), Unspecified::kPoison));
    } else {
      const auto from = static_cast<unsigned>(k);
      parts.push_back(from < size ? left[from] : right[from - size]);
    }
  }
  return failed() ? Value{} : ListOf(parts);
}

}  // namespace affirm::kernel
