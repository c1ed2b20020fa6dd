// Atomic updates and compare-and-swaps of emulated threads.
#include <algorithm>

#include "llvm/IR/Instructions.h"
#include "verify/kernel/emulator/float_ops.h"
#include "verify/kernel/emulator/integer_ops.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

AccessKind KindOfAtomic(const Code& code) {
  return (code.flags & kOfBlock) != 0 ? AccessKind::kAtomicOfBlock : AccessKind::kAtomic;
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
  result = {0, MakeMark(kUnspecified, code.source)};
  if (region == nullptr) return;
  if (value.mark != 0) {
    ReportMark(thread, code, value.mark, "a value of an atomic update",
               IsPoison(value.mark) ? Claim::kIntegers : Claim::kValues);
  }
  if (region->shadow != nullptr) {
    RecordAccess(thread, code, *region, offset, width, KindOfAtomic(code), false);
  }
  Slot old{region->Read(offset, width), 0};
  for (unsigned k = 0; region->has_marks() && k < width; ++k) {
    if (region->MarkAt(offset + k) != 0) old.mark = MakeMark(kUnspecified, code.source);
  }
  const uint64_t a = old.bits, b = value.bits;
  const auto kind = static_cast<FloatKind>(code.c);
  const unsigned bits = code.width;
  uint64_t next = 0;
  using Rmw = llvm::AtomicRMWInst;
  switch (code.aux) {
    case Rmw::Xchg:
      next = b;
      old.mark = 0;
      break;
    case Rmw::Add:
      next = a + b;
      break;
    case Rmw::Sub:
      next = a - b;
      break;
    case Rmw::And:
      next = a & b;
      break;
    case Rmw::Nand:
      next = ~(a & b);
      break;
    case Rmw::Or:
      next = a | b;
      break;
    case Rmw::Xor:
      next = a ^ b;
      break;
    case Rmw::Max:
      next = ComputeBinary(IntegerFunction::kSMax, a, b, bits).bits;
      break;
    case Rmw::Min:
      next = ComputeBinary(IntegerFunction::kSMin, a, b, bits).bits;
      break;
    case Rmw::UMax:
      next = std::max(a, b);
      break;
    case Rmw::UMin:
      next = std::min(a, b);
      break;
    case Rmw::FAdd:
      next = Compute(FloatFunction::kAdd, kind, a, b);
      break;
    case Rmw::FSub:
      next = Compute(FloatFunction::kSub, kind, a, b);
      break;
    case Rmw::FMax:
      next = Compute(FloatFunction::kMaxNum, kind, a, b);
      break;
    case Rmw::FMin:
      next = Compute(FloatFunction::kMinNum, kind, a, b);
      break;
    case Rmw::FMaximum:
      next = Compute(FloatFunction::kMaximum, kind, a, b);
      break;
    case Rmw::FMinimum:
      next = Compute(FloatFunction::kMinimum, kind, a, b);
      break;
    case Rmw::UIncWrap:
      next = a >= b ? 0 : a + 1;
      break;
    case Rmw::UDecWrap:
      next = a == 0 || a > b ? b : a - 1;
      break;
    case Rmw::USubCond:
      next = a >= b ? a - b : a;
      break;
    default:  // USubSat
      next = a >= b ? a - b : 0;
      break;
  }
  // Contents of shared memory may be dropped; a result may not.
  const bool unspecified = old.mark != 0 && region->kind != Region::kGlobal;
  if (old.mark != 0 && !unspecified) {
    Finding finding = FindingAt(thread, code, Claim::kValues, "updates what nobody has written");
    PlaceIn(finding, *region, offset);
    Report(std::move(finding));
  }
  result = {region->Read(offset, width), old.mark};
  region->Write(offset, next & MaskOf(bits), width);
  changes_ += result.bits != (next & MaskOf(bits));
  for (unsigned k = 0; region->has_marks() && k < width; ++k) {
    region->SetMark(offset + k, unspecified ? kByteUnspecified : kByteSpecified);
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
    old = {0, MakeMark(kUnspecified, code.source)};
    success = {1, 0};  // so that the loop ends
    return;
  }
  // Bits of a word are set that way whatever the others hold: what the first load found of memory
  // that nobody wrote, which the machine has as it has it.
  ++atomics_;
  const Mark mark = Join(expected.mark, next.mark);
  if (IsPoison(mark))
    ReportMark(thread, code, mark, "a value of a compare-and-swap", Claim::kIntegers);
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
