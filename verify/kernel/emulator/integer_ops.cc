#include "verify/kernel/emulator/integer_ops.h"

#include <algorithm>

namespace affirm::kernel {

IntegerResult ComputeUnary(IntegerFunction function, uint64_t a, unsigned width, bool poison_flag) {
  const auto unused = 64 - width;
  switch (function) {
    case IntegerFunction::kAbs: {
      const int64_t value = SignExtend(a, width);
      const bool least = a == uint64_t{1} << (width - 1);
      return {(value < 0 ? 0 - a : a) & MaskOf(width), poison_flag && least};
    }
    case IntegerFunction::kPopulation:
      return {static_cast<uint64_t>(std::popcount(a)), false};
    case IntegerFunction::kLeadingZeros:
      return {static_cast<uint64_t>(std::countl_zero(a)) - unused, poison_flag && a == 0};
    case IntegerFunction::kTrailingZeros:
      return {a == 0 ? width : static_cast<uint64_t>(std::countr_zero(a)), poison_flag && a == 0};
    case IntegerFunction::kBitReverse: {
      uint64_t reversed = 0;
      for (unsigned k = 0; k < width; ++k) reversed |= (a >> k & 1) << (width - 1 - k);
      return {reversed, false};
    }
    default: {
      uint64_t swapped = 0;
      for (unsigned k = 0; k < width; k += 8) swapped |= (a >> k & 0xff) << (width - 8 - k);
      return {swapped, false};
    }
  }
}

IntegerResult ComputeBinary(IntegerFunction function, uint64_t a, uint64_t b, unsigned width) {
  const int64_t sa = SignExtend(a, width), sb = SignExtend(b, width);
  const uint64_t mask = MaskOf(width);
  auto saturate = [&](__int128 value) {
    const __int128 low = -(__int128{1} << (width - 1)), high = (__int128{1} << (width - 1)) - 1;
    return IntegerResult{static_cast<uint64_t>(std::clamp(value, low, high)) & mask, false};
  };
  switch (function) {
    case IntegerFunction::kSMin:
      return {sa < sb ? a : b, false};
    case IntegerFunction::kSMax:
      return {sa > sb ? a : b, false};
    case IntegerFunction::kUMin:
      return {std::min(a, b), false};
    case IntegerFunction::kUMax:
      return {std::max(a, b), false};
    case IntegerFunction::kSAddSat:
      return saturate(static_cast<__int128>(sa) + sb);
    case IntegerFunction::kSSubSat:
      return saturate(static_cast<__int128>(sa) - sb);
    case IntegerFunction::kUAddSat:
      return {b > mask - a ? mask : a + b, false};
    case IntegerFunction::kUSubSat:
      return {a < b ? 0 : a - b, false};
    case IntegerFunction::kMulHighSigned:
      return {static_cast<uint64_t>((static_cast<__int128>(sa) * sb) >> width) & mask, false};
    default:
      return {static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> width), false};
  }
}

uint64_t FunnelShift(uint64_t high, uint64_t low, uint64_t by, unsigned width, bool right) {
  by %= width;
  const unsigned __int128 both = static_cast<unsigned __int128>(high) << width | low;
  const unsigned __int128 shifted = right ? both >> by : (both << by) >> width;
  // A shift to the left by 64 of a 64-bit pair may lose the top of the 128 bits, which are not
  // wanted.
  return static_cast<uint64_t>(shifted) & MaskOf(width);
}

std::pair<uint64_t, bool> WithOverflow(Op op, uint64_t a, uint64_t b, unsigned width,
                                       bool is_signed) {
  const uint8_t flag = is_signed ? kNoSignedWrap : kNoUnsignedWrap;
  uint64_t bits = op == Op::kAdd ? a + b : op == Op::kSub ? a - b : a * b;
  return {bits & MaskOf(width), WrapsAgainstFlags(op, a, b, width, flag)};
}

WideResult ComputeWide(Op op, unsigned __int128 a, unsigned __int128 b, unsigned width,
                       uint8_t flags) {
  using Wide = unsigned __int128;
  const Wide mask = MaskOfWide(width);
  const __int128 sa = SignExtendWide(a, width), sb = SignExtendWide(b, width);
  // Wraps are looked for by undoing the operation.
  auto fits_signed = [&](__int128 value) {
    return SignExtendWide(static_cast<Wide>(value) & mask, width) == value;
  };
  WideResult result;
  __int128 exact = 0;
  bool overflows = false;
  switch (op) {
    case Op::kAdd:
      result.bits = (a + b) & mask;
      overflows = __builtin_add_overflow(sa, sb, &exact) || !fits_signed(exact);
      result.poison =
          ((flags & kNoUnsignedWrap) && result.bits < a) || ((flags & kNoSignedWrap) && overflows);
      return result;
    case Op::kSub:
      result.bits = (a - b) & mask;
      overflows = __builtin_sub_overflow(sa, sb, &exact) || !fits_signed(exact);
      result.poison =
          ((flags & kNoUnsignedWrap) && a < b) || ((flags & kNoSignedWrap) && overflows);
      return result;
    case Op::kMul: {
      result.bits = (a * b) & mask;
      overflows = __builtin_mul_overflow(sa, sb, &exact) || !fits_signed(exact);
      Wide product = 0;
      const bool wraps = __builtin_mul_overflow(a, b, &product) || product > mask;
      result.poison =
          ((flags & kNoUnsignedWrap) && wraps) || ((flags & kNoSignedWrap) && overflows);
      return result;
    }
    case Op::kAnd:
      return {a & b};
    case Op::kOr:
      return {a | b, (flags & kExact) && (a & b) != 0};
    case Op::kXor:
      return {a ^ b};
    case Op::kShl:
      if (b >= width) return {0, true};
      result.bits = (a << static_cast<unsigned>(b)) & mask;
      result.poison = ((flags & kNoUnsignedWrap) && result.bits >> static_cast<unsigned>(b) != a) ||
                      ((flags & kNoSignedWrap) &&
                       SignExtendWide(result.bits, width) >> static_cast<unsigned>(b) != sa);
      return result;
    case Op::kLShr:
      if (b >= width) return {0, true};
      result.bits = a >> static_cast<unsigned>(b);
      result.poison = (flags & kExact) && result.bits << static_cast<unsigned>(b) != a;
      return result;
    case Op::kAShr:
      if (b >= width) return {0, true};
      result.bits = static_cast<Wide>(sa >> static_cast<unsigned>(b)) & mask;
      result.poison = (flags & kExact) && (a & MaskOfWide(static_cast<unsigned>(b))) != 0;
      return result;
    default:
      break;
  }
  if (b == 0) return {0, false, true};
  switch (op) {
    case Op::kUDiv:
      return {a / b, (flags & kExact) && a % b != 0};
    case Op::kURem:
      return {a % b};
    case Op::kSDiv:
      if (sb == -1)
        return {(0 - a) & mask, false, sa == SignExtendWide(Wide{1} << (width - 1), width)};
      return {static_cast<Wide>(sa / sb) & mask, (flags & kExact) && sa % sb != 0};
    default:
      return {sb == -1 ? 0 : static_cast<Wide>(sa % sb) & mask};
  }
}

}  // namespace affirm::kernel
