// Bits of values, and elements of buffers.
#include "verify/kernel/lift/lifter.h"
#include "verify/terms/machine.h"
#include "verify/terms/operations.h"
#include "verify/terms/small_floats.h"

namespace affirm::kernel {

namespace {

using hlo::PrimitiveType;

int64_t WidthOf(const Scalar& scalar) { return scalar.size * 8; }

}  // namespace

Term Lifter::BitsOf(const Value& value, llvm::Type* type) {
  if (type->isIntegerTy(1)) return BitAsInteger(RequireCondition(value));
  if (!type->isFloatingPointTy()) return RequireInteger(value);
  auto width = static_cast<int64_t>(type->getPrimitiveSizeInBits().getFixedValue());
  Term term = RequireData(value, type);
  if (failed()) return pool_.Unknown(terms::kAnything);
  return pool_.IntegerOf(terms::WithBits(pool_, term, terms::IntegerType(width)));
}

Value Lifter::FromBits(Term bits, llvm::Type* type) {
  if (type->isIntegerTy(1)) return Value::Condition(ConditionOf(bits));
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) return Value::Integer(bits);
  auto width = static_cast<int64_t>(type->getPrimitiveSizeInBits().getFixedValue());
  auto integer = terms::IntegerType(width);
  auto target = TypeOf(type);
  if (integer == PrimitiveType::kInvalid || target == PrimitiveType::kInvalid)
    return Fail(*now_, "bits of this type");
  if (target == PrimitiveType::kF32) {
    Term in_range = pool_.IntegerOf(pool_.OfInteger(bits, integer));
    if (Term widened = terms::ConversionFromBFloat(pool_, in_range)) return Value::Data(widened);
    if (Term widened = terms::ConversionFromSmall(scope_, bits)) return Value::Data(widened);
  }
  return Value::Data(terms::WithBits(pool_, pool_.OfInteger(bits, integer), target));
}

int64_t Lifter::ElementBytes(const Param& param) {
  return IsPacked(param) ? 0 : hlo::ByteWidth(param.shape.type);
}

Value Lifter::FromElement(Term element, PrimitiveType type, int64_t offset, const Scalar& scalar) {
  if (hlo::IsComplex(type)) {
    PrimitiveType part = PartType(type);
    int64_t size = hlo::ByteWidth(part);
    Term real = terms::RealPart(pool_, element), imaginary = terms::ImaginaryPart(pool_, element);
    if (offset % size + scalar.size <= size)
      return FromElement(offset < size ? real : imaginary, part, offset % size, scalar);
    if (size > 4) {
      auto word = [&](Term of) {
        return pool_.IntegerOf(terms::WithBits(pool_, of, PrimitiveType::kS64));
      };
      if (!scalar.type->isIntegerTy(128)) return Fail(*now_, "a complex number of this type");
      return Value::Wide(word(real), word(imaginary));
    }
    Term low = pool_.IntegerOf(terms::WithBits(pool_, real, PrimitiveType::kS32));
    Term high = pool_.IntegerOf(terms::WithBits(pool_, imaginary, PrimitiveType::kS32));
    return FromBits(pool_.Add(terms::Unsigned(scope_, low, 32), pool_.Scale(high, Int128{1} << 32)),
                    scalar.type);
  }
  int64_t size = hlo::ByteWidth(type), width = hlo::BitWidth(type);
  if (scalar.size == size && TypeOf(scalar.type) == type && !hlo::IsInt(type))
    return Value::Data(element);
  Term bits;
  if (type == PrimitiveType::kPred) {
    bits = pool_.IntegerOf(element);
  } else {
    bits = pool_.IntegerOf(terms::WithBits(pool_, element, terms::IntegerType(width)));
    if (width < 8) {
      // The padding bits of the byte are unspecified, but the same at each read.
      Term rest = pool_.Apply(terms::Op::kBitsBeyond, PrimitiveType::kS8, {element});
      bits = pool_.Add(bits, pool_.Scale(pool_.IntegerOf(rest), Int128{1} << width));
    }
  }
  if (scalar.size == size) return FromBits(bits, scalar.type);
  Term shifted =
      scope_.Quotient(terms::Unsigned(scope_, bits, size * 8), Int128{1} << (offset * 8));
  return FromBits(terms::Congruent(pool_, shifted, WidthOf(scalar)), scalar.type);
}

Value Lifter::LoadScalar(const Memory& memory, Term offset, const Scalar& scalar) {
  PrimitiveType type = memory.param->shape.type;
  int64_t size = ElementBytes(*memory.param);
  if (size == 0) return LoadPacked(memory, offset, scalar);
  Term at = pool_.Add(offset, pool_.Number(scalar.offset));
  Term element = scope_.Quotient(at, size);
  Term residue = pool_.Subtract(at, pool_.Scale(element, size));
  terms::Range rest = scope_.RangeOf(residue);
  bool apart = !rest.single() || (scalar.size <= size ? rest.lo + scalar.size > size
                                                      : rest.lo != 0 || scalar.size % size != 0);
  if (apart) {
    Unproved(Obligation::Claim::kBounds, "the access lies in elements", "");
    return ArbitraryOf(scalar.type);
  }
  auto load = [&](Term which) { return pool_.Load(memory.initial, which, terms::TermType(type)); };
  if (scalar.size <= size)
    return FromElement(load(element), type, static_cast<int64_t>(rest.lo), scalar);
  // Loads several elements as one integer.
  if (scalar.size > 8) return Fail(*now_, "a scalar of more than 64 bits");
  Term bits = pool_.Number(0);
  llvm::Type* of_element =
      llvm::IntegerType::get(ir_.module->getContext(), static_cast<unsigned>(size * 8));
  for (int64_t k = 0; k * size < scalar.size; ++k) {
    Term part = BitsOf(
        FromElement(load(pool_.Add(element, pool_.Number(k))), type, 0, {of_element, 0, size}),
        of_element);
    if (failed()) return {};
    bits = pool_.Add(
        bits, pool_.Scale(terms::Unsigned(scope_, part, size * 8), Int128{1} << (k * size * 8)));
  }
  return FromBits(bits, scalar.type);
}

Term Lifter::ToElement(llvm::ArrayRef<std::pair<Scalar, Value>> scalars, PrimitiveType type) {
  if (scalars.size() == 1 && !hlo::IsInt(type) && TypeOf(scalars[0].first.type) == type)
    return RequireData(scalars[0].second, scalars[0].first.type);
  if (hlo::IsComplex(type) && scalars.size() == 2) {
    PrimitiveType part = PartType(type);
    return terms::ComplexOf(pool_, ToElement(scalars[0], part), ToElement(scalars[1], part), type);
  }
  if (type == PrimitiveType::kC128 && scalars[0].first.type->isIntegerTy(128)) {
    auto part = [&](Term word) {
      return terms::WithBits(pool_, pool_.OfInteger(word, PrimitiveType::kS64),
                             PrimitiveType::kF64);
    };
    const auto [low, high] = RequireWide(scalars[0].second);
    return terms::ComplexOf(pool_, part(low), part(high), type);
  }
  int64_t base = scalars[0].first.offset, size = hlo::ByteWidth(type);
  Term bits = pool_.Number(0);
  for (const auto& [scalar, value] : scalars) {
    Term part = BitsOf(value, scalar.type);
    if (failed()) return nullptr;
    if (scalars.size() > 1) {
      part = pool_.Scale(terms::Unsigned(scope_, part, WidthOf(scalar)),
                         Int128{1} << ((scalar.offset - base) * 8));
    }
    bits = pool_.Add(bits, part);
  }
  if (type == PrimitiveType::kPred) {
    ObligeInside("a predicate is 0 or 1 in memory", terms::Unsigned(scope_, bits, 8), 0, 1);
    return pool_.OfCondition(ConditionOf(bits));
  }
  if (hlo::IsComplex(type)) {
    if (size > 8) {
      Fail(*now_, "a complex number of 128 bits as one integer");
      return nullptr;
    }
    auto part = [&](Term of) {
      return terms::WithBits(pool_, pool_.OfInteger(of, PrimitiveType::kS32), PrimitiveType::kF32);
    };
    Term high = scope_.Quotient(terms::Unsigned(scope_, bits, 64), Int128{1} << 32);
    return terms::ComplexOf(pool_, part(bits), part(high), type);
  }
  const int64_t width = hlo::BitWidth(type);
  Term element = terms::WithBits(pool_, pool_.OfInteger(bits, terms::IntegerType(width)),
                                 terms::TermType(type));
  // A copied byte of a narrow integer keeps the element, with the same padding bits.
  if (hlo::IsInt(type) && width < 8) {
    llvm::Type* byte = llvm::Type::getInt8Ty(ir_.module->getContext());
    constexpr const char* kWhat = "a narrow integer is what its byte is";
    if (FromElement(element, type, 0, {byte, 0, 1}) == Value(Value::Integer(bits))) return element;
    const Int128 half = Int128{1} << (width - 1);
    if (hlo::IsSignedInt(type))
      ObligeInside(kWhat, terms::Signed(scope_, bits, 8), -half, half - 1);
    else
      ObligeInside(kWhat, terms::Unsigned(scope_, bits, 8), 0, 2 * half - 1);
  }
  return element;
}

Value Lifter::FromCells(llvm::ArrayRef<Cell> cells, const Scalar& scalar) {
  if (cells.empty()) return ArbitraryOf(scalar.type);
  const Cell& first = cells[0];
  if (cells.size() == 1 && first.type == scalar.type && first.offset == scalar.offset)
    return first.value;
  // Extracting bits would hide that other bits are poison, or that two values vary independently.
  llvm::SmallVector<Value, 4> values;
  for (const Cell& cell : cells) values.push_back(cell.value);
  for (const Value& value : values) ObligeNoPoison(value);
  if (NumVarying(values) > 1) return ArbitraryOf(scalar.type);
  if (scalar.size > 8 || first.size > 8) return Fail(*now_, "bits of more than 64 bits");
  for (const Cell& cell : cells) {
    if (cell.value.Is<Value::Pointer>()) return Fail(*now_, "bits of a pointer");
  }
  if (cells.size() == 1) {
    Term bits = BitsOf(first.value, first.type);
    int64_t from = scalar.offset - first.offset;
    if (from > 0) {
      bits =
          scope_.Quotient(terms::Unsigned(scope_, bits, first.size * 8), Int128{1} << (from * 8));
    }
    return FromBits(terms::Congruent(pool_, bits, WidthOf(scalar)), scalar.type);
  }
  if (first.offset != scalar.offset ||
      cells.back().offset + cells.back().size != scalar.offset + scalar.size) {
    return Fail(*now_, "parts of several values");
  }
  Term bits = pool_.Number(0);
  for (const Cell& cell : cells) {
    Term part = terms::Unsigned(scope_, BitsOf(cell.value, cell.type), cell.size * 8);
    bits = pool_.Add(bits, pool_.Scale(part, Int128{1} << ((cell.offset - scalar.offset) * 8)));
  }
  return FromBits(terms::Congruent(pool_, bits, WidthOf(scalar)), scalar.type);
}

}  // namespace affirm::kernel
