#include "verify/enclosure/integers.h"

#include <algorithm>
#include <bit>

#include "verify/scalar/scalar.h"

namespace affirm::enclosure {

using hlo::Instruction;
using hlo::IntType;
using hlo::Opcode;
using hlo::PrimitiveType;

namespace {

Enclosure Predicates(Opcode opcode, llvm::ArrayRef<Enclosure> operands) {
  const Enclosure& a = operands[0];
  switch (opcode) {
    case Opcode::kNot:
      return Enclosure::Integers(1 - a.hi, 1 - a.lo);
    case Opcode::kAnd:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
      return Enclosure::Integers(a.lo & operands[1].lo, a.hi & operands[1].hi);
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return Enclosure::Integers(a.lo | operands[1].lo, a.hi | operands[1].hi);
    default:
      return Enclosure::Integers(0, 1);
  }
}

// Wide enough for the product of two numbers of any type.
using Number = __int128;
struct Range {
  Number lo, hi;
  bool IsPoint() const { return lo == hi; }
  bool Has(Number number) const { return lo <= number && number <= hi; }
};

Range RangeOf(IntType of, const Enclosure& a) {
  if (of.is_signed) return {a.lo, a.hi};
  return {static_cast<uint64_t>(a.lo), static_cast<uint64_t>(a.hi)};
}
Enclosure EnclosureOf(PrimitiveType type, const Range& range) {
  const auto of = IntType::Of(type);
  const Range all = RangeOf(of, Enclosure::Integers(of.Min(), of.Max()));
  if (range.lo < all.lo || range.hi > all.hi) return Enclosure::Whole(type);
  return Enclosure::Integers(static_cast<int64_t>(range.lo), static_cast<int64_t>(range.hi));
}

// The hull of an operation that rises or falls in each operand.
template <typename Operation>
Range HullOfCorners(const Range& a, const Range& b, Operation operation) {
  const auto [lo, hi] = std::minmax(
      {operation(a.lo, b.lo), operation(a.lo, b.hi), operation(a.hi, b.lo), operation(a.hi, b.hi)});
  return {lo, hi};
}

// Less than the divisor, of the dividend's sign; the divisor is not zero.
Range Remainders(const Range& a, const Range& b) {
  if (b.IsPoint() && a.lo / b.lo == a.hi / b.lo && (a.lo >= 0 || a.hi <= 0))
    return {a.lo % b.lo, a.hi % b.lo};
  const Number most = std::max(b.lo < 0 ? -b.lo : b.lo, b.hi < 0 ? -b.hi : b.hi) - 1;
  return {a.lo < 0 ? std::max(a.lo, -most) : 0, a.hi > 0 ? std::min(a.hi, most) : 0};
}

// The least number of ones that is not less.
Number OnesAbove(Number number) {
  return (Number{1} << std::bit_width(static_cast<uint64_t>(number))) - 1;
}

// Numbers from 0 on in binary: those of a range have the leading bits in common that both ends
// have.
struct Bits {
  Number ones, open;  // the bits that are surely set; those that are set in some number only
  explicit Bits(const Range& of) : open(OnesAbove(of.lo ^ of.hi)) { ones = of.lo & ~open; }
  Number most() const { return ones | open; }
};

Range BitwiseRange(Opcode opcode, const Range& a, const Range& b) {
  const Bits x(a), y(b);
  if (opcode == Opcode::kAnd) return {x.ones & y.ones, std::min({x.most() & y.most(), a.hi, b.hi})};
  if (opcode == Opcode::kOr) return {std::max({x.ones | y.ones, a.lo, b.lo}), x.most() | y.most()};
  const Number open = x.open | y.open, ones = (x.ones ^ y.ones) & ~open;
  return {ones, ones | open};
}

std::optional<Range> UnaryRange(Opcode opcode, IntType of, const Range& a) {
  switch (opcode) {
    case Opcode::kAbs:
      if (a.lo >= 0) return a;
      return a.hi <= 0 ? Range{-a.hi, -a.lo} : Range{0, std::max(-a.lo, a.hi)};
    case Opcode::kNegate:
      return Range{-a.hi, -a.lo};
    case Opcode::kNot: {
      const Number ones = of.is_signed ? -1 : static_cast<Number>(static_cast<uint64_t>(of.Max()));
      return Range{ones - a.hi, ones - a.lo};
    }
    case Opcode::kSign: {
      auto sign = [](Number x) -> Number { return x < 0 ? -1 : x > 0 ? 1 : 0; };
      return Range{sign(a.lo), sign(a.hi)};
    }
    case Opcode::kCountLeadingZeros:
      if (a.lo < 0) return Range{0, of.bits};
      return Range{of.bits - std::bit_width(static_cast<uint64_t>(a.hi)),
                   of.bits - std::bit_width(static_cast<uint64_t>(a.lo))};
    case Opcode::kPopcnt:
      return Range{0, of.bits};
    case Opcode::kCopy:
      return a;
    default:
      return std::nullopt;
  }
}

// By a known number of places within the type.
std::optional<Range> Shifted(Opcode opcode, IntType of, const Range& a, const Range& b) {
  if (!b.IsPoint() || b.lo < 0 || b.lo >= of.bits) return std::nullopt;
  const auto places = static_cast<int>(b.lo);
  if (opcode == Opcode::kShiftLeft) {
    if (places > 62) return std::nullopt;
    return Range{a.lo * (Number{1} << places), a.hi * (Number{1} << places)};
  }
  // Both shifts are one of numbers whose first bit is not set.
  const bool is_positive = a.lo >= 0 && a.hi <= static_cast<Number>(of.Mask() >> 1);
  const bool keeps_sign = (opcode == Opcode::kShiftRightArithmetic) == of.is_signed;
  if (!is_positive && !keeps_sign) return std::nullopt;
  return Range{a.lo >> places, a.hi >> places};
}

std::optional<Range> BinaryRange(Opcode opcode, IntType of, const Range& a, const Range& b) {
  const bool is_positive = a.lo >= 0 && b.lo >= 0;
  switch (opcode) {
    case Opcode::kAdd:
      return Range{a.lo + b.lo, a.hi + b.hi};
    case Opcode::kSubtract:
      return Range{a.lo - b.hi, a.hi - b.lo};
    case Opcode::kMaximum:
      return Range{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case Opcode::kMinimum:
      return Range{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case Opcode::kMultiply:
      // A product of 64-bit integers may have 128 bits, which have no sign here.
      if (!of.is_signed && of.bits == 64) return std::nullopt;
      return HullOfCorners(a, b, [](Number x, Number y) { return x * y; });
    case Opcode::kDivide:
      if (b.Has(0)) return std::nullopt;
      return HullOfCorners(a, b, [](Number x, Number y) { return x / y; });
    case Opcode::kRemainder:
      if (b.Has(0)) return std::nullopt;
      return Remainders(a, b);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return Shifted(opcode, of, a, b);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      if (!is_positive) return std::nullopt;
      return BitwiseRange(opcode, a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace

Enclosure EncloseIntegers(const Instruction& op, llvm::ArrayRef<Enclosure> operands) {
  const PrimitiveType type = op.shape.type;
  for (const Instruction* operand : op.operands) {
    if (operand->shape.type != type) return Enclosure::Whole(type);
  }
  if (type == PrimitiveType::kPred) return Predicates(op.opcode, operands);
  const auto of = IntType::Of(type);
  const Range a = RangeOf(of, operands[0]);
  std::optional<Range> result;
  if (operands.size() == 1) result = UnaryRange(op.opcode, of, a);
  if (operands.size() == 2) result = BinaryRange(op.opcode, of, a, RangeOf(of, operands[1]));
  if (op.opcode == Opcode::kClamp) {
    const Range x = RangeOf(of, operands[1]), most = RangeOf(of, operands[2]);
    result =
        Range{std::min(std::max(a.lo, x.lo), most.lo), std::min(std::max(a.hi, x.hi), most.hi)};
  }
  return result ? EnclosureOf(type, *result) : Enclosure::Whole(type);
}

Enclosure ConvertedIntegers(PrimitiveType from, PrimitiveType to, const Enclosure& a) {
  const Range range = RangeOf(IntType::Of(from), a);
  if (to == PrimitiveType::kPred)
    return Enclosure::Integers(range.Has(0) ? 0 : 1, range.IsPoint() && range.lo == 0 ? 0 : 1);
  return EnclosureOf(to, range);
}

}  // namespace affirm::enclosure
