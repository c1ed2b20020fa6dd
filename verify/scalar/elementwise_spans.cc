// Elementwise ops on spans: loops over the functions of single elements, by element type.
#include <algorithm>
#include <limits>

#include "core/hlo/float_format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "verify/scalar/elementwise_compare.h"
#include "verify/scalar/elementwise_convert.h"
#include "verify/scalar/elementwise_rows.h"

namespace affirm::hlo {
namespace {

using enum PrimitiveType;
using TypeList = llvm::SmallVector<PrimitiveType, 3>;

// Elements that are held in another form at a time; they stay in the first cache.
constexpr int64_t kChunk = 256;

bool IsNarrowFloat(PrimitiveType type) { return IsFloat(type) && BitWidth(type) < 32; }

PrimitiveType WidenNarrow(PrimitiveType type) { return IsNarrowFloat(type) ? kF32 : type; }

// The integer as which Put() takes what a function gives.
auto ForPut(int64_t x) { return static_cast<uint64_t>(x); }
auto ForPut(auto x) { return x; }

// Calls body(first, count) for chunks of `count` elements.
template <typename Body>
void ForEachChunk(int64_t count, Body body) {
  for (int64_t first = 0; first < count; first += kChunk)
    body(first, std::min(kChunk, count - first));
}

using FloatChunk = std::array<float, kChunk>;

void Decode(PrimitiveType type, const uint8_t* elements, int64_t count, FloatChunk& values) {
  const int width = ByteWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits = elements[i * width];
    if (width == 2) std::memcpy(&bits, elements + 2 * i, sizeof(bits));
    values[i] = static_cast<float>(DecodeFloat(type, bits));
  }
}

void Encode(PrimitiveType type, const FloatChunk& values, int64_t count, uint8_t* elements) {
  const int width = ByteWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint16_t>(EncodeFloat(type, values[i]));
    elements[i * width] = static_cast<uint8_t>(bits);
    if (width == 2) std::memcpy(elements + 2 * i, &bits, sizeof(bits));
  }
}

// An op some of whose types are floats narrower than f32, from `op` on f32 in their place.
SpanOp ThroughF32(TypeList from, PrimitiveType to, SpanOp op) {
  return [=](const uint8_t* const* operands, uint8_t* result, int64_t count) {
    std::array<FloatChunk, 3> values;
    FloatChunk computed;
    ForEachChunk(count, [&](int64_t first, int64_t size) {
      std::array<const uint8_t*, 3> pointers;
      for (size_t k = 0; k < from.size(); ++k) {
        pointers[k] = operands[k] + first * ByteWidth(from[k]);
        if (!IsNarrowFloat(from[k])) continue;
        Decode(from[k], pointers[k], size, values[k]);
        pointers[k] = reinterpret_cast<const uint8_t*>(values[k].data());
      }
      uint8_t* out = result + first * ByteWidth(to);
      if (!IsNarrowFloat(to)) return op(pointers.data(), out, size);
      op(pointers.data(), reinterpret_cast<uint8_t*>(computed.data()), size);
      Encode(to, computed, size, out);
    });
  };
}

// Element for element, where there is no loop.
SpanOp FromScalarOp(const TypeList& from, PrimitiveType to, const ScalarOp& op) {
  llvm::SmallVector<Literal, 3> boxes;
  for (PrimitiveType type : from) boxes.emplace_back(Shape::Array(type, {}));
  return [=, box = Literal(Shape::Array(to, {}))](const uint8_t* const* operands, uint8_t* result,
                                                  int64_t count) mutable {
    std::array<Scalar, 3> elements;
    for (int64_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < boxes.size(); ++k) {
        const size_t width = boxes[k].bytes().size();
        std::copy_n(operands[k] + i * width, width, boxes[k].data());
        elements[k] = Load(boxes[k], 0);
      }
      Store(box, 0, op(elements.data()));
      std::copy_n(box.data(), box.bytes().size(), result + i * box.bytes().size());
    }
  };
}

SpanOp TableSpan(Opcode opcode, PrimitiveType type) {
  if (const auto* row = FindUnary(opcode)) return row->LoopOf(type);
  if (const auto* row = FindBinary(opcode)) return row->LoopOf(type);
  return nullptr;
}

SpanOp CompareSpan(const Attributes& attributes, PrimitiveType type) {
  Comparison comparison = *Comparison::Find(attributes.comparison_direction);
  comparison.total_order = attributes.comparison_type == "TOTALORDER";
  return ForType(StoredTypes(), type, [&](auto t) {
    static constexpr PrimitiveType kType = t;
    return SpanOf<kPred, kType, kType>([comparison](auto a, auto b) -> uint64_t {
      if constexpr (kIsStoredAsInt<kType>) return comparison.Holds(a, b, StorageFor<kType>::kInt);
      return comparison.Holds(a, b);
    });
  });
}

SpanOp SelectSpan(PrimitiveType type) {
  return ForType(StoredTypes(), type, [](auto t) {
    return SpanOf<t(), kPred, t(), t()>(
        [](int64_t on_true, auto a, auto b) { return ForPut(on_true != 0 ? a : b); });
  });
}

SpanOp ClampSpan(PrimitiveType type) {
  const SpanOp maximum = TableSpan(Opcode::kMaximum, type);
  const SpanOp minimum = TableSpan(Opcode::kMinimum, type);
  return [=](const uint8_t* const* operands, uint8_t* result, int64_t count) {
    const std::array<const uint8_t*, 2> raised = {operands[1], operands[0]};
    const std::array<const uint8_t*, 2> lowered = {result, operands[2]};
    maximum(raised.data(), result, count);
    minimum(lowered.data(), result, count);
  };
}

SpanOp IsFiniteSpan(PrimitiveType type) {
  return ForType(Types<kF32, kF64>(), type, [](auto t) {
    return SpanOf<kPred, t()>([](auto x) -> uint64_t { return std::isfinite(x); });
  });
}

// Bits in the order of the numbers that they are, of which the first is the sign. NaNs are compared
// as they lie in memory: the ones that signal are below those that do not (IEEE 754, 5.10). A NaN
// whose bits are those of -0.0 elsewhere is below all numbers.
template <typename Bits>
SpanOp TotalOrderSpan(const Comparison& comparison, bool nan_is_minus_zero) {
  constexpr Bits kLowest = std::numeric_limits<Bits>::min();
  return [=](const uint8_t* const* operands, uint8_t* result, int64_t count) {
    const auto key = [=](const uint8_t* elements, int64_t i) -> int64_t {
      const auto bits = At<Bits>(elements, i);
      if (nan_is_minus_zero && bits == kLowest) return std::numeric_limits<int64_t>::min();
      return bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits;
    };
    for (int64_t i = 0; i < count; ++i)
      result[i] = comparison.Holds(key(operands[0], i), key(operands[1], i), IntType());
  };
}

// The total order of floats; null for another comparison. The bits of f8e8m0fnu have no sign, and
// those of f4e2m1fn leave half of the byte.
SpanOp TotalOrderSpanOf(const Instruction& instruction, PrimitiveType type) {
  const Attributes& attributes = instruction.attributes;
  if (instruction.opcode != Opcode::kCompare || attributes.comparison_type != "TOTALORDER" ||
      !IsFloat(type) || type == PrimitiveType::kF8E8M0FNU || type == PrimitiveType::kF4E2M1FN)
    return nullptr;
  const Comparison comparison = *Comparison::Find(attributes.comparison_direction);
  switch (ByteWidth(type)) {
    case 1:
      return TotalOrderSpan<int8_t>(comparison, hlo::IsNaNMinusZero(type));
    case 2:
      return TotalOrderSpan<int16_t>(comparison, false);
    case 4:
      return TotalOrderSpan<int32_t>(comparison, false);
    default:
      return TotalOrderSpan<int64_t>(comparison, false);
  }
}

// The loop of an instruction on operands of the types, of which none is a narrow float; null where
// there is none, also where the types are not those that the op requires.
SpanOp TypedSpan(const Instruction& instruction, const TypeList& from, PrimitiveType to) {
  switch (instruction.opcode) {
    case Opcode::kConvert:
      return ConvertSpan(from[0], to);
    case Opcode::kCompare:
      return to == kPred && llvm::all_equal(from) ? CompareSpan(instruction.attributes, from[0])
                                                  : nullptr;
    case Opcode::kIsFinite:
      return to == kPred ? IsFiniteSpan(from[0]) : nullptr;
    case Opcode::kSelect:
      return from == TypeList{kPred, to, to} ? SelectSpan(to) : nullptr;
    default:
      break;
  }
  if (from[0] != to || !llvm::all_equal(from)) return nullptr;
  if (instruction.opcode == Opcode::kCopy) return CopyOfSpan(to);
  return instruction.opcode == Opcode::kClamp ? ClampSpan(to) : TableSpan(instruction.opcode, to);
}

// Whether an op on narrow floats is that on f32 of the operands, rounded. A conversion of a wider
// number rounds once.
bool IsThroughF32(Opcode opcode, const TypeList& from) {
  return opcode != Opcode::kConvert || WidenNarrow(from[0]) == kF32;
}

}  // namespace

bool IsLoop(Opcode opcode, PrimitiveType type) { return TableSpan(opcode, type) != nullptr; }

SpanOp CopyOfSpan(PrimitiveType type) {
  if (IsNarrowFloat(type)) return ThroughF32({type}, type, CopyOfSpan(kF32));
  return ForType(StoredTypes(), type,
                 [](auto t) { return SpanOf<t(), t()>([](auto x) { return ForPut(x); }); });
}

SpanOp SelectOfBits(PrimitiveType type) {
  switch (ByteWidth(type)) {
    case 1:
      return SelectSpan(kU8);
    case 2:
      return SelectSpan(kU16);
    case 4:
      return SelectSpan(kU32);
    case 8:
      return SelectSpan(kU64);
    default:  // nothing is rounded or made quiet
      return SelectSpan(kC128);
  }
}

llvm::Expected<SpanOp> ResolveSpan(const Instruction& instruction) {
  llvm::Expected<ScalarOp> scalar = ResolveElementwise(instruction);
  if (!scalar) return scalar.takeError();
  TypeList from, widened;
  for (const Instruction* operand : instruction.operands) {
    from.push_back(operand->shape.type);
    widened.push_back(WidenNarrow(from.back()));
  }
  const PrimitiveType to = instruction.shape.type;
  if (SpanOp op = TotalOrderSpanOf(instruction, from[0])) return op;
  const bool is_narrow = IsNarrowFloat(to) || from != widened;
  if (!is_narrow || IsThroughF32(instruction.opcode, from)) {
    if (SpanOp op = TypedSpan(instruction, widened, WidenNarrow(to)))
      return is_narrow ? ThroughF32(from, to, std::move(op)) : op;
  }
  return FromScalarOp(from, to, *scalar);
}

}  // namespace affirm::hlo
