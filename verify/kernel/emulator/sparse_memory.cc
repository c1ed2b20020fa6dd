// Pages of a memory, made when they are touched.
#include "verify/kernel/emulator/sparse_memory.h"

#include <algorithm>

#include "llvm/Support/MathExtras.h"
#include "verify/kernel/emulator/memory.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

SparseMemory::SparseMemory(int64_t bytes, Filler fill)
    : size_(bytes),
      allocated_(
          static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(bytes, 1), kAllocationAlignment))),
      fill_(std::move(fill)) {}

int64_t SparseMemory::BytesOfPage(int64_t number) const {
  return std::clamp<int64_t>(size_ - number * kPageBytes, 0, kPageBytes);
}

SparseMemory::Page SparseMemory::NewPage(int64_t number) const {
  Page page;
  page.fill(kPaddingByte);
  auto bytes = llvm::MutableArrayRef(page).take_front(BytesOfPage(number));
  if (!fill_) {
    std::fill(bytes.begin(), bytes.end(), unspecified_);
  } else if (!bytes.empty()) {
    fill_(number * kPageBytes, bytes);
  }
  return page;
}

SparseMemory::Page& SparseMemory::PageOf(int64_t offset) {
  const int64_t number = offset / kPageBytes;
  if (number == last_number_) return *last_;
  auto found = pages_.find(number);
  if (found == pages_.end()) found = pages_.emplace(number, NewPage(number)).first;
  last_number_ = number;
  last_ = &found->second;
  return *last_;
}

SparseMemory::Page& SparseMemory::MarksOf(int64_t offset) {
  const int64_t number = offset / kPageBytes;
  auto [found, is_new] = marks_.try_emplace(number);
  if (is_new) {
    found->second.fill(kByteSpecified);
    std::fill_n(found->second.begin(), BytesOfPage(number), kByteUnspecified);
  }
  return found->second;
}

uint8_t SparseMemory::MarkAt(int64_t offset) {
  if (!has_marks()) return kByteSpecified;
  return MarksOf(offset)[offset % kPageBytes];
}

uint64_t SparseMemory::Read(int64_t offset, unsigned width) {
  const int64_t in_page = offset % kPageBytes;
  if (in_page + width <= kPageBytes) return ReadBytes(PageOf(offset).data() + in_page, width);
  uint64_t bits = 0;
  for (unsigned k = 0; k < width; ++k) bits |= Read(offset + k, 1) << (8 * k);
  return bits;
}

void SparseMemory::Write(int64_t offset, uint64_t bits, unsigned width) {
  const int64_t in_page = offset % kPageBytes;
  if (in_page + width <= kPageBytes) {
    return WriteBytes(PageOf(offset).data() + in_page, bits, width);
  }
  for (unsigned k = 0; k < width; ++k) Write(offset + k, bits >> (8 * k) & 0xff, 1);
}

bool SparseMemory::IsPaddingChanged() {
  for (int64_t offset = size_; offset < allocated_; ++offset) {
    if (Read(offset, 1) != kPaddingByte) return true;
  }
  return false;
}

}  // namespace affirm::kernel
