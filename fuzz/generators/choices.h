// Choices: one source of decisions for generators.
//
//   Choices choices(bytes);                    // of libFuzzer, RapidCheck or a seeded stream
//   int64_t rank = choices.Between(1, 4);
//   auto op = choices.Pick({"slice", "pad"});
//
// The decisions come from bytes: libFuzzer's input, a list that RapidCheck generates and shrinks,
// or a seeded stream. When the bytes run out every further choice is the first alternative, so
// shorter bytes make smaller inputs.
#ifndef AFFIRM_FUZZ_GENERATORS_CHOICES_H_
#define AFFIRM_FUZZ_GENERATORS_CHOICES_H_

#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"

namespace affirm::fuzz {

class Choices {
 public:
  explicit Choices(llvm::ArrayRef<uint8_t> bytes) : bytes_(bytes) {}

  // A number in [0, n - 1]; 0 when n <= 1.
  uint64_t Below(uint64_t n);
  // A number in [low, high]; low when the bytes have run out.
  int64_t Between(int64_t low, int64_t high);
  // True about once in `n` times.
  bool OneIn(uint64_t n) { return Below(n) == n - 1; }
  template <typename T>
  T Pick(std::initializer_list<T> list) {
    return list.begin()[Below(list.size())];
  }
  bool AtEnd() const { return at_ >= bytes_.size(); }

 private:
  llvm::ArrayRef<uint8_t> bytes_;
  size_t at_ = 0;
};

// `count` bytes of a stream that depends on the seed alone (splitmix64).
std::vector<uint8_t> SeededBytes(uint64_t seed, size_t count);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_CHOICES_H_
