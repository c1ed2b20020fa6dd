// Integer arithmetic of LLVM on up to 64 bits, with its poison. Internal.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_INTEGER_OPS_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_INTEGER_OPS_H_

#include <bit>
#include <cstdint>
#include <utility>

#include "llvm/IR/InstrTypes.h"
#include "verify/kernel/emulator/program.h"
#include "verify/kernel/emulator/value.h"

namespace affirm::kernel {

// A result and whether it is poison.
struct IntegerResult {
  uint64_t bits = 0;
  bool poison = false;
};

inline bool FitsSigned(__int128 value, unsigned width) {
  return value >= -(__int128{1} << (width - 1)) && value < (__int128{1} << (width - 1));
}

// The flags of add, sub, mul and shl: does the exact result fit?
inline bool WrapsAgainstFlags(Op op, uint64_t a, uint64_t b, unsigned width, uint8_t flags) {
  const __int128 sa = SignExtend(a, width), sb = SignExtend(b, width);
  const unsigned __int128 ua = a, ub = b;
  switch (op) {
    case Op::kAdd:
      return ((flags & kNoUnsignedWrap) && ua + ub > MaskOf(width)) ||
             ((flags & kNoSignedWrap) && !FitsSigned(sa + sb, width));
    case Op::kSub:
      return ((flags & kNoUnsignedWrap) && a < b) ||
             ((flags & kNoSignedWrap) && !FitsSigned(sa - sb, width));
    case Op::kMul:
      return ((flags & kNoUnsignedWrap) && ua * ub > MaskOf(width)) ||
             ((flags & kNoSignedWrap) && !FitsSigned(sa * sb, width));
    default: {  // kShl, by less than width
      const unsigned __int128 shifted = ua << b;
      const __int128 back = SignExtend(static_cast<uint64_t>(shifted) & MaskOf(width), width) >> b;
      return ((flags & kNoUnsignedWrap) && shifted > MaskOf(width)) ||
             ((flags & kNoSignedWrap) && back != sa);
    }
  }
}

inline IntegerResult Shift(Op op, uint64_t a, uint64_t b, unsigned width, uint8_t flags) {
  if (b >= width) return {0, true};
  switch (op) {
    case Op::kShl:
      return {(a << b) & MaskOf(width), (flags & (kNoUnsignedWrap | kNoSignedWrap)) != 0 &&
                                            WrapsAgainstFlags(op, a, b, width, flags)};
    case Op::kLShr:
      return {a >> b, (flags & kExact) != 0 && ((a >> b) << b) != a};
    default: {
      const int64_t shifted = SignExtend(a, width) >> b;
      return {static_cast<uint64_t>(shifted) & MaskOf(width),
              (flags & kExact) != 0 && (a & MaskOf(static_cast<unsigned>(b))) != 0};
    }
  }
}

// Division by a nonzero number; the one signed quotient that does not fit is for the caller.
inline IntegerResult Divide(Op op, uint64_t a, uint64_t b, unsigned width, uint8_t flags) {
  const int64_t sa = SignExtend(a, width), sb = SignExtend(b, width);
  switch (op) {
    case Op::kUDiv:
      return {a / b, (flags & kExact) != 0 && a % b != 0};
    case Op::kURem:
      return {a % b, false};
    case Op::kSDiv:
      return {static_cast<uint64_t>(sa / sb) & MaskOf(width),
              (flags & kExact) != 0 && sa % sb != 0};
    default:
      return {static_cast<uint64_t>(sb == -1 ? 0 : sa % sb) & MaskOf(width), false};
  }
}

template <typename Unsigned, typename Signed>
inline bool Holds(unsigned predicate, Unsigned a, Unsigned b, Signed sa, Signed sb) {
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      return a == b;
    case llvm::CmpInst::ICMP_NE:
      return a != b;
    case llvm::CmpInst::ICMP_UGT:
      return a > b;
    case llvm::CmpInst::ICMP_UGE:
      return a >= b;
    case llvm::CmpInst::ICMP_ULT:
      return a < b;
    case llvm::CmpInst::ICMP_ULE:
      return a <= b;
    case llvm::CmpInst::ICMP_SGT:
      return sa > sb;
    case llvm::CmpInst::ICMP_SGE:
      return sa >= sb;
    case llvm::CmpInst::ICMP_SLT:
      return sa < sb;
    default:
      return sa <= sb;
  }
}

IntegerResult ComputeUnary(IntegerFunction function, uint64_t a, unsigned width, bool poison_flag);
IntegerResult ComputeBinary(IntegerFunction function, uint64_t a, uint64_t b, unsigned width);
uint64_t FunnelShift(uint64_t high, uint64_t low, uint64_t by, unsigned width, bool right);
// The result, and whether it left the width.
std::pair<uint64_t, bool> WithOverflow(Op op, uint64_t a, uint64_t b, unsigned width,
                                       bool is_signed);

// Integers of 65 to 128 bits.
struct WideResult {
  unsigned __int128 bits = 0;
  bool poison = false, by_zero = false;
};
WideResult ComputeWide(Op op, unsigned __int128 a, unsigned __int128 b, unsigned width,
                       uint8_t flags);
inline unsigned __int128 MaskOfWide(unsigned width) {
  return width >= 128 ? ~static_cast<unsigned __int128>(0)
                      : (static_cast<unsigned __int128>(1) << width) - 1;
}
inline __int128 SignExtendWide(unsigned __int128 bits, unsigned width) {
  const unsigned shift = 128 - width;
  return static_cast<__int128>(bits << shift) >> shift;
}

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_INTEGER_OPS_H_
