// Multi-indices: iteration in row-major order, and linearization.
#ifndef AFFIRM_VERIFY_REFERENCE_INDEX_H_
#define AFFIRM_VERIFY_REFERENCE_INDEX_H_

#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace affirm::hlo {

using Index = llvm::SmallVector<int64_t, 6>;

// Iterates over all indices of an array of `sizes`, the last dimension fastest:
//
//   for (IndexIterator at({2, 2}); !at.Done(); at.Next())   visits {0, 0}, {0, 1}, {1, 0}, {1, 1}
//
// Without dimensions there is one index, with a size of zero none. The product of the sizes must
// fit int64.
class IndexIterator {
 public:
  explicit IndexIterator(llvm::ArrayRef<int64_t> sizes)
      : sizes_(sizes.begin(), sizes.end()), index_(sizes.size(), 0) {
    for (int64_t size : sizes) count_ *= size;
  }
  bool Done() const { return linear_ >= count_; }
  void Next() {
    ++linear_;
    for (size_t d = sizes_.size(); d-- > 0;) {
      if (++index_[d] < sizes_[d]) return;
      index_[d] = 0;
    }
  }
  const Index& index() const { return index_; }
  int64_t operator[](size_t d) const { return index_[d]; }
  int64_t linear() const { return linear_; }  // steps so far: the row-major position

 private:
  Index sizes_, index_;
  int64_t count_ = 1;
  int64_t linear_ = 0;
};

// The row-major position of `index`.
inline int64_t Linearize(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> sizes) {
  int64_t linear = 0;
  for (size_t d = 0; d < sizes.size(); ++d) linear = linear * sizes[d] + index[d];
  return linear;
}

// values[order[0]], values[order[1]], ...
inline Index Select(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> order) {
  Index selected;
  for (int64_t d : order) selected.push_back(values[d]);
  return selected;
}

// index[dims[0]] = values[0], index[dims[1]] = values[1], ...
inline void Assign(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> dims, Index& index) {
  for (size_t k = 0; k < dims.size(); ++k) index[dims[k]] = values[k];
}

// The numbers in [0, rank) that are in none of the lists, ascending.
inline Index Without(int64_t rank, std::initializer_list<llvm::ArrayRef<int64_t>> lists) {
  Index rest;
  for (int64_t d = 0; d < rank; ++d) {
    bool listed = false;
    for (llvm::ArrayRef<int64_t> list : lists) listed |= llvm::is_contained(list, d);
    if (!listed) rest.push_back(d);
  }
  return rest;
}

// The positions in an array of `sizes` of all indices of the dimensions `dims`, the others zero, in
// row-major order of `dims`. The position of an index is the sum of those of its parts.
inline std::vector<int64_t> PositionsOf(llvm::ArrayRef<int64_t> dims,
                                        llvm::ArrayRef<int64_t> sizes) {
  std::vector<int64_t> positions;
  Index index(sizes.size(), 0);
  const auto selected = Select(sizes, dims);
  int64_t count = 1;
  for (int64_t size : selected) count *= size;
  positions.reserve(static_cast<size_t>(count));
  for (IndexIterator at(selected); !at.Done(); at.Next()) {
    Assign(at.index(), dims, index);
    positions.push_back(Linearize(index, sizes));
  }
  return positions;
}

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_INDEX_H_
