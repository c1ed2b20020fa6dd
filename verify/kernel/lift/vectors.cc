// Vectors and aggregates.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"

namespace affirm::kernel {

using Op = llvm::Instruction;

namespace {

// The list with another value at a place inside it.
Value Replaced(const Value& list, llvm::ArrayRef<unsigned> place, const Value& value,
               llvm::function_ref<Value(llvm::ArrayRef<Value>)> list_of) {
  if (place.empty()) return value;
  std::vector<Value> parts(list.list().begin(), list.list().end());
  parts[place[0]] = Replaced(parts[place[0]], place.drop_front(), value, list_of);
  return list_of(parts);
}

}  // namespace

Value Lifter::Vector(const llvm::Instruction& i, const LiftFrame& frame) {
  Value a = Get(frame, i.getOperand(0));
  if (failed()) return {};
  auto list_of = [&](llvm::ArrayRef<Value> values) { return ListOf(values); };
  // The number of an element; out of range is poison.
  auto index_of = [&](unsigned k) -> std::optional<unsigned> {
    Term index = Get(frame, i.getOperand(k)).term;
    if (failed() || !index->IsNumber()) {
      Fail(i, "an element whose number is not known");
      return std::nullopt;
    }
    auto size = static_cast<Int128>(a.list().size());
    if (index->number < 0 || index->number >= size) {
      Fail(i, "an element that the vector does not have");
      return std::nullopt;
    }
    return static_cast<unsigned>(index->number);
  };
  switch (i.getOpcode()) {
    case Op::ExtractElement: {
      auto index = index_of(1);
      return index ? a.list()[*index] : Value{};
    }
    case Op::InsertElement: {
      auto index = index_of(2);
      Value value = Get(frame, i.getOperand(1));
      return index && !failed() ? Replaced(a, {*index}, value, list_of) : Value{};
    }
    case Op::ExtractValue: {
      for (unsigned index : llvm::cast<llvm::ExtractValueInst>(i).indices()) a = a.list()[index];
      return a;
    }
    case Op::InsertValue: {
      Value value = Get(frame, i.getOperand(1));
      if (failed()) return {};
      return Replaced(a, llvm::cast<llvm::InsertValueInst>(i).getIndices(), value, list_of);
    }
    default: {
      Value b = Get(frame, i.getOperand(1));
      return failed() ? Value{} : ShuffleVector(llvm::cast<llvm::ShuffleVectorInst>(i), a, b);
    }
  }
}

Value Lifter::ShuffleVector(const llvm::ShuffleVectorInst& i, const Value& a, const Value& b) {
  std::vector<Value> parts;
  int size = static_cast<int>(a.list().size());
  for (int k : i.getShuffleMask()) {
    if (k < 0) {
      parts.push_back(UnspecifiedOf(i.getType()->getScalarType(), Unspecified::kPoison));
    } else {
      parts.push_back(k < size ? a.list()[k] : b.list()[k - size]);
    }
  }
  return ListOf(parts);
}

}  // namespace affirm::kernel
