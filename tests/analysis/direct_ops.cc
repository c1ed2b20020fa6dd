// Finds single ops that do what a chain of shape ops does: candidates are read off the elements,
// then checked.
#include <algorithm>
#include <numeric>

#include "tests/analysis/shape_chains.h"

namespace affirm::testing {
namespace {

using Kind = ShapeOp::Kind;

Sizes Strides(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}
int64_t Coordinate(int64_t position, size_t dim, const Sizes& sizes) {
  return position / Strides(sizes)[dim] % sizes[dim];
}

class Candidates {
 public:
  Candidates(const Sizes& sizes, const Elements& to) : from_(Iota(sizes)), to_(to) {}

  std::vector<ShapeOp> Run() {
    bool same_rank = from_.sizes.size() == to_.sizes.size();
    bool same_count = from_.from.size() == to_.from.size();
    if (same_count) Try({Kind::kReshape, to_.sizes});
    if (same_rank && same_count) Permuted(Kind::kTranspose);
    if (from_.sizes == to_.sizes) Reversed();
    if (same_rank) Sliced();
    if (same_rank) Padded();
    if (from_.sizes.size() <= to_.sizes.size()) Broadcast({});
    if (found_.empty() && same_count) Bitcast();
    return std::move(found_);
  }

 private:
  void Try(ShapeOp op) {
    if (Apply(op, from_) == to_) found_.push_back(std::move(op));
  }

  template <typename Fn>
  void ForEachPermutation(size_t n, Fn fn) {
    Sizes p(n);
    std::iota(p.begin(), p.end(), 0);
    do fn(p);
    while (std::next_permutation(p.begin(), p.end()));
  }

  void Permuted(Kind kind) {
    ForEachPermutation(to_.sizes.size(), [&](const Sizes& p) {
      for (size_t i = 0; i < p.size(); ++i) {
        if (to_.sizes[i] != from_.sizes[p[i]]) return;
      }
      Try({.kind = kind, .sizes = to_.sizes, .dimensions = p});
    });
  }

  void Reversed() {
    for (uint64_t mask = 0; mask < (uint64_t{1} << to_.sizes.size()); ++mask) {
      Sizes dims;
      for (size_t i = 0; i < to_.sizes.size(); ++i) {
        if (mask >> i & 1) dims.push_back(static_cast<int64_t>(i));
      }
      Try({.kind = Kind::kReverse, .sizes = to_.sizes, .dimensions = dims});
    }
  }

  // Start and stride of each dimension from the first element and its neighbors.
  void Sliced() {
    if (to_.from[0] < 0) return;
    ShapeOp op{Kind::kSlice, to_.sizes};
    for (size_t i = 0; i < to_.sizes.size(); ++i) {
      int64_t start = Coordinate(to_.from[0], i, from_.sizes), stride = 1;
      if (to_.sizes[i] > 1) {
        int64_t next = to_.from[Strides(to_.sizes)[i]];
        if (next < 0) return;
        stride = Coordinate(next, i, from_.sizes) - start;
      }
      int64_t last = start + (to_.sizes[i] - 1) * stride;
      if (stride < 1 || last >= from_.sizes[i]) return;
      op.slice.push_back({start, last + 1, stride});
    }
    Try(op);
  }

  // Padding from the first element that is there and the next one along each dimension.
  void Padded() {
    auto there = std::find_if(to_.from.begin(), to_.from.end(), [](int64_t e) { return e >= 0; });
    if (there == to_.from.end()) return;
    int64_t first = there - to_.from.begin();
    ShapeOp op{Kind::kPad, to_.sizes};
    for (size_t i = 0; i < to_.sizes.size(); ++i) {
      int64_t at = Coordinate(first, i, to_.sizes), of = Coordinate(*there, i, from_.sizes);
      // Where no other element of the dimension is to be seen, steps that leave the array hide it.
      int64_t step = from_.sizes[i] == 1 ? 1 : to_.sizes[i];
      for (int64_t k = 1; at + k < to_.sizes[i]; ++k) {
        if (to_.from[first + k * Strides(to_.sizes)[i]] < 0) continue;
        step = k;
        break;
      }
      int64_t low = at - of * step;
      op.padding.push_back({low, to_.sizes[i] - low - ((from_.sizes[i] - 1) * step + 1), step - 1});
    }
    Try(op);
  }

  void Broadcast(Sizes dims) {
    if (dims.size() == from_.sizes.size()) {
      Try({.kind = Kind::kBroadcast, .sizes = to_.sizes, .dimensions = dims});
      return;
    }
    for (size_t d = 0; d < to_.sizes.size(); ++d) {
      if (to_.sizes[d] != from_.sizes[dims.size()]) continue;
      if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end()) continue;
      Sizes more = dims;
      more.push_back(static_cast<int64_t>(d));
      Broadcast(more);
    }
  }

  void Bitcast() {
    ForEachPermutation(from_.sizes.size(), [&](const Sizes& in) {
      ForEachPermutation(to_.sizes.size(), [&](const Sizes& out) {
        if (!found_.empty()) return;
        Try({.kind = Kind::kBitcast, .sizes = to_.sizes, .in_layout = in, .out_layout = out});
      });
    });
  }

  Elements from_;
  const Elements& to_;
  std::vector<ShapeOp> found_;
};

}  // namespace

std::vector<ShapeOp> DirectOps(const Sizes& sizes, const Elements& to) {
  return Candidates(sizes, to).Run();
}

}  // namespace affirm::testing
