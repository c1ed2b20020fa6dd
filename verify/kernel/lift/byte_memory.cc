#include "verify/kernel/lift/byte_memory.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace affirm::kernel {

void ByteMemory::Erase(int64_t offset) {
  auto found = cells_.find(offset);
  if (found == cells_.end()) return;
  for (int64_t b = 0; b < found->second.size; ++b) owner_[offset + b] = -1;
  cells_.erase(found);
}

void ByteMemory::Store(const Cell& cell) {
  for (int64_t b = cell.offset; b < cell.offset + cell.size; ++b) {
    int32_t owner = owner_[b];
    if (owner < 0) continue;
    if (owner == cell.offset && cells_.find(owner)->second.size == cell.size) break;
    Erase(owner);
  }
  for (int64_t b = cell.offset; b < cell.offset + cell.size; ++b)
    owner_[b] = static_cast<int32_t>(cell.offset);
  cells_[cell.offset] = cell;
}

llvm::SmallVector<Cell, 4> ByteMemory::At(int64_t offset, int64_t size) const {
  llvm::SmallVector<Cell, 4> cells;
  for (int64_t b = offset; b < offset + size;) {
    if (owner_[b] < 0) return {};
    cells.push_back(cells_.find(owner_[b])->second);
    b = cells.back().offset + cells.back().size;
  }
  return cells;
}

uint32_t LocalMemories::Add(ByteMemory memory) {
  memories_.emplace_back(next_, std::make_shared<ByteMemory>(std::move(memory)));
  return next_++;
}

const LocalMemories::Numbered* LocalMemories::At(uint32_t number) const {
  auto at = llvm::partition_point(memories_, [&](const Numbered& m) { return m.first < number; });
  return at != memories_.end() && at->first == number ? &*at : nullptr;
}

const ByteMemory* LocalMemories::Find(uint32_t number) const {
  const Numbered* found = At(number);
  return found ? found->second.get() : nullptr;
}

ByteMemory* LocalMemories::FindToChange(uint32_t number) {
  const Numbered* found = At(number);
  if (!found) return nullptr;
  auto& memory = memories_[static_cast<size_t>(found - memories_.data())].second;
  if (memory.use_count() > 1) memory = std::make_shared<ByteMemory>(*memory);
  return memory.get();
}

bool LocalMemories::AnyCell(llvm::function_ref<bool(const Cell&)> is_so) const {
  return llvm::any_of(memories_, [&](const Numbered& memory) {
    return llvm::any_of(memory.second->cells(),
                        [&](const auto& entry) { return is_so(entry.second); });
  });
}

bool LocalMemories::SameBelow(uint32_t number, const LocalMemories& a, const LocalMemories& b) {
  auto below = [&](const LocalMemories& all) {
    return llvm::ArrayRef<Numbered>(all.memories_).take_while([&](const Numbered& memory) {
      return memory.first < number;
    });
  };
  return llvm::equal(below(a), below(b), [](const Numbered& x, const Numbered& y) {
    return x.first == y.first && (x.second == y.second || *x.second == *y.second);
  });
}

void LocalMemories::EndFrom(uint32_t number) {
  while (!memories_.empty() && memories_.back().first >= number) memories_.pop_back();
}

LocalMemories LocalMemories::Merged(
    const LocalMemories& a, const LocalMemories& b,
    llvm::function_ref<ByteMemory(const ByteMemory&, const ByteMemory&)> merge) {
  LocalMemories merged;
  merged.next_ = std::max(a.next_, b.next_);
  auto of_b = b.memories_.begin();
  for (const Numbered& memory : a.memories_) {
    while (of_b != b.memories_.end() && of_b->first < memory.first)
      merged.memories_.push_back(*of_b++);
    merged.memories_.push_back(memory);
    if (of_b == b.memories_.end() || of_b->first != memory.first) continue;
    if (of_b->second != memory.second)
      merged.memories_.back().second =
          std::make_shared<ByteMemory>(merge(*memory.second, *of_b->second));
    ++of_b;
  }
  merged.memories_.insert(merged.memories_.end(), of_b, b.memories_.end());
  return merged;
}

bool RaceDetector::Access::Conflicts(const Moment& now) const {
  if (last.thread < 0 || last.phase != now.phase) return false;
  if (several_warps || last.warp() != now.warp()) return true;
  if (last.warp_phase < now.warp_phase) return false;
  return several || last.thread != now.thread;
}

void RaceDetector::Access::Add(const Moment& now) {
  bool same_phase = last.thread >= 0 && last.phase == now.phase;
  bool same_warp = same_phase && last.warp() == now.warp();
  // Accesses before a barrier of the warp matter only to other warps, for which any access of this
  // warp conflicts.
  bool ordered = same_warp && last.warp_phase < now.warp_phase;
  several_warps = same_phase && (several_warps || !same_warp);
  several = same_phase && !ordered && (several || last.thread != now.thread);
  last = now;
}

std::optional<int32_t> RaceDetector::Read(int64_t offset, int64_t size, const Moment& now) {
  std::optional<int32_t> other;
  for (int64_t b = offset; b < offset + size; ++b) {
    if (bytes_[b].written.Conflicts(now)) other = bytes_[b].written.last.thread;
    bytes_[b].read.Add(now);
  }
  return other;
}

std::optional<int32_t> RaceDetector::Write(int64_t offset, int64_t size, const Moment& now,
                                           bool same) {
  std::optional<int32_t> other;
  for (int64_t b = offset; b < offset + size; ++b) {
    if (bytes_[b].read.Conflicts(now)) other = bytes_[b].read.last.thread;
    if (!same && bytes_[b].written.Conflicts(now)) other = bytes_[b].written.last.thread;
    bytes_[b].written.Add(now);
  }
  return other;
}

const Moment* RaceDetector::LastWrite(int64_t offset) const {
  const Moment& last = bytes_[offset].written.last;
  return last.thread < 0 ? nullptr : &last;
}

void ProxyFences::Note(const Moment& fence) { fences_[fence.thread].push_back(fence); }

bool ProxyFences::Separate(const Moment& write, const Moment& read) const {
  const auto of_writer = fences_.find(write.thread), of_reader = fences_.find(read.thread);
  const bool in_warp = write.warp() == read.warp();
  if (of_writer != fences_.end()) {
    auto after = llvm::upper_bound(of_writer->second, write.step,
                                   [](int64_t step, const Moment& f) { return step < f.step; });
    if (after != of_writer->second.end() && (in_warp || after->phase < read.phase)) return true;
  }
  if (of_reader == fences_.end()) return false;
  const Moment& last = of_reader->second.back();
  return last.phase > write.phase ||
         (in_warp && last.phase == write.phase && last.warp_phase > write.warp_phase);
}

}  // namespace affirm::kernel
