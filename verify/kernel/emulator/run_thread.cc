// The loop over the codes of one thread.
#include "llvm/ADT/STLExtras.h"
#include "verify/kernel/emulator/float_ops.h"
#include "verify/kernel/emulator/integer_ops.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

// How deep calls may nest; of a device's own limit nothing is said.
constexpr size_t kMostCalls = 4096;

}  // namespace

// Only codes that take long have functions of their own (run_arithmetic.cc), as each costs a call.
// NOLINTNEXTLINE(readability-function-size): the loop that dispatches codes.
void Machine::RunThread(Thread& thread) {
  regions_[kLocalRegion].data = thread.local.data();
  regions_[kLocalRegion].marks = thread.local_marks.data();
  regions_[kLocalRegion].size = regions_[kLocalRegion].allocated = thread.local_top;
  const Code* const codes = program_.code.data();
  const Slot* bases[2] = {thread.registers.data() + thread.base, constants_.data()};
  Slot* registers = thread.registers.data() + thread.base;
  const bool in_turn = options_.unspecified == EmulatorOptions::Unspecified::kInTurn;
  auto get = [&](Operand operand) -> const Slot& { return bases[operand & 1][operand >> 1]; };
  uint32_t pc = thread.pc;
  int64_t counted_from = pc, executed = 0;
  auto jump = [&](uint32_t to) {
    executed += static_cast<int64_t>(pc) - counted_from + 1;
    counted_from = to;
    pc = to;
  };
  auto leave = [&] {
    this->codes += executed + static_cast<int64_t>(pc) - counted_from + 1;
    thread.pc = pc;
  };

  while (true) {
    const Code& code = in_turn ? *WithUses(codes[pc], bases) : codes[pc];
    // The result of a plain operation on integers, with the marks of its operands.
    auto set = [&](uint64_t bits, Mark mark) {
      Slot& to = registers[code.dst];
      to.bits = bits;
      to.mark = mark;
    };
    auto set_or_poison = [&](IntegerResult result, Mark mark) {
      if (result.poison) mark = Join(mark, MakeMark(kPoison, code.source));
      set(result.bits, mark);
    };
    switch (code.op) {
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul: {
        const Slot &a = get(code.a), &b = get(code.b);
        const uint64_t bits = code.op == Op::kAdd   ? a.bits + b.bits
                              : code.op == Op::kSub ? a.bits - b.bits
                                                    : a.bits * b.bits;
        Mark mark = Join(a.mark, b.mark);
        if (code.flags != 0 && WrapsAgainstFlags(code.op, a.bits, b.bits, code.width, code.flags)) {
          mark = Join(mark, MakeMark(kPoison, code.source));
        }
        set(bits & MaskOf(code.width), mark);
        break;
      }
      case Op::kAnd: {
        const Slot &a = get(code.a), &b = get(code.b);
        Mark mark = JoinBytes(a.mark, b.mark);
        if (mark != 0) {
          // A byte is specified where the other side is known to be zero.
          for (int k = 0; k < 8; ++k) {
            const bool a_zero = (a.mark >> k & 1) == 0 && (a.bits >> (8 * k) & 0xff) == 0;
            const bool b_zero = (b.mark >> k & 1) == 0 && (b.bits >> (8 * k) & 0xff) == 0;
            if (a_zero || b_zero) mark &= ~(Mark{1} << k);
          }
          if ((mark & (kPoison | kUnspecified)) == 0) mark = 0;
        }
        set(a.bits & b.bits, mark);
        break;
      }
      case Op::kOr: {
        const Slot &a = get(code.a), &b = get(code.b);
        set_or_poison({a.bits | b.bits, (code.flags & kExact) != 0 && (a.bits & b.bits) != 0},
                      JoinBytes(a.mark, b.mark));
        break;
      }
      case Op::kXor: {
        const Slot &a = get(code.a), &b = get(code.b);
        set(a.bits ^ b.bits, JoinBytes(a.mark, b.mark));
        break;
      }
      case Op::kShl:
      case Op::kLShr:
      case Op::kAShr: {
        const Slot &a = get(code.a), &b = get(code.b);
        Mark mark = Join(a.mark, b.mark);
        // Whole bytes move with their marks.
        if (IsUnspecified(a.mark) && b.mark == 0 && b.bits % 8 == 0 && b.bits < code.width &&
            code.op != Op::kAShr) {
          const Mark bytes = a.mark & kUnspecified;
          const Mark moved = code.op == Op::kShl ? bytes << b.bits / 8 : bytes >> b.bits / 8;
          const Mark kept = moved & MaskOf((code.width + 7) / 8);
          mark = (mark & ~kUnspecified) | kept;
          if ((mark & (kPoison | kUnspecified)) == 0) mark = 0;
        }
        set_or_poison(Shift(code.op, a.bits, b.bits, code.width, code.flags), mark);
        break;
      }
      case Op::kUDiv:
      case Op::kSDiv:
      case Op::kURem:
      case Op::kSRem:
        if (!RunDivision(thread, code, bases, registers)) return leave();
        break;
      case Op::kICmp: {
        const Slot &a = get(code.a), &b = get(code.b);
        const int64_t x = SignExtend(a.bits, code.width), y = SignExtend(b.bits, code.width);
        const bool same_sign = (x < 0) == (y < 0);
        Mark mark = Join(a.mark, b.mark);
        if ((code.flags & kExact) != 0 && !same_sign)
          mark = Join(mark, MakeMark(kPoison, code.source));
        set(Holds<uint64_t, int64_t>(code.aux, a.bits, b.bits, x, y), mark);
        break;
      }
      case Op::kWideBinary:
      case Op::kWideCompare:
      case Op::kWideTrunc:
      case Op::kWideExt:
        RunWide(thread, code, bases, registers);
        break;
      case Op::kTrunc: {
        const Slot& a = get(code.a);
        Mark mark = a.mark;
        if (mark != 0) {
          mark &= ~kUnspecified | MaskOf((code.width + 7) / 8);
          if ((mark & (kPoison | kUnspecified)) == 0) mark = 0;
        }
        const uint64_t bits = a.bits & MaskOf(code.width);
        if (code.flags != 0) {
          const bool lost = ((code.flags & kNoUnsignedWrap) && bits != a.bits) ||
                            ((code.flags & kNoSignedWrap) &&
                             SignExtend(bits, code.width) != SignExtend(a.bits, code.aux));
          if (lost) mark = Join(mark, MakeMark(kPoison, code.source));
        }
        set(bits, mark);
        break;
      }
      case Op::kZExt: {
        const Slot& a = get(code.a);
        set_or_poison({a.bits, (code.flags & kExact) != 0 && SignExtend(a.bits, code.aux) < 0},
                      a.mark);
        break;
      }
      case Op::kSExt: {
        const Slot& a = get(code.a);
        set(static_cast<uint64_t>(SignExtend(a.bits, code.aux)) & MaskOf(code.width),
            a.mark == 0 ? 0 : Join(a.mark, a.mark));
        break;
      }
      case Op::kIntrinsicBinary: {
        const Slot &a = get(code.a), &b = get(code.b);
        set_or_poison(
            ComputeBinary(static_cast<IntegerFunction>(code.aux), a.bits, b.bits, code.width),
            Join(a.mark, b.mark));
        break;
      }
      case Op::kIntrinsicUnary:
      case Op::kFunnelShift:
      case Op::kOverflowIntrinsic:
        RunIntrinsic(code, bases, registers);
        break;
      case Op::kFAdd32: {
        const Slot &a = get(code.a), &b = get(code.b);
        set(ResultBits(AsFloat(a.bits) + AsFloat(b.bits)), Join(a.mark, b.mark));
        break;
      }
      case Op::kFSub32: {
        const Slot &a = get(code.a), &b = get(code.b);
        set(ResultBits(AsFloat(a.bits) - AsFloat(b.bits)), Join(a.mark, b.mark));
        break;
      }
      case Op::kFMul32: {
        const Slot &a = get(code.a), &b = get(code.b);
        set(ResultBits(AsFloat(a.bits) * AsFloat(b.bits)), Join(a.mark, b.mark));
        break;
      }
      case Op::kFDiv32: {
        const Slot &a = get(code.a), &b = get(code.b);
        set(ResultBits(AsFloat(a.bits) / AsFloat(b.bits)), Join(a.mark, b.mark));
        break;
      }
      case Op::kFloatBinary: {
        const Slot &a = get(code.a), &b = get(code.b);
        set(Compute(static_cast<FloatFunction>(code.aux), static_cast<FloatKind>(code.width),
                    a.bits, b.bits),
            Join(a.mark, b.mark));
        break;
      }
      case Op::kFCmp: {
        const Slot &a = get(code.a), &b = get(code.b);
        set(Compare(code.aux, static_cast<FloatKind>(code.width), a.bits, b.bits),
            Join(a.mark, b.mark));
        break;
      }
      case Op::kFNeg:
      case Op::kFpClass:
      case Op::kMathUnary:
      case Op::kMathBinary:
      case Op::kMathTernary:
        RunFloat(code, bases, registers);
        break;
      case Op::kFpConvert:
      case Op::kFpToInt:
      case Op::kIntToFp:
      case Op::kToSmall:
      case Op::kFromSmall:
      case Op::kToTf32:
        RunConversion(code, bases, registers);
        break;
      case Op::kMove:
        registers[code.dst] = get(code.a);
        break;
      case Op::kSelect: {
        const Slot& a = get(code.a);
        Slot chosen = get((a.bits & 1) != 0 ? code.b : code.c);
        if (a.mark != 0) chosen.mark = Join(a.mark, chosen.mark);
        registers[code.dst] = chosen;
        break;
      }
      case Op::kFreeze: {
        // Frozen, a value is some value: a result that depends on it is still not specified.
        const Slot& a = get(code.a);
        Mark mark = a.mark;
        if (mark != 0) mark = (mark & ~kPoison) | kUnspecified | kFrozen | kOfFrozen;
        set(a.bits, mark);
        break;
      }
      case Op::kRepack:
        Repack(code, bases, registers);
        break;
      case Op::kExtractAt:
      case Op::kInsertAt:
        RunElement(code, bases, registers);
        break;
      case Op::kCheckRange: {
        const Slot& a = get(code.a);
        auto [low, high] = program_.ranges[code.imm];
        const bool inside =
            low < high ? a.bits >= low && a.bits < high : a.bits >= low || a.bits < high;
        set_or_poison({a.bits, !inside}, a.mark);
        break;
      }
      case Op::kCheckNotUndef: {
        const Slot& a = get(code.a);
        if (a.mark != 0 && !IsFrozen(a.mark))
          ReportMark(thread, code, a, "an argument", Claim::kValues);
        if (stopped) return leave();
        break;
      }
      case Op::kGep: {
        const Slot &a = get(code.a), &b = get(code.b);
        const auto index = static_cast<uint64_t>(SignExtend(b.bits, code.aux));
        set(a.bits + index * static_cast<uint64_t>(code.imm), Join(a.mark, b.mark));
        break;
      }
      case Op::kOffset:
        set(get(code.a).bits + static_cast<uint64_t>(code.imm), Join(get(code.a).mark, 0));
        break;
      case Op::kCheckInBounds: {
        const Slot &a = get(code.a), &b = get(code.b);
        set(a.bits, Join(a.mark, InBounds(a.bits, b.bits, code)));
        break;
      }
      case Op::kAlloca: {
        const Slot pointer = Alloca(thread, code, static_cast<int64_t>(get(code.a).bits));
        if (stopped) return leave();
        registers[code.dst] = pointer;
        break;
      }
      case Op::kLoad: {
        const Slot address = get(code.a);
        for (uint32_t k = 0; k < code.c; ++k) {
          Slot loaded = Load(thread, code, address, code.imm + int64_t{k} * code.width, code.width,
                             k == 0 ? code.aux : 0);
          loaded.bits &= MaskOf(code.b);
          registers[code.dst + k] = loaded;
        }
        if (stopped) return leave();
        break;
      }
      case Op::kStore:
        Store(thread, code, get(code.a), code.imm, code.width, code.aux, get(code.b));
        if (stopped) return leave();
        break;
      case Op::kStartCopy:
        StartCopy(thread, code, get(code.a), get(code.b), get(code.c));
        if (stopped) return leave();
        break;
      case Op::kCommitCopies:
        CommitCopies(thread);
        break;
      case Op::kWaitCopies:
        WaitCopies(thread, code.imm);
        if (stopped) return leave();
        break;
      case Op::kCommitProducts:
        RecordGroupStep(thread, code, {});
        thread.product_groups.push_back(std::move(thread.reads));
        thread.reads.clear();
        break;
      case Op::kWaitForProducts:
        RecordGroupStep(thread, code, {});
        WaitForProducts(thread, code.imm);
        if (stopped) return leave();
        break;
      case Op::kObserve:
        Observe(thread, code, get(code.a));
        break;
      case Op::kMemFill:
      case Op::kMemCopy:
      case Op::kAtomicRmw:
      case Op::kCompareExchange:
        if (code.op == Op::kMemFill) MemFill(thread, code);
        if (code.op == Op::kMemCopy) MemCopy(thread, code);
        if (code.op == Op::kAtomicRmw) AtomicRmw(thread, code);
        if (code.op == Op::kCompareExchange) CompareExchange(thread, code);
        if (stopped) return leave();
        break;
      case Op::kJump:
        jump(static_cast<uint32_t>(code.imm));
        continue;
      case Op::kJumpBack:
        jump(static_cast<uint32_t>(code.imm));
        if (!GoesOn(thread, code, this->codes + executed)) return leave();
        continue;
      case Op::kBranch: {
        const Slot& a = get(code.a);
        if (a.mark != 0) {
          ReportCondition(thread, code, a, "the condition of a branch");
          if (stopped) return leave();
        }
        jump((a.bits & 1) != 0 ? code.b : code.c);
        continue;
      }
      case Op::kSwitch: {
        const Slot& a = get(code.a);
        if (a.mark != 0) {
          ReportCondition(thread, code, a, "the condition of a switch");
          if (stopped) return leave();
        }
        const SwitchTable& table = program_.switches[code.imm];
        auto found = llvm::lower_bound(table.cases, a.bits, [](const auto& entry, uint64_t bits) {
          return entry.first < bits;
        });
        const bool hit = found != table.cases.end() && found->first == a.bits;
        jump(hit ? found->second : table.otherwise);
        continue;
      }
      case Op::kCall: {
        const Function& callee = program_.functions[code.imm];
        if (thread.calls.size() >= kMostCalls) {
          GiveUp(thread, code, Claim::kBarriers,
                 "calls nest more than " + std::to_string(kMostCalls) + " deep");
          return leave();
        }
        const uint32_t base = thread.base + thread.num_registers;
        if (thread.registers.size() < base + callee.registers) {
          thread.registers.resize(2 * size_t{base + callee.registers});
          bases[0] = registers = thread.registers.data() + thread.base;
        }
        for (uint32_t k = 0; k < code.c; ++k) {
          thread.registers[base + callee.parameters[k]] = get(program_.lists[code.b + k]);
        }
        thread.calls.push_back({pc, thread.base, thread.num_registers, thread.local_top});
        thread.base = base;
        thread.num_registers = callee.registers;
        bases[0] = registers = thread.registers.data() + base;
        jump(callee.entry);
        continue;
      }
      case Op::kReturn: {
        const Frame frame = thread.calls.back();
        thread.calls.pop_back();
        const Code& call = codes[frame.call];
        for (uint32_t k = 0; k < code.c; ++k) {
          thread.registers[frame.base + call.dst + k] = get(program_.lists[code.b + k]);
        }
        thread.base = frame.base;
        thread.num_registers = frame.registers;
        thread.local_top = frame.local_top;
        regions_[kLocalRegion].size = regions_[kLocalRegion].allocated = thread.local_top;
        bases[0] = registers = thread.registers.data() + thread.base;
        jump(frame.call + 1);
        continue;
      }
      case Op::kExit:
        thread.state = Thread::kDone;
        return leave();
      case Op::kUnreachable:
      case Op::kTrap:
        Report(thread, code, Claim::kIntegers,
               code.op == Op::kTrap ? "traps" : "reaches what is said to be unreachable");
        thread.state = Thread::kDone;
        return leave();
      case Op::kAssume: {
        const Slot& a = get(code.a);
        if (a.mark != 0) {
          ReportMark(thread, code, a, "an assumption", Claim::kIntegers);
        } else if ((a.bits & 1) == 0) {
          Report(thread, code, Claim::kIntegers, "an assumption does not hold");
        }
        if (stopped) return leave();
        break;
      }
      case Op::kRelease:
        Release(thread, code, get(code.a));
        break;
      case Op::kAcquire:
        Acquire(thread, get(code.a));
        break;
      case Op::kFence:
        Fence(thread, code);
        break;
      case Op::kSpecial:
        set(SpecialRegisterOf(thread, static_cast<affirm::kernel::SpecialRegister>(code.aux)), 0);
        break;
      case Op::kBarrier:
        if ((code.flags & kArrives) != 0) {
          Arrive(thread, code);
          if (stopped) return leave();
          break;
        }
        [[fallthrough]];
      case Op::kWarpSync:
      case Op::kShuffle:
      case Op::kVote:
      case Op::kReduceLanes:
      case Op::kExchange:
      case Op::kLoadMatrix:
      case Op::kStoreMatrix:
      case Op::kMultiplyMatrices:
      case Op::kMultiplyShared:
        thread.state = Thread::kWaiting;
        return leave();
    }
    ++pc;
  }
}

}  // namespace affirm::kernel
