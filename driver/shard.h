// `--shard i/n`: the part of the work that one of n machines does.
#ifndef AFFIRM_DRIVER_SHARD_H_
#define AFFIRM_DRIVER_SHARD_H_

#include <cstdint>
#include <string>

#include "core/symbolic/error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/xxhash.h"

namespace affirm::driver {

struct Shard {
  uint64_t index = 0, count = 1;
  bool Has(uint64_t number) const { return number % count == index; }
  bool IsWhole() const { return count == 1; }
};

// The numbers from `first` on, `count` of them, that belong to a shard, in order. Nothing is
// listed: `count` may be any number for which `first` + `count` fits.
//   ShardNumbers(Shard{1, 4}, 10, 20)[0]  // 13; the last of 5 is 29
class ShardNumbers {
 public:
  ShardNumbers(Shard shard, uint64_t first, uint64_t count) : step_(shard.count) {
    const uint64_t residue = first % step_;
    const uint64_t skipped =
        shard.index >= residue ? shard.index - residue : step_ - (residue - shard.index);
    if (skipped >= count) return;
    start_ = first + skipped;
    size_ = (count - skipped - 1) / step_ + 1;
  }
  uint64_t size() const { return size_; }
  // Requires k < size().
  uint64_t operator[](uint64_t k) const { return start_ + k * step_; }

 private:
  uint64_t step_, start_ = 0, size_ = 0;
};

inline std::string ToString(Shard shard) {
  return std::to_string(shard.index) + "/" + std::to_string(shard.count);
}

// "2/4": numbers 2, 6, 10, ... of 0, 1, 2, ... An empty text is the whole.
inline llvm::Expected<Shard> ParseShard(llvm::StringRef text) {
  Shard shard;
  if (text.empty()) return shard;
  auto [index, count] = text.split('/');
  if (index.getAsInteger(10, shard.index) || count.getAsInteger(10, shard.count) ||
      shard.index >= shard.count) {
    return MakeError("--shard: expected I/N with I from 0 to N-1, found '" + text + "'");
  }
  return shard;
}

// Tells inputs of shards apart, such as the lines of a stream, by a number that the report of each
// shard has.
//   InputDigest d; d.Add("a"); d.Add("b"); d.text()  // 16 digits, others than of "b" and "a"
class InputDigest {
 public:
  void Add(llvm::StringRef part) {
    // The digest so far has a fixed length: the rest is the part.
    digest_ = llvm::xxh3_64bits(text() + part.str());
  }
  std::string text() const { return llvm::utohexstr(digest_, /*LowerCase=*/true, 16); }

 private:
  uint64_t digest_ = 0;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_SHARD_H_
