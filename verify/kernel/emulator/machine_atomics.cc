// Atomic updates and compare-and-swaps of emulated threads.
#include <algorithm>

#include "llvm/IR/Instructions.h"
#include "verify/kernel/emulator/float_ops.h"
#include "verify/kernel/emulator/integer_ops.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

// The result of an update with the bits a of memory and its operand b, bits beyond the width
// included.
uint64_t UpdatedBits(const Code& code, uint64_t a, uint64_t b) {
  const auto kind = static_cast<FloatKind>(code.c);
  const unsigned bits = code.width;
  using Rmw = llvm::AtomicRMWInst;
  switch (code.aux) {
    case Rmw::Xchg:
      return b;
    case Rmw::Add:
      return a + b;
    case Rmw::Sub:
      return a - b;
    case Rmw::And:
      return a & b;
    case Rmw::Nand:
      return ~(a & b);
    case Rmw::Or:
      return a | b;
    case Rmw::Xor:
      return a ^ b;
    case Rmw::Max:
      return ComputeBinary(IntegerFunction::kSMax, a, b, bits).bits;
    case Rmw::Min:
      return ComputeBinary(IntegerFunction::kSMin, a, b, bits).bits;
    case Rmw::UMax:
      return std::max(a, b);
    case Rmw::UMin:
      return std::min(a, b);
    case Rmw::FAdd:
      return Compute(FloatFunction::kAdd, kind, a, b);
    case Rmw::FSub:
      return Compute(FloatFunction::kSub, kind, a, b);
    case Rmw::FMax:
      return Compute(FloatFunction::kMaxNum, kind, a, b);
    case Rmw::FMin:
      return Compute(FloatFunction::kMinNum, kind, a, b);
    case Rmw::FMaximum:
      return Compute(FloatFunction::kMaximum, kind, a, b);
    case Rmw::FMinimum:
      return Compute(FloatFunction::kMinimum, kind, a, b);
    case Rmw::UIncWrap:
      return a >= b ? 0 : a + 1;
    case Rmw::UDecWrap:
      return a == 0 || a > b ? b : a - 1;
    case Rmw::USubCond:
      return a >= b ? a - b : a;
    default:  // USubSat
      return a >= b ? a - b : 0;
  }
}

}  // namespace

void Machine::AtomicRmw(Thread& thread, const Code& code) {
  const Slot address = ValueOf(thread, code.a), value = ValueOf(thread, code.b);
  const unsigned width = code.width / 8u;
  int64_t offset = 0;
  Region* region = Check(thread, code, address, 0, width, static_cast<int>(code.imm),
                         AccessKind::kAtomic, offset);
  ++atomics_;
  Slot& result = RegisterOf(thread, code.dst);
  result = Unspecified(code);
  if (region == nullptr) return;
  if (value.mark != 0) {
    ReportMark(thread, code, value, "a value of an atomic update",
               IsPoison(value.mark) ? Claim::kIntegers : Claim::kValues);
  }
  if (region->shadow != nullptr) {
    RecordAccess(thread, code, *region, offset, width, KindOfAtomic(code), false);
  }
  Slot old{region->Read(offset, width), 0};
  if (region->has_marks()) {
    const Mark of_bytes = region->MarkOf(offset, width);
    const Mark frozen = of_bytes & (kFrozen | kOfFrozen);
    if (of_bytes != 0) old.mark = MakeMark(kUnspecified | frozen, code.source);
  }
  if (code.aux == llvm::AtomicRMWInst::Xchg) old.mark = 0;
  const uint64_t next = UpdatedBits(code, old.bits, value.bits) & MaskOf(code.width);
  // Contents of shared memory may be dropped; a result may not.
  const bool unspecified = old.mark != 0 && region->kind != Region::kGlobal;
  if (old.mark != 0 && !unspecified) {
    Finding finding = FindingAt(thread, code, Claim::kValues, "updates what nobody has written");
    PlaceIn(finding, *region, offset);
    Report(std::move(finding));
  }
  result = {region->Read(offset, width), old.mark};
  region->Write(offset, next, width);
  changes_ += result.bits != next;
  for (unsigned k = 0; region->has_marks() && k < width; ++k) {
    region->SetMark(offset + k, unspecified ? ByteMarkOf(old.mark, k) : kByteSpecified);
  }
}

void Machine::CompareExchange(Thread& thread, const Code& code) {
  const Slot address = ValueOf(thread, code.a);
  const Slot expected = ValueOf(thread, code.b), next = ValueOf(thread, code.c);
  int64_t offset = 0;
  Region* region =
      Check(thread, code, address, 0, code.width, code.aux, AccessKind::kAtomic, offset);
  Slot &old = RegisterOf(thread, code.dst), &success = RegisterOf(thread, code.dst + 1);
  if (region == nullptr) {
    old = Unspecified(code);
    success = {1, 0};  // so that the loop ends
    return;
  }
  // Loops set some bits of a word this way, whatever the others hold. The first load may find
  // memory that no thread wrote, whose bits on a device are unspecified.
  ++atomics_;
  const Mark mark = Join(expected.mark, next.mark);
  if (IsPoison(mark))
    ReportMark(thread, code, {expected.bits ^ next.bits * 31, mark},
               "a value of a compare-and-swap", Claim::kIntegers);
  old = {region->Read(offset, code.width), 0};
  success = {old.bits == expected.bits, 0};
  const uint64_t changed = success.bits != 0 ? old.bits ^ next.bits : 0;
  for (unsigned k = 0; region->shadow != nullptr && k < code.width; ++k) {
    if (offset + k >= region->size) break;
    const bool kept = ((changed >> (8 * k)) & 0xff) == 0;
    RecordAccess(thread, code, *region, offset + k, 1, KindOfAtomic(code), kept);
  }
  if (success.bits != 0) {
    exchanged_[address.bits] = {old.bits, code.width, epoch_, {{block_, thread.index}}};
    changes_ += old.bits != next.bits;
    region->Write(offset, next.bits, code.width);
    for (unsigned k = 0; region->has_marks() && k < code.width; ++k) {
      region->SetMark(offset + k, kByteSpecified);
    }
  } else if (auto before = exchanged_.find(address.bits); before != exchanged_.end()) {
    before->second.seen.insert({block_, thread.index});
  }
}

}  // namespace affirm::kernel
