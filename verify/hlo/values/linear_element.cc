// Positions of elements in memory, and indices from them.
#include <algorithm>

#include "verify/hlo/values/op_values.h"

namespace affirm::hlo_values {

namespace {

bool IsEmpty(llvm::ArrayRef<int64_t> sizes) { return llvm::is_contained(sizes, 0); }

// Position of an index, and the index at a position inside; from the major to the minor dimension.
Term Position(Pool& pool, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Term> index) {
  Term position = pool.Number(0);
  for (size_t d = 0; d < sizes.size(); ++d)
    position = pool.Add(pool.Scale(position, sizes[d]), index[d]);
  return position;
}

void Split(Scope& scope, llvm::ArrayRef<int64_t> sizes, Term position,
           llvm::MutableArrayRef<Term> index) {
  Pool& pool = scope.pool();
  std::fill(index.begin(), index.end(), pool.Number(0));
  if (IsEmpty(sizes)) return;
  // Nothing is beyond the most major dimension, so that it needs no residue.
  size_t major = 0;
  while (major < sizes.size() && sizes[major] == 1) ++major;
  terms::Int128 stride = 1;
  for (size_t d = sizes.size(); d-- > major;) {
    Term quotient = scope.Quotient(position, stride);
    index[d] = d == major ? quotient : scope.Residue(quotient, sizes[d]);
    stride *= sizes[d];
  }
}

}  // namespace

Term LinearElement(Scope& scope, const hlo::Shape& shape, llvm::ArrayRef<Term> index) {
  std::vector<int64_t> sizes;
  Index ordered;
  const std::vector<int64_t> order = shape.MinorToMajor();
  for (size_t k = order.size(); k-- > 0;) {
    sizes.push_back(shape.dims[order[k]]);
    ordered.push_back(index[order[k]]);
  }
  return Position(scope.pool(), sizes, ordered);
}

std::optional<std::vector<Term>> AnyIndex(Pool& pool, const hlo::Shape& shape) {
  std::vector<Term> index;
  for (auto [d, size] : llvm::enumerate(shape.dims)) {
    if (size == 0 && !shape.IsDynamic(static_cast<int64_t>(d))) return std::nullopt;
    const std::string name = "i" + std::to_string(d) + "_" + std::to_string(size);
    index.push_back(size == 1 ? pool.Number(0) : pool.Variable(name, {0, size - 1}));
  }
  return index;
}

std::vector<Term> IndexOfElement(Scope& scope, const hlo::Shape& shape, Term linear) {
  std::vector<int64_t> sizes;
  const std::vector<int64_t> order = shape.MinorToMajor();
  for (size_t k = order.size(); k-- > 0;) sizes.push_back(shape.dims[order[k]]);
  Index ordered(sizes.size()), index(sizes.size());
  Split(scope, sizes, linear, ordered);
  for (size_t k = 0; k < order.size(); ++k) index[order[k]] = ordered[order.size() - 1 - k];
  return index;
}

// Dimensions are taken in groups of the same product, from the minor ones on, so that what need not
// be divided is not.
Index Regroup(Scope& scope, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<Term> index,
              llvm::ArrayRef<int64_t> to) {
  Index result(to.size(), scope.pool().Number(0));
  if (IsEmpty(from) || IsEmpty(to)) return result;
  size_t i = from.size(), j = to.size();
  while (i > 0 && j > 0) {
    const size_t last_i = i, last_j = j;
    terms::Int128 size_i = from[--i], size_j = to[--j];
    while (size_i != size_j) {
      if (size_i < size_j && i > 0)
        size_i *= from[--i];
      else if (size_j < size_i && j > 0)
        size_j *= to[--j];
      else
        break;  // only where the products differ
    }
    Term position = Position(scope.pool(), from.slice(i, last_i - i), index.slice(i, last_i - i));
    Split(scope, to.slice(j, last_j - j), position,
          llvm::MutableArrayRef<Term>(result).slice(j, last_j - j));
  }
  return result;
}

}  // namespace affirm::hlo_values
