// Codes of the thread that runs, on floats, integers of more than 64 bits and elements of vectors,
// and quotients and intrinsics of integers.
#include "verify/kernel/emulator/float_ops.h"
#include "verify/kernel/emulator/integer_ops.h"
#include "verify/kernel/emulator/machine.h"
#include "verify/kernel/emulator/math_functions.h"

namespace affirm::kernel {
namespace {

unsigned __int128 Wide(uint64_t low, uint64_t high) {
  return static_cast<unsigned __int128>(high) << 64 | low;
}

// The registers that a code reads and writes.
struct CodeRegisters {
  const Code& code;
  const Slot* const* bases;
  Slot* registers;

  const Slot& Get(Operand operand) const { return bases[operand & 1][operand >> 1]; }
  void Set(uint64_t bits, Mark mark) const {
    Slot& to = registers[code.dst];
    to.bits = bits;
    to.mark = mark;
  }
  void SetOrPoison(IntegerResult result, Mark mark) const {
    if (result.poison) mark = Join(mark, MakeMark(kPoison, code.source));
    Set(result.bits, mark);
  }
};

}  // namespace

const Code* Machine::WithUses(const Code& code, const Slot* const bases[2]) {
  switch (code.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kICmp:
    case Op::kFAdd32:
    case Op::kFSub32:
    case Op::kFMul32:
    case Op::kFDiv32:
    case Op::kFloatBinary:
    case Op::kFCmp:
    case Op::kSelect:
      break;
    default:
      return &code;  // has another operand, or is no arithmetic
  }
  with_uses_ = code;
  size_t use = other_constants_.size() - kUses;
  for (Operand* operand : {&with_uses_.a, &with_uses_.b, &with_uses_.c}) {
    if (operand == &with_uses_.c && code.op != Op::kSelect) break;
    const Slot& slot = bases[*operand & 1][*operand >> 1];
    if (!IsUndef(slot.mark)) continue;
    other_constants_[use] = {slot.bits ^ (uses_++ & 1), slot.mark};
    *operand = static_cast<Operand>(use++) * 2 + 1;
  }
  return &with_uses_;
}

void Machine::RunFloat(const Code& code, const Slot* const bases[2], Slot* registers) const {
  const CodeRegisters at{code, bases, registers};
  switch (code.op) {
    case Op::kFNeg: {
      const Slot& a = at.Get(code.a);
      at.Set(Negate(static_cast<FloatKind>(code.width), a.bits), Join(a.mark, 0));
      break;
    }
    case Op::kFpClass: {
      const Slot& a = at.Get(code.a);
      at.Set(HasClass(static_cast<FloatKind>(code.aux), a.bits, code.imm), Join(a.mark, 0));
      break;
    }
    case Op::kMathUnary:
    case Op::kMathBinary:
    case Op::kMathTernary: {
      const MathFunction& function = MathFunctions()[code.imm];
      const Slot a = at.Get(code.a);
      const Slot b = function.arity > 1 ? at.Get(code.b) : Slot{};
      const Slot c = function.arity > 2 ? at.Get(code.c) : Slot{};
      at.Set(ComputeMath(function, static_cast<FloatKind>(code.width), a.bits, b.bits, c.bits),
             Join(Join(a.mark, b.mark), c.mark));
      break;
    }
    default:
      break;
  }
}

void Machine::RunConversion(const Code& code, const Slot* const bases[2], Slot* registers) const {
  const CodeRegisters at{code, bases, registers};
  switch (code.op) {
    case Op::kFpConvert: {
      const Slot& a = at.Get(code.a);
      at.Set(Convert(static_cast<FloatKind>(code.aux), static_cast<FloatKind>(code.width), a.bits),
             Join(a.mark, 0));
      break;
    }
    case Op::kFpToInt: {
      const Slot& a = at.Get(code.a);
      bool fits = true;
      const uint64_t bits = ToInteger(static_cast<FloatKind>(code.aux), a.bits, code.width,
                                      (code.flags & kSigned) != 0, fits);
      at.SetOrPoison({bits, !fits && (code.flags & kSaturating) == 0}, Join(a.mark, 0));
      break;
    }
    case Op::kIntToFp: {
      const Slot& a = at.Get(code.a);
      at.Set(FromInteger(a.bits, code.aux, (code.flags & kSigned) != 0,
                         static_cast<FloatKind>(code.width)),
             Join(a.mark, 0));
      break;
    }
    case Op::kToSmall: {
      const Slot& a = at.Get(code.a);
      at.Set(ToSmall(static_cast<FloatKind>(code.aux), static_cast<hlo::PrimitiveType>(code.width),
                     a.bits),
             Join(a.mark, 0));
      break;
    }
    case Op::kFromSmall: {
      const Slot& a = at.Get(code.a);
      at.Set(FromSmall(static_cast<hlo::PrimitiveType>(code.aux),
                       static_cast<FloatKind>(code.width), a.bits),
             Join(a.mark, 0));
      break;
    }
    case Op::kToTf32: {
      const Slot& a = at.Get(code.a);
      at.Set(ToTf32(a.bits), Join(a.mark, 0));
      break;
    }
    default:
      break;
  }
}

void Machine::RunWide(Thread& thread, const Code& code, const Slot* const bases[2],
                      Slot* registers) {
  const CodeRegisters at{code, bases, registers};
  switch (code.op) {
    case Op::kWideBinary: {
      const Slot &a = at.Get(code.a), &b = at.Get(code.b);
      const Slot& a_high = at.Get(program_.lists[code.imm]);
      const Slot& b_high = at.Get(program_.lists[code.imm + 1]);
      const Op op = static_cast<Op>(code.aux);
      Mark mark = Join(Join(a.mark, a_high.mark), Join(b.mark, b_high.mark));
      WideResult result = ComputeWide(op, Wide(a.bits, a_high.bits), Wide(b.bits, b_high.bits),
                                      code.width, code.flags);
      if (result.by_zero) Report(thread, code, Claim::kIntegers, "divides by zero");
      if (result.poison) mark = Join(mark, MakeMark(kPoison, code.source));
      registers[code.dst] = {static_cast<uint64_t>(result.bits), mark};
      registers[code.dst + 1] = {static_cast<uint64_t>(result.bits >> 64), mark};
      break;
    }
    case Op::kWideCompare: {
      const Slot &a = at.Get(code.a), &b = at.Get(code.b);
      const Slot& a_high = at.Get(program_.lists[code.imm]);
      const Slot& b_high = at.Get(program_.lists[code.imm + 1]);
      const unsigned __int128 x = Wide(a.bits, a_high.bits), y = Wide(b.bits, b_high.bits);
      at.Set(Holds<unsigned __int128, __int128>(code.aux, x, y, SignExtendWide(x, code.width),
                                                SignExtendWide(y, code.width)),
             Join(Join(a.mark, a_high.mark), Join(b.mark, b_high.mark)));
      break;
    }
    case Op::kWideTrunc: {
      const Slot &low = at.Get(code.a), &high = at.Get(code.b);
      Mark mark = code.width > 64 ? Join(low.mark, high.mark) : low.mark;
      const unsigned __int128 value = Wide(low.bits, high.bits);
      const unsigned __int128 kept = value & MaskOfWide(code.width);
      const bool lost = ((code.flags & kNoUnsignedWrap) && kept != value) ||
                        ((code.flags & kNoSignedWrap) &&
                         SignExtendWide(kept, code.width) != SignExtendWide(value, code.aux));
      if (lost) mark = Join(mark, MakeMark(kPoison, code.source));
      registers[code.dst] = {static_cast<uint64_t>(kept), mark};
      if (code.width > 64) registers[code.dst + 1] = {static_cast<uint64_t>(kept >> 64), mark};
      break;
    }
    case Op::kWideExt: {
      const Slot low = at.Get(code.a);
      Slot high = code.aux > 64 ? at.Get(code.b) : Slot{};
      unsigned __int128 value = Wide(low.bits, high.bits);
      Mark mark = low.mark, high_mark = code.aux > 64 ? high.mark : 0;
      if (code.flags & kSigned) {
        value = static_cast<unsigned __int128>(SignExtendWide(value, code.aux));
        value &= MaskOfWide(code.width);
        high_mark = Join(mark, high_mark);
      } else if ((code.flags & kExact) && SignExtendWide(value, code.aux) < 0) {
        mark = high_mark = Join(mark, MakeMark(kPoison, code.source));
      }
      registers[code.dst] = {static_cast<uint64_t>(value), mark};
      registers[code.dst + 1] = {static_cast<uint64_t>(value >> 64), high_mark};
      break;
    }
    default:
      break;
  }
}

bool Machine::RunDivision(Thread& thread, const Code& code, const Slot* const bases[2],
                          Slot* registers) {
  const CodeRegisters at{code, bases, registers};
  const Slot &a = at.Get(code.a), &b = at.Get(code.b);
  const Mark mark = Join(a.mark, b.mark);
  if (b.mark != 0) {
    ReportMark(thread, code, b, "the divisor", Claim::kIntegers);
    at.Set(0, mark);
    return !stopped;
  }
  if (b.bits == 0) {
    Report(thread, code, Claim::kIntegers, "divides by zero");
    if (stopped) return false;
    at.Set(0, 0);
    return true;
  }
  const bool is_signed = code.op == Op::kSDiv || code.op == Op::kSRem;
  if (is_signed && a.mark == 0 && SignExtend(b.bits, code.width) == -1 &&
      a.bits == uint64_t{1} << (code.width - 1)) {
    Report(thread, code, Claim::kIntegers, "a quotient does not fit its type");
    if (stopped) return false;
    at.Set(a.bits, 0);
    return true;
  }
  if (is_signed && SignExtend(b.bits, code.width) == -1) {
    // -1 as a divisor: the host traps on the least dividend.
    at.Set(code.op == Op::kSDiv ? (0 - a.bits) & MaskOf(code.width) : 0, mark);
    return true;
  }
  at.SetOrPoison(Divide(code.op, a.bits, b.bits, code.width, code.flags), mark);
  return true;
}

void Machine::RunIntrinsic(const Code& code, const Slot* const bases[2], Slot* registers) const {
  const CodeRegisters at{code, bases, registers};
  switch (code.op) {
    case Op::kIntrinsicUnary: {
      const Slot& a = at.Get(code.a);
      at.SetOrPoison(ComputeUnary(static_cast<IntegerFunction>(code.aux), a.bits, code.width,
                                  (code.flags & kPoisonAtZero) != 0),
                     Join(a.mark, 0));
      break;
    }
    case Op::kFunnelShift: {
      const Slot &a = at.Get(code.a), &b = at.Get(code.b), &c = at.Get(code.c);
      at.Set(FunnelShift(a.bits, b.bits, c.bits, code.width, (code.flags & kSigned) != 0),
             Join(Join(a.mark, b.mark), c.mark));
      break;
    }
    case Op::kOverflowIntrinsic: {
      const Slot &a = at.Get(code.a), &b = at.Get(code.b);
      const Mark mark = Join(a.mark, b.mark);
      auto [bits, overflow] = WithOverflow(static_cast<Op>(code.aux), a.bits, b.bits, code.width,
                                           (code.flags & kSigned) != 0);
      registers[code.dst] = {bits, mark};
      registers[code.dst + 1] = {overflow, mark};
      break;
    }
    default:
      break;
  }
}

void Machine::RunElement(const Code& code, const Slot* const bases[2], Slot* registers) const {
  const CodeRegisters at{code, bases, registers};
  switch (code.op) {
    case Op::kExtractAt: {
      const Slot& index = at.Get(code.b);
      if (index.bits >= code.c) {
        at.Set(0, MakeMark(kPoison, code.source));
        break;
      }
      Slot element = at.Get(program_.lists[code.imm + static_cast<int64_t>(index.bits)]);
      element.mark = Join(element.mark, index.mark);
      registers[code.dst] = element;
      break;
    }
    case Op::kInsertAt: {
      const Slot index = at.Get(code.b), element = at.Get(code.a);
      const bool outside = index.bits >= code.c;
      if (outside || index.mark != 0) {
        const Mark mark = outside ? MakeMark(kPoison, code.source) : index.mark;
        for (uint32_t k = 0; k < code.c; ++k) registers[code.dst + k].mark = mark;
      } else {
        registers[code.dst + index.bits] = element;
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace affirm::kernel
