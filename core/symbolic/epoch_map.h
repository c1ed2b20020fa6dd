// EpochMap: a hash table from expressions to values whose Clear() costs nothing.
//
// For the memo tables of analyses that run again and again: entries of an earlier epoch count as
// absent, so the storage is reused without touching it.
#ifndef AFFIRM_CORE_SYMBOLIC_EPOCH_MAP_H_
#define AFFIRM_CORE_SYMBOLIC_EPOCH_MAP_H_

#include <cstdint>
#include <vector>

#include "core/symbolic/expr.h"
#include "llvm/Support/Compiler.h"

namespace affirm {

template <typename Value>
class EpochMap {
 public:
  void Clear() {
    size_ = 0;
    if (++epoch_ == 0) {  // the counter came round: old entries must not look new
      entries_.assign(entries_.size(), Entry());
      epoch_ = 1;
    }
  }
  bool empty() const { return size_ == 0; }

  // The value of `key`, or null. The pointer holds until the next Set.
  const Value* Find(SymbolicExpr key) const {
    if (size_ == 0) return nullptr;
    const Entry& e = entries_[Position(key)];
    return e.epoch == epoch_ ? &e.value : nullptr;
  }

  void Set(SymbolicExpr key, Value value) {
    if (size_ * 2 >= mask_) Grow();
    Entry& e = entries_[Position(key)];
    if (e.epoch != epoch_) ++size_;
    e = {key, epoch_, std::move(value)};
  }

 private:
  struct Entry {
    SymbolicExpr key;
    uint32_t epoch = 0;
    Value value{};
  };

  // Where `key` is, or the free place where it goes.
  size_t Position(SymbolicExpr key) const {
    size_t i = key.node()->hash & mask_;
    while (entries_[i].epoch == epoch_ && !(entries_[i].key == key)) i = (i + 1) & mask_;
    return i;
  }

  LLVM_ATTRIBUTE_NOINLINE void Grow() {
    std::vector<Entry> old(entries_.empty() ? 32 : entries_.size() * 2);
    old.swap(entries_);
    mask_ = entries_.size() - 1;
    for (Entry& e : old) {
      if (e.epoch == epoch_) entries_[Position(e.key)] = std::move(e);
    }
  }

  std::vector<Entry> entries_;
  size_t mask_ = 0;  // the number of entries, a power of two, less one
  size_t size_ = 0;
  uint32_t epoch_ = 1;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_EPOCH_MAP_H_
