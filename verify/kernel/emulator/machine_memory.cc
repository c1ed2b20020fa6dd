// Loads and stores of emulated threads.
#include <algorithm>
#include <cstring>

#include "llvm/IR/Instructions.h"
#include "verify/kernel/emulator/float_ops.h"
#include "verify/kernel/emulator/integer_ops.h"
#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

// The gap of local memory between two variables, so that leaving one is noticed.
constexpr int64_t kLocalGap = 16;
constexpr int64_t kMostLocalBytes = int64_t{1} << 26;

AccessKind KindOfLoad(const Code& code) {
  if ((code.flags & kStartsExchange) != 0) return AccessKind::kExchangeRead;
  if ((code.flags & kAtomicLoad) == 0) return AccessKind::kRead;
  return (code.flags & kOfBlock) != 0 ? AccessKind::kAtomicReadOfBlock : AccessKind::kAtomicRead;
}

std::string Bytes(unsigned width) {
  return std::to_string(width) + (width == 1 ? " byte" : " bytes");
}

}  // namespace

Region* Machine::Check(Thread& thread, const Code& code, Slot address, int64_t more, unsigned width,
                       int log2_align, AccessKind kind, int64_t& offset) {
  const uint64_t at = address.bits + static_cast<uint64_t>(more);
  const uint64_t number = RegionOf(at);
  if (address.mark == 0 && number < regions_.size()) {
    Region& region = regions_[number];
    offset = OffsetOf(at);
    const bool inside = offset >= 0 && offset + static_cast<int64_t>(width) <= region.size;
    const bool aligned = region.IsAligned(offset, log2_align);
    const bool allowed = region.writable || IsRead(kind);
    if (inside && aligned && allowed && region.kind != Region::kLocal) return &region;
  }
  return CheckSlowly(thread, code, address, more, width, log2_align, kind, offset);
}

void Machine::Observe(const Thread& thread, const Code& code, Slot address) {
  const uint64_t at = address.bits + static_cast<uint64_t>(int64_t{static_cast<int32_t>(code.c)});
  const uint64_t region = RegionOf(at);
  if (options_.observer == nullptr || address.mark != 0 || region >= regions_.size()) return;
  const Region::Kind kind = regions_[region].kind;
  if (kind != Region::kGlobal && kind != Region::kShared) return;
  options_.observer->Observe({block_, thread.index, program_.sources[code.source].line,
                              kind == Region::kShared, region, OffsetOf(at), code.imm});
}

Region* Machine::CheckSlowly(Thread& thread, const Code& code, Slot address, int64_t more,
                             unsigned width, int log2_align, AccessKind kind, int64_t& offset) {
  const uint64_t at = address.bits + static_cast<uint64_t>(more);
  const uint64_t number = RegionOf(at);
  const bool reads = IsRead(kind);
  const std::string verb = reads ? "reads " : kind == AccessKind::kAtomic ? "updates " : "writes ";
  if (IsUnspecified(address.mark)) {
    ReportMark(thread, code, address, "an address", Claim::kBounds);
    return nullptr;
  }
  if (number >= regions_.size() || regions_[number].kind == Region::kNone) {
    if (program_.makes_pointers && at != 0) {
      GiveUp(thread, code, Claim::kBounds,
             "the address comes from an integer that does not say which buffer it is of");
      return nullptr;
    }
    Report(thread, code, Claim::kBounds,
           verb + Bytes(width) + (at == 0 ? " at null" : " where there is no buffer"));
    return nullptr;
  }
  Region& region = regions_[number];
  offset = OffsetOf(at);
  // The compare-and-swap of a whole word around a narrow element may touch the padding.
  const bool exchanges = kind == AccessKind::kExchangeRead ||
                         (kind == AccessKind::kAtomic && code.op == Op::kCompareExchange);
  const int64_t end = exchanges && offset < region.size ? region.allocated : region.size;
  bool inside = offset >= 0 && offset + static_cast<int64_t>(width) <= end;
  if (inside && region.kind == Region::kLocal) {
    inside = std::none_of(region.marks + offset, region.marks + offset + width,
                          [](uint8_t mark) { return mark == kByteOutside; });
  }
  auto report = [&](Claim claim, const std::string& what) {
    Finding finding = FindingAt(thread, code, claim, what);
    PlaceIn(finding, region, offset);
    Report(std::move(finding));
  };
  if (!inside) {
    report(Claim::kBounds, verb + Bytes(width) + " outside of a buffer of " +
                               std::to_string(region.size) + " bytes");
    return nullptr;
  }
  if (IsPoison(address.mark)) {
    ReportMark(thread, code, address, "an address", Claim::kIntegers);
    return nullptr;
  }
  if (!reads && !region.writable) {
    report(Claim::kBounds, verb + Bytes(width) + " in what is only read");
    return nullptr;
  }
  if (!region.IsAligned(offset, log2_align)) {
    report(Claim::kBounds, verb + Bytes(width) + " that are not aligned to " +
                               std::to_string(int64_t{1} << log2_align) + " bytes");
    return nullptr;
  }
  return &region;
}

void Machine::RecordAccess(Thread& thread, const Code& code, Region& region, int64_t offset,
                           unsigned width, AccessKind kind, bool same_value) {
  const Accessor& warp = warps_[thread.index / kWarpSize];
  const Accessor by{static_cast<uint32_t>(block_),
                    static_cast<uint16_t>(thread.index),
                    warp.warp_step,
                    epoch_,
                    code.source,
                    warp.shuffles,
                    thread.moments};
  if (region.aliases != nullptr) RecordAlias(thread, code, region, offset, width, kind);
  std::optional<Conflict> conflict = region.shadow->Record(
      offset, width, kind, by, same_value, {thread.known.get(), thread.known_reads.get()});
  if (!conflict) return;
  const bool in_order = conflict->kind == Conflict::kWrittenTwice;
  if (in_order && region.in_place) return;
  std::string what;
  switch (conflict->kind) {
    case Conflict::kReadAfterWrite:
      what = "reads what another thread writes, and nothing orders them";
      break;
    case Conflict::kWriteAfterRead:
      what = "writes what another thread reads, and nothing orders them";
      break;
    case Conflict::kWriteAfterWrite:
      what = "writes what another thread writes, and nothing orders them";
      break;
    case Conflict::kWrittenTwice:
      what = "writes an element that another thread has written";
      break;
  }
  what += " (" + Describe(conflict->other) + ")";
  Finding finding = FindingAt(thread, code, in_order ? Claim::kWrites : Claim::kRaces, what);
  // The order decides which value stays; that one is compared.
  if (in_order) finding.kind = Finding::Kind::kNotModelled;
  PlaceIn(finding, region, offset);
  Report(std::move(finding));
}

void Machine::RecordAlias(const Thread& thread, const Code& code, const Region& region,
                          int64_t offset, unsigned width, AccessKind kind) {
  const bool writes = !IsRead(kind);
  const bool invariant = code.op == Op::kLoad && (code.flags & kInvariant) != 0;
  const bool in_order =
      (code.op == Op::kLoad || code.op == Op::kStore) && (code.flags & kInOrder) != 0;
  const bool noalias = region.argument >= 0 && program_.noalias[region.argument] && !in_order;
  const char* wrong = region.aliases->Record(offset, width, region.argument, noalias,
                                             writes      ? AliasShadow::kWrites
                                             : invariant ? AliasShadow::kReadsInvariant
                                                         : AliasShadow::kReads);
  if (wrong == nullptr) return;
  Finding finding = FindingAt(thread, code, Claim::kRaces, wrong);
  PlaceIn(finding, region, offset);
  Report(std::move(finding));
}

bool Machine::MayBeStale(const Exchanged& before, const Thread& thread,
                         const Region& region) const {
  // Blocks have memory of their own, or no barrier together.
  const bool concurrent = before.epoch == epoch_ ||
                          (region.kind != Region::kShared && before.seen.begin()->first != block_);
  return concurrent && !before.seen.contains({block_, thread.index});
}

Slot Machine::Load(Thread& thread, const Code& code, Slot address, int64_t more, unsigned width,
                   int log2_align) {
  const AccessKind kind = code.op == Op::kLoad ? KindOfLoad(code) : AccessKind::kRead;
  atomics_ += kind != AccessKind::kRead;
  int64_t offset = 0;
  Region* region = Check(thread, code, address, more, width, log2_align, kind, offset);
  if (region == nullptr) return Unspecified(code);
  Slot loaded{region->Read(offset, width), 0};
  // The expected value of a compare-and-swap may be loaded before another thread's exchange.
  if (kind == AccessKind::kExchangeRead && options_.seed != 0) {
    auto before = exchanged_.find(address.bits + static_cast<uint64_t>(more));
    if (before != exchanged_.end() && before->second.width == width) {
      if (MayBeStale(before->second, thread, *region)) loaded.bits = before->second.bits;
    }
  }
  if (region->shadow != nullptr) {
    RecordAccess(thread, code, *region, offset, width, kind, false);
  }
  if (region->has_marks()) {
    if (const Mark mark = region->MarkOf(offset, width); mark != 0)
      loaded.mark = MakeMark(mark, code.source);
  }
  return loaded;
}

void Machine::Store(Thread& thread, const Code& code, Slot address, int64_t more, unsigned width,
                    int log2_align, Slot value) {
  int64_t offset = 0;
  const AccessKind kind =
      (code.flags & kAtomicStore) != 0 ? KindOfAtomic(code) : AccessKind::kWrite;
  Region* region = Check(thread, code, address, more, width, log2_align, kind, offset);
  if (region == nullptr) return;
  // LangRef, "Poison Values": memory may hold poison. What the block or the thread keeps for itself
  // may be dropped.
  const bool keeps_poison =
      IsPoison(value.mark) && region->kind != Region::kGlobal && region->has_marks();
  if (IsPoison(value.mark) && !keeps_poison) {
    ReportMark(thread, code, value, "a value that is stored", Claim::kIntegers);
  } else if (IsUnspecified(value.mark) && region->kind == Region::kGlobal && !region->packed) {
    ReportMark(thread, code, value, "a value that is stored in a result", Claim::kValues);
  }
  const bool same = value.mark == 0 && region->Read(offset, width) == value.bits;
  changes_ += !same;
  // A store comes after all swaps that are ordered before it.
  if (!exchanged_.empty()) exchanged_.erase(address.bits + static_cast<uint64_t>(more));
  if (region->shadow != nullptr) {
    RecordAccess(thread, code, *region, offset, width, kind, same);
  }
  region->Write(offset, value.bits, width);
  if (!region->has_marks()) return;
  for (unsigned k = 0; k < width; ++k) {
    const Mark kept = region->kind != Region::kGlobal ? value.mark : 0;
    region->SetMark(offset + k, keeps_poison ? kBytePoison : ByteMarkOf(kept, k));
  }
}

void Machine::MemFill(Thread& thread, const Code& code) {
  const Slot address = ValueOf(thread, code.a), value = ValueOf(thread, code.b);
  const uint64_t length = ValueOf(thread, code.c).bits;
  if (length > kMostLocalBytes)
    return GiveUp(thread, code, Claim::kBounds, "fills more bytes than the emulator does");
  for (uint64_t k = 0; k < length && !stopped; ++k) {
    Store(thread, code, address, static_cast<int64_t>(k), 1, 0, value);
  }
}

void Machine::MemCopy(Thread& thread, const Code& code) {
  const Slot to = ValueOf(thread, code.a), from = ValueOf(thread, code.b);
  const uint64_t length = ValueOf(thread, code.c).bits;
  if (length > kMostLocalBytes) {
    return GiveUp(thread, code, Claim::kBounds, "copies more bytes than the emulator does");
  }
  // As memmove does: everything is read first.
  std::vector<Slot> bytes;
  for (uint64_t k = 0; k < length && !stopped; ++k) {
    bytes.push_back(Load(thread, code, from, static_cast<int64_t>(k), 1, 0));
  }
  for (uint64_t k = 0; k < bytes.size() && !stopped; ++k) {
    Store(thread, code, to, static_cast<int64_t>(k), 1, 0, bytes[k]);
  }
}

Slot Machine::Alloca(Thread& thread, const Code& code, int64_t count) {
  const int64_t align = std::max<int64_t>(int64_t{1} << code.aux, 1);
  if (count < 0 || count > kMostLocalBytes || align > kMostLocalBytes ||
      code.imm > kMostLocalBytes || count * code.imm + thread.local_top > kMostLocalBytes) {
    GiveUp(thread, code, Claim::kBounds,
           "takes more local memory than the emulator has for a thread");
    return {};
  }
  const int64_t bytes = count * code.imm;
  // Aligned to what the instruction says, and to no more.
  int64_t begin = (thread.local_top + kLocalGap + align - 1) / align * align;
  if (begin % (2 * align) == 0) begin += align;
  const int64_t top = begin + bytes + kLocalGap;
  if (static_cast<int64_t>(thread.local.size()) < top) {
    thread.local.resize(top * 2);
    thread.local_marks.resize(top * 2, kByteOutside);
    regions_[kLocalRegion].data = thread.local.data();
    regions_[kLocalRegion].marks = thread.local_marks.data();
  }
  std::fill(thread.local_marks.begin() + thread.local_top, thread.local_marks.begin() + top,
            kByteOutside);
  std::fill_n(thread.local_marks.begin() + begin, bytes, kByteUnspecified);
  if (HoldsOnes(options_)) std::fill_n(thread.local.begin() + begin, bytes, kOtherByte);
  thread.local_top = top;
  regions_[kLocalRegion].size = regions_[kLocalRegion].allocated = top;
  return {AddressOf(kLocalRegion) + static_cast<uint64_t>(begin), 0};
}

Mark Machine::InBounds(uint64_t address, uint64_t base, const Code& code) const {
  const uint64_t number = RegionOf(base);
  if (number >= regions_.size()) return MakeMark(kPoison, code.source);
  const Region& region = regions_[number];
  if (region.kind == Region::kLocal) return 0;
  const int64_t offset = OffsetOf(address);
  const bool inside = RegionOf(address) == number && offset >= 0 && offset <= region.size;
  return inside ? 0 : MakeMark(kPoison, code.source);
}

void Machine::Repack(const Code& code, const Slot* const bases[2], Slot* registers) const {
  const kernel::Repack& repack = program_.repacks[code.imm];
  // Bits in order, in up to 4,096 scalars; pieces of at most 64 bits.
  enum : uint8_t { kOpen = 1, kIsPoison = 2, kTouched = 4, kNotFrozen = 8 };
  std::vector<uint8_t> bytes, marks;
  Mark mark = 0;
  size_t total = 0;
  for (uint8_t width : repack.from) total += width;
  bytes.assign(total / 8 + 9, 0);
  marks.assign(total / 8 + 9, 0);
  size_t at = 0;
  for (size_t k = 0; k < repack.from.size(); ++k) {
    const Operand operand = repack.operands[k];
    const Slot& slot = bases[operand & 1][operand >> 1];
    if (slot.mark != 0) mark = slot.mark;
    for (unsigned bit = 0; bit < repack.from[k]; ++bit, ++at) {
      bytes[at / 8] |= (slot.bits >> bit & 1) << (at % 8);
      if ((slot.mark & (kPoison | Mark{1} << bit / 8)) == 0) continue;
      marks[at / 8] |= kOpen;
      if (IsPoison(slot.mark)) marks[at / 8] |= kIsPoison;
      if (IsOfFrozen(slot.mark)) marks[at / 8] |= kTouched;
      if (!IsFrozen(slot.mark)) marks[at / 8] |= kNotFrozen;
    }
  }
  at = 0;
  for (size_t k = 0; k < repack.to.size(); ++k) {
    Slot made;
    uint8_t all = 0;
    for (unsigned bit = 0; bit < repack.to[k]; ++bit, ++at) {
      made.bits |= static_cast<uint64_t>(bytes[at / 8] >> (at % 8) & 1) << bit;
      if (marks[at / 8] & kOpen) made.mark |= Mark{1} << bit / 8;
      all |= marks[at / 8];
    }
    if (all & kIsPoison) made.mark |= kPoison;
    if (all & kTouched) made.mark |= kOfFrozen;
    if (made.mark != 0 && (all & kNotFrozen) == 0) made.mark |= kFrozen;
    if (made.mark != 0) made.mark |= mark >> kOriginShift << kOriginShift;
    registers[code.dst + k] = made;
  }
}

}  // namespace affirm::kernel
