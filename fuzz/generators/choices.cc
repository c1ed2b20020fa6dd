// Choices from bytes: as many bytes as a choice needs, then only first alternatives.
#include "fuzz/generators/choices.h"

namespace affirm::fuzz {

uint64_t Choices::Below(uint64_t n) {
  if (n <= 1) return 0;
  uint64_t v = 0;
  // As many bytes as n needs; one byte serves nearly every choice.
  for (uint64_t reach = 1; reach < n && at_ < bytes_.size(); reach <<= 8) {
    v = (v << 8) | bytes_[at_++];
    if (reach >> 56) break;
  }
  return v % n;
}

int64_t Choices::Between(int64_t low, int64_t high) {
  uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  uint64_t offset = width == UINT64_MAX ? Below(width) : Below(width + 1);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

std::vector<uint8_t> SeededBytes(uint64_t seed, size_t count) {
  std::vector<uint8_t> out;
  out.reserve(count + 8);
  while (out.size() < count) {
    uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    for (int i = 0; i < 8; ++i) out.push_back(static_cast<uint8_t>(z >> (8 * i)));
  }
  out.resize(count);
  return out;
}

}  // namespace affirm::fuzz
