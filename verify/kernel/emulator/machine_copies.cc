// Asynchronous copies from global to shared memory (PTX ISA, "cp.async").
//
// A copy may write at any time from its start to its end, which is when the thread has waited for
// it. So the emulator writes twice: unspecified bytes at the start, so that no thread finds data
// there, and the data at the end. Both are ordinary writes to the race detector. A write of another
// thread in between would be lost, even if no thread ever waits for the copy. The copy may also
// read at any time, so its source must be the same at its start and at its end.
#include <algorithm>

#include "verify/kernel/emulator/machine.h"

namespace affirm::kernel {
namespace {

constexpr unsigned kPiece = 4;  // bytes

int Log2(unsigned bytes) { return bytes == 16 ? 4 : bytes == 8 ? 3 : 2; }

}  // namespace

void Machine::StartCopy(Thread& thread, const Code& code, Slot to, Slot from, Slot bytes) {
  if (bytes.mark != 0) {
    ReportMark(thread, code, bytes, "the size of a copy", Claim::kBounds);
    return;
  }
  if (bytes.bits > code.width) {
    Report(thread, code, Claim::kBounds, "copies more bytes than it writes");
    return;
  }
  StartedCopy copy{code, to, from, static_cast<unsigned>(bytes.bits)};
  for (unsigned at = 0; at < code.width && !stopped; at += kPiece) {
    const int align = at == 0 ? Log2(code.width) : 0;
    if (at < copy.bytes) {
      copy.pieces[at / kPiece] =
          Load(thread, code, from, at, std::min(kPiece, copy.bytes - at), align);
    }
    if (stopped) return;
    // An unlikely pattern: storing bits that are there already would be no conflict.
    Store(thread, code, to, at, kPiece, align,
          {HoldsOnes(options_) ? 0x5a3c5a3c : 0xa5c3a5c3, MakeMark(kUnspecified, code.source)});
  }
  thread.copies.push_back(copy);
}

void Machine::CommitCopies(Thread& thread) {
  thread.groups.push_back(std::move(thread.copies));
  thread.copies.clear();
}

void Machine::WaitCopies(Thread& thread, int64_t but) {
  while (std::ssize(thread.groups) > std::max<int64_t>(but, 0)) {
    for (const StartedCopy& copy : thread.groups.front()) EndCopy(thread, copy);
    thread.groups.pop_front();
    if (stopped) return;
  }
  if (but >= 0) return;
  for (const StartedCopy& copy : thread.copies) EndCopy(thread, copy);
  thread.copies.clear();
}

bool Machine::CheckUntouched(Thread& thread, const StartedCopy& copy, unsigned at) {
  int64_t offset = 0;
  const Region* region =
      Check(thread, copy.code, copy.to, at, kPiece, 0, AccessKind::kRead, offset);
  if (region == nullptr) return false;
  const bool untouched = std::all_of(region->marks + offset, region->marks + offset + kPiece,
                                     [](uint8_t mark) { return mark != 0; });
  if (untouched) return true;
  Finding finding = FindingAt(thread, copy.code, Claim::kRaces,
                              "is written to while a copy to there has not ended");
  PlaceIn(finding, *region, offset);
  Report(std::move(finding));
  return false;
}

void Machine::CheckOpenCopies(Thread& thread) {
  CommitCopies(thread);
  for (const std::vector<StartedCopy>& group : thread.groups) {
    for (const StartedCopy& copy : group) {
      for (unsigned at = 0; at < copy.code.width && !stopped; at += kPiece) {
        if (!CheckUntouched(thread, copy, at)) return;
      }
    }
  }
}

void Machine::EndCopy(Thread& thread, const StartedCopy& copy) {
  for (unsigned at = 0; at < copy.code.width && !stopped; at += kPiece) {
    if (!CheckUntouched(thread, copy, at)) return;
    Slot value{0, 0};
    if (at < copy.bytes)
      value = Load(thread, copy.code, copy.from, at, std::min(kPiece, copy.bytes - at), 0);
    const Slot& before = copy.pieces[at / kPiece];
    if (!stopped && (value.bits != before.bits || value.mark != before.mark)) {
      Report(thread, copy.code, Claim::kRaces,
             "what a copy reads is written to before it has ended");
      return;
    }
    if (!stopped) Store(thread, copy.code, copy.to, at, kPiece, 0, value);
  }
}

}  // namespace affirm::kernel
