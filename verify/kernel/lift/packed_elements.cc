// Sub-byte elements, packed from the lowest bits up. Byte b of an array of s4 is the integer
//
//   unsigned(element[2 * b]) + 16 * unsigned(element[2 * b + 1])
//
// from which kernels extract an element by a shift.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"

namespace affirm::kernel {

using terms::Int128;
using terms::Term;

namespace {

// The number of elements in a scalar; 0 if it is not an integer of whole bytes.
int64_t ElementsIn(const Scalar& scalar, int64_t width) {
  const bool whole = scalar.type->isIntegerTy(static_cast<unsigned>(scalar.size * 8));
  return whole && scalar.size <= 8 ? scalar.size * 8 / width : 0;
}

}  // namespace

Value Lifter::LoadPacked(const Memory& memory, Term offset, const Scalar& scalar) {
  offset = pool_.Add(offset, pool_.Number(scalar.offset));
  if (!memory.written) return PackedBytes(memory, memory.initial, offset, scalar);
  // Earlier stores would have to be merged into the byte. Only a single in-order thread is
  // supported, which writes a byte back with one element changed.
  if (!ir_.in_order || launch_.NumBlocks() != 1)
    return Fail(*now_, "a load of packed elements that the kernel writes");
  return PackedBytes(memory, KeptNumber(memory), offset, scalar);
}

int64_t Lifter::KeptNumber(const Memory& memory) const {
  constexpr int64_t kKept = -(int64_t{1} << 44), kMostBuffers = int64_t{1} << 13;
  return kKept - packed_stores_ * kMostBuffers - memory.buffer;
}

Value Lifter::PackedBytes(const Memory& memory, int64_t of, Term offset, const Scalar& scalar) {
  const hlo::PrimitiveType type = memory.param->shape.type;
  const int64_t width = hlo::BitWidth(type), count = ElementsIn(scalar, width);
  if (count == 0) return Fail(*now_, "packed elements that are no integer");
  Term first = pool_.Scale(offset, 8 / width), bits = pool_.Number(0);
  for (int64_t k = 0; k < count; ++k) {
    Term element = pool_.Load(of, pool_.Add(first, pool_.Number(k)), terms::TermType(type));
    Term part = pool_.IntegerOf(terms::WithBits(pool_, element, terms::IntegerType(width)));
    bits = pool_.Add(bits,
                     pool_.Scale(terms::Unsigned(scope_, part, width), Int128{1} << (k * width)));
  }
  return FromBits(bits, scalar.type);
}

void Lifter::StorePacked(LiftThread& thread, const Memory& memory, Term offset,
                         const Scalar& scalar, const Value& value) {
  const hlo::PrimitiveType type = memory.param->shape.type;
  const int64_t width = hlo::BitWidth(type), count = ElementsIn(scalar, width);
  if (count == 0) {
    Fail(*now_, "packed elements that are no integer");
    return;
  }
  const int64_t kept = KeptNumber(memory);
  ++packed_stores_;
  Term bits = BitsOf(value, scalar.type);
  if (failed()) return;
  const bool puts_back = terms::AnyPart(
      bits, [&](Term part) { return part->kind == terms::Kind::kLoad && part->number == kept; });
  if (puts_back) {
    offset = pool_.Add(offset, pool_.Number(scalar.offset));
    return SwapPacked(thread, memory, kept, offset, scalar, value);
  }
  // Padding bits of the last byte are arbitrary.
  const int64_t elements = memory.param->shape.NumElements();
  Term first = pool_.Scale(pool_.Add(offset, pool_.Number(scalar.offset)), 8 / width);
  bits = terms::Unsigned(scope_, bits, scalar.size * 8);
  for (int64_t k = 0; k < count && !failed(); ++k) {
    Term element = pool_.Add(first, pool_.Number(k));
    const std::optional<bool> exists =
        Decide(pool_.AtLeastZero(pool_.Subtract(pool_.Number(elements - 1), element)));
    if (!exists) Fail(*now_, "a store of packed elements, some of which may not exist");
    if (exists != true) continue;
    Term part = terms::Congruent(pool_, scope_.Quotient(bits, Int128{1} << (k * width)), width);
    Term stored = terms::WithBits(pool_, pool_.OfInteger(part, terms::IntegerType(width)),
                                  terms::TermType(type));
    AddEffect(thread, {.kind = Effect::Kind::kStore,
                       .buffer = memory.buffer,
                       .element = element,
                       .value = stored});
  }
}

llvm::Type* BytesOfPackedVector(llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector || !vector->getElementType()->isIntegerTy()) return nullptr;
  const unsigned width = vector->getScalarSizeInBits(), bits = width * vector->getNumElements();
  if (width % 8 == 0 || bits % 8 != 0 || bits > 64) return nullptr;
  return llvm::IntegerType::get(type->getContext(), bits);
}

Value Lifter::Unpacked(const Value& bytes, llvm::Type* vector) {
  if (failed()) return {};
  auto* type = llvm::cast<llvm::FixedVectorType>(vector);
  const int64_t width = type->getScalarSizeInBits();
  Term bits =
      UnsignedOf(bytes, llvm::IntegerType::get(type->getContext(), width * type->getNumElements()));
  if (failed()) return {};
  std::vector<Value> parts;
  for (unsigned k = 0; k < type->getNumElements(); ++k) {
    Term part = scope_.Quotient(bits, Int128{1} << (k * width));
    parts.push_back(FromBits(terms::Congruent(pool_, part, width), type->getElementType()));
  }
  return ListOf(parts);
}

// Packs a vector into one integer, which is poison if any element is.
Value Lifter::Packed(const Value& vector, llvm::Type* type) {
  auto* of = llvm::cast<llvm::FixedVectorType>(type);
  const int64_t width = of->getScalarSizeInBits();
  llvm::SmallVector<Value, 4> values;
  Flatten(type, vector, values);
  if (NumVarying(values) > 1) return ArbitraryOf(BytesOfPackedVector(type));
  Term bits = pool_.Number(0);
  for (auto [k, value] : llvm::enumerate(values)) {
    ObligeNoPoison(value);
    if (failed()) return {};
    Term part = UnsignedOf(value, of->getElementType());
    bits = pool_.Add(bits, pool_.Scale(part, Int128{1} << (static_cast<int64_t>(k) * width)));
  }
  return Value::Integer(bits);
}

// Shifts a byte by an amount that depends on indices alone: a pick among the few amounts, so that
// each arm simplifies to the extracted element.
Value Lifter::ShiftOfByte(const llvm::Instruction& i, Term byte, Term by) {
  constexpr int64_t kWidth = 8, kMost = 4;
  Term amount = terms::Unsigned(scope_, by, kWidth);
  bool of_data = false;
  terms::ForEachPart(amount, [&](Term part) {
    of_data = of_data || part->sort() == terms::Sort::kValue;
    return of_data ? terms::Visit::kStop : terms::Visit::kInto;
  });
  std::vector<int64_t> amounts;
  for (int64_t k = 0; k < kWidth && !of_data; ++k) {
    if (Decide(pool_.Equal(amount, pool_.Number(k))) != false) amounts.push_back(k);
  }
  if (amounts.size() < 2 || amounts.size() > kMost) return IntegerOperation(i, byte, by, kWidth);
  auto shifted = [&](int64_t k) {
    return RequireInteger(IntegerOperation(i, byte, pool_.Number(k), kWidth));
  };
  Term result = shifted(amounts[0]);
  for (int64_t k : llvm::ArrayRef(amounts).drop_front()) {
    if (failed()) return {};
    result = scope_.Pick(pool_.Equal(amount, pool_.Number(k)), shifted(k), result);
  }
  return failed() ? Value{} : Value(Value::Integer(result));
}

}  // namespace affirm::kernel
