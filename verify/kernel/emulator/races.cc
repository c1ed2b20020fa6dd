#include "verify/kernel/emulator/races.h"

#include "llvm/Support/MathExtras.h"

namespace affirm::kernel {

RaceShadow::RaceShadow(int64_t bytes, int granule, bool per_block, bool sparse)
    : shift_(static_cast<int>(llvm::Log2_32(granule))), per_block_(per_block), sparse_(sparse) {
  if (!sparse) cells_.resize((bytes >> shift_) + 1);
}

RaceShadow::Cell& RaceShadow::CellAt(int64_t number) {
  if (!sparse_) return cells_[number];
  return pages_[number / kCellsOfPage][number % kCellsOfPage];
}

const RaceShadow::Cell* RaceShadow::FindCell(int64_t number) const {
  if (!sparse_) return &cells_[number];
  auto page = pages_.find(number / kCellsOfPage);
  return page == pages_.end() ? nullptr : &page->second[number % kCellsOfPage];
}

bool RaceShadow::Unordered(const Accessor& before, const Accessor& now,
                           const KnownOrder& order) const {
  if (before.epoch == 0) return false;
  if (before.block == now.block) {
    if (before.thread == now.thread || before.epoch != now.epoch) return false;
    if (before.SameWarp(now) && before.warp_step != now.warp_step) return false;
  } else if (per_block_) {
    return false;
  }
  return order.known == nullptr || !order.known->Covers(before);
}

bool RaceShadow::MayMeet(const Accessor& read, const Accessor& write,
                         const KnownOrder& order) const {
  const bool shuffled = read.SameWarp(write) && read.shuffles != write.shuffles;
  const bool known = order.known_reads != nullptr && order.known_reads->Covers(read);
  return !shuffled && !known && Unordered(read, write, order);
}

std::optional<Conflict> RaceShadow::Record(int64_t offset, unsigned width, AccessKind kind,
                                           const Accessor& by, bool same_value,
                                           const KnownOrder& order) {
  std::optional<Conflict> first;
  const int64_t last = (offset + width - 1) >> shift_;
  for (int64_t k = offset >> shift_; k <= last; ++k) {
    std::optional<Conflict> conflict = RecordCell(CellAt(k), kind, by, same_value, order);
    if (conflict && !first) first = conflict;
  }
  return first;
}

std::optional<Accessor> RaceShadow::LastWriter(int64_t offset) const {
  const Cell* cell = FindCell(offset >> shift_);
  return cell == nullptr || cell->write.epoch == 0 ? std::nullopt : std::optional(cell->write);
}

std::vector<RaceShadow::Written> RaceShadow::AllWritten() const {
  std::vector<Written> written;
  auto add = [&](int64_t number, const Cell& cell) {
    if (cell.write.epoch == 0) return;
    written.push_back({number << shift_, int64_t{1} << shift_, cell.write, cell.atomic_write});
  };
  for (size_t k = 0; k < cells_.size(); ++k) add(static_cast<int64_t>(k), cells_[k]);
  for (const auto& [number, page] : pages_) {
    for (size_t k = 0; k < page.size(); ++k) {
      add(number * kCellsOfPage + static_cast<int64_t>(k), page[k]);
    }
  }
  return written;
}

void RaceShadow::RecordRead(Cell& cell, AccessKind kind, const Accessor& by) {
  if (kind == AccessKind::kExchangeRead) return;
  const bool atomic = kind != AccessKind::kRead;
  // A read that is not atomic conflicts with more: it stays, unless a barrier lies between.
  if (atomic && cell.read.epoch == by.epoch && !cell.atomic_read) return;
  if (cell.read.epoch != 0 && !cell.read.SameWarp(by)) {
    cell.other_read = cell.read;
    cell.atomic_other = cell.atomic_read;
    cell.other_of_block = cell.read_of_block;
    cell.several_lanes = false;
  } else {
    const bool same_step = cell.read.epoch == by.epoch && cell.read.warp_step == by.warp_step &&
                           cell.read.shuffles == by.shuffles && cell.atomic_read == atomic;
    const bool other_lane = cell.read.thread != by.thread;
    if (same_step && other_lane) {
      cell.lane = cell.read.thread;
      cell.lane_moments = cell.read.moments;
    }
    cell.several_lanes = same_step && (cell.several_lanes || other_lane);
  }
  cell.read = by;
  cell.atomic_read = atomic;
  cell.read_of_block = kind == AccessKind::kAtomicReadOfBlock;
}

// Checks a write against the reads since the last one.
std::optional<Conflict> RaceShadow::WithReads(const Cell& cell, AccessKind kind, const Accessor& by,
                                              const KnownOrder& order) const {
  const bool of_block = kind == AccessKind::kAtomicOfBlock;
  auto meets = [&](const Accessor& read, bool atomic, bool read_of_block) {
    const bool in_scope = (!of_block && !read_of_block) || read.block == by.block;
    const bool both_atomic = atomic && kind != AccessKind::kWrite && in_scope;
    return !both_atomic && MayMeet(read, by, order);
  };
  Accessor lane = cell.read;
  lane.thread = cell.lane;
  lane.moments = cell.lane_moments;
  const bool lanes = cell.several_lanes && meets(lane, cell.atomic_read, cell.read_of_block);
  if (lanes || meets(cell.read, cell.atomic_read, cell.read_of_block))
    return Conflict{Conflict::kWriteAfterRead, cell.read};
  if (meets(cell.other_read, cell.atomic_other, cell.other_of_block))
    return Conflict{Conflict::kWriteAfterRead, cell.other_read};
  return std::nullopt;
}

std::optional<Conflict> RaceShadow::RecordCell(Cell& cell, AccessKind kind, const Accessor& by,
                                               bool same_value, const KnownOrder& order) const {
  std::optional<Conflict> conflict;
  const bool of_block =
      kind == AccessKind::kAtomicOfBlock || kind == AccessKind::kAtomicReadOfBlock;
  const bool writes = !IsRead(kind);
  const bool is_atomic =
      kind != AccessKind::kRead && kind != AccessKind::kWrite && kind != AccessKind::kExchangeRead;
  const bool keeps = writes && is_atomic && same_value;
  // With the last write.
  const bool in_scope = (!of_block && !cell.of_block) || cell.write.block == by.block;
  const bool both_atomic = is_atomic && cell.atomic_write && in_scope;
  const bool checked = (kind == AccessKind::kExchangeRead && cell.atomic_write) ||
                       (kind == AccessKind::kRead && cell.kept);
  if (!both_atomic && !checked && Unordered(cell.write, by, order)) {
    const bool harmless = per_block_ && kind == AccessKind::kWrite && same_value;
    if (!harmless) {
      conflict = {writes ? Conflict::kWriteAfterWrite : Conflict::kReadAfterWrite, cell.write};
    }
  } else if (kind == AccessKind::kWrite && !per_block_ && !cell.atomic_write &&
             cell.write.epoch != 0 && !cell.write.SameThread(by)) {
    conflict = {Conflict::kWrittenTwice, cell.write};
  }
  if (!writes) {
    RecordRead(cell, kind, by);
    return conflict;
  }
  if (!conflict && !keeps) conflict = WithReads(cell, kind, by, order);
  // Cells that other threads have changed stay so.
  if (keeps && cell.write.epoch != 0 && !cell.kept) return conflict;
  cell.write = by;
  cell.atomic_write = is_atomic;
  cell.of_block = of_block;
  cell.kept = keeps;
  return conflict;
}

}  // namespace affirm::kernel
