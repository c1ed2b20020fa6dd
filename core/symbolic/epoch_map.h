// EpochMap: a hash table from expressions to values whose Clear() costs nothing.
//
// For the memo tables of analyses that run again and again: entries of an earlier epoch count as
// absent, so the storage is reused without touching it.
#ifndef AFFIRM_CORE_SYMBOLIC_EPOCH_MAP_H_
#define AFFIRM_CORE_SYMBOLIC_EPOCH_MAP_H_

#include <cstdint>
#include <vector>

#include "core/symbolic/expr.h"

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
    for (size_t i = key.node()->hash & mask();; i = (i + 1) & mask()) {
      const Entry& e = entries_[i];
      if (e.epoch != epoch_) return nullptr;
      if (e.key == key) return &e.value;
    }
  }

  void Set(SymbolicExpr key, Value value) {
    if ((size_ + 1) * 2 > entries_.size()) Grow();
    Insert(key, std::move(value));
  }

 private:
  struct Entry {
    SymbolicExpr key;
    uint32_t epoch = 0;
    Value value{};
  };

  size_t mask() const { return entries_.size() - 1; }

  void Insert(SymbolicExpr key, Value value) {
    size_t i = key.node()->hash & mask();
    while (entries_[i].epoch == epoch_ && !(entries_[i].key == key)) i = (i + 1) & mask();
    if (entries_[i].epoch != epoch_) ++size_;
    entries_[i] = {key, epoch_, std::move(value)};
  }

  void Grow() {
    std::vector<Entry> old(entries_.empty() ? 32 : entries_.size() * 2);
    old.swap(entries_);
    size_ = 0;
    for (Entry& e : old) {
      if (e.epoch == epoch_) Insert(e.key, std::move(e.value));
    }
  }

  std::vector<Entry> entries_;
  size_t size_ = 0;
  uint32_t epoch_ = 1;
};

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_EPOCH_MAP_H_
