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

bool RaceShadow::Unordered(const Accessor& before, const Accessor& now) const {
  if (before.epoch == 0) return false;
  if (before.block != now.block) return !per_block_;
  if (before.thread == now.thread || before.epoch != now.epoch) return false;
  return !before.SameWarp(now) || before.warp_step == now.warp_step;
}

bool RaceShadow::MayMeet(const Accessor& read, const Accessor& write) const {
  const bool shuffled = read.SameWarp(write) && read.shuffles != write.shuffles;
  return Unordered(read, write) && !shuffled;
}

std::optional<Conflict> RaceShadow::Record(int64_t offset, unsigned width, AccessKind kind,
                                           const Accessor& by, bool same_value) {
  std::optional<Conflict> first;
  const int64_t last = (offset + width - 1) >> shift_;
  for (int64_t k = offset >> shift_; k <= last; ++k) {
    std::optional<Conflict> conflict = RecordCell(CellAt(k), kind, by, same_value);
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

std::optional<Conflict> RaceShadow::RecordCell(Cell& cell, AccessKind kind, const Accessor& by,
                                               bool same_value) const {
  std::optional<Conflict> conflict;
  const bool of_block = kind == AccessKind::kAtomicOfBlock;
  const bool is_atomic = kind == AccessKind::kAtomic || of_block;
  const bool writes = kind == AccessKind::kWrite || is_atomic;
  const bool keeps = is_atomic && same_value;
  // With the last write.
  const bool in_scope = (!of_block && !cell.of_block) || cell.write.block == by.block;
  const bool both_atomic = is_atomic && cell.atomic_write && in_scope;
  const bool checked = (kind == AccessKind::kExchangeRead && cell.atomic_write) ||
                       (kind == AccessKind::kRead && cell.kept);
  if (!both_atomic && !checked && Unordered(cell.write, by)) {
    const bool harmless = per_block_ && kind == AccessKind::kWrite && same_value;
    if (!harmless) {
      conflict = {writes ? Conflict::kWriteAfterWrite : Conflict::kReadAfterWrite, cell.write};
    }
  } else if (kind == AccessKind::kWrite && !per_block_ && !cell.atomic_write &&
             cell.write.epoch != 0 && !cell.write.SameThread(by)) {
    conflict = {Conflict::kWrittenTwice, cell.write};
  }
  if (!writes) {
    if (kind == AccessKind::kExchangeRead) return conflict;
    if (cell.read.epoch != 0 && !cell.read.SameWarp(by)) {
      cell.other_read = cell.read;
      cell.several_lanes = false;
    } else {
      cell.several_lanes = cell.read.epoch == by.epoch && cell.read.warp_step == by.warp_step &&
                           cell.read.shuffles == by.shuffles &&
                           (cell.several_lanes || cell.read.thread != by.thread);
    }
    cell.read = by;
    return conflict;
  }
  // With the reads since.
  if (!conflict && !keeps) {
    const bool lanes = cell.several_lanes && cell.read.SameThread(by) &&
                       cell.read.epoch == by.epoch && cell.read.warp_step == by.warp_step &&
                       cell.read.shuffles == by.shuffles;
    if (MayMeet(cell.read, by) || lanes) {
      conflict = {Conflict::kWriteAfterRead, cell.read};
    } else if (MayMeet(cell.other_read, by)) {
      conflict = {Conflict::kWriteAfterRead, cell.other_read};
    }
  }
  // What others have changed stays so.
  if (keeps && cell.write.epoch != 0 && !cell.kept) return conflict;
  cell.write = by;
  cell.atomic_write = is_atomic;
  cell.of_block = of_block;
  cell.kept = keeps;
  return conflict;
}

}  // namespace affirm::kernel
