// Intersections of boxes by the Chinese remainder theorem, and unions by inclusion and exclusion.
#include "core/analysis/uses/boxes.h"

#include <algorithm>
#include <numeric>

#include "core/symbolic/checked.h"
#include "llvm/ADT/STLExtras.h"

namespace affirm::analysis {
namespace {

bool IsEmpty(const Box& box) {
  return llvm::any_of(box, [](const StridedInterval& s) { return s.size <= 0; });
}

// |union| = |first| + |the others| - |first within the others|, the last one again a union.
std::optional<int64_t> CountDistinct(std::vector<Box> boxes, int64_t& budget) {
  int64_t total = 0;
  while (!boxes.empty()) {
    Box box = boxes.back();
    boxes.pop_back();
    if (IsEmpty(box)) continue;
    std::vector<Box> shared;
    bool is_inside = false;
    for (const Box& other : boxes) {
      if (--budget < 0) return std::nullopt;
      Box both = Intersect(box, other);
      is_inside = is_inside || both == box;
      if (!IsEmpty(both)) shared.push_back(std::move(both));
    }
    if (is_inside) continue;
    auto own = Count(box), again = CountDistinct(std::move(shared), budget);
    auto sum = own && again ? CheckedAdd(total, *own - *again) : std::nullopt;
    if (!sum) return std::nullopt;
    total = *sum;
  }
  return total;
}

}  // namespace

StridedInterval Intersect(const StridedInterval& a, const StridedInterval& b) {
  if (a.size <= 0 || b.size <= 0) return {};
  // x = a.first + a.stride * i, with a.stride * i = b.first - a.first modulo b.stride.
  int64_t g = std::gcd(a.stride, b.stride);
  int128 apart = int128{b.first} - a.first;
  if (apart % g != 0) return {};
  int128 step = int128{a.stride} / g * b.stride;
  int128 m = b.stride / g;
  int128 i = m == 1 ? 0 : ModUnchecked(apart / g % m * InverseModulo(a.stride / g, m), m);
  int128 first = a.first + i * a.stride;
  int128 from = std::max<int128>(a.first, b.first);
  int128 last = std::min(a.first + int128{a.stride} * (a.size - 1),
                         b.first + int128{b.stride} * (b.size - 1));
  if (first < from) first += CeilDivUnchecked<int128>(from - first, step) * step;
  if (first > last) return {};
  int128 size = (last - first) / step + 1;
  // A single value needs no stride, which might not fit.
  return {static_cast<int64_t>(first), static_cast<int64_t>(size),
          size == 1 ? 1 : static_cast<int64_t>(step)};
}

Box Intersect(const Box& a, const Box& b) {
  Box out;
  for (size_t k = 0; k < a.size(); ++k) out.push_back(Intersect(a[k], b[k]));
  return out;
}

std::optional<int64_t> Count(const Box& box) {
  if (IsEmpty(box)) return 0;
  int64_t n = 1;
  for (const StridedInterval& s : box) {
    auto product = CheckedMul(n, s.size);
    if (!product) return std::nullopt;
    n = *product;
  }
  return n;
}

std::optional<int64_t> CountUnion(std::vector<Box> boxes, int64_t limit) {
  return CountDistinct(std::move(boxes), limit);
}

}  // namespace affirm::analysis
