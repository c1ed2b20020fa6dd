// Sample points of a box: its corners, then a fixed pseudo-random sequence.
#include "verify/decide/sampling.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace affirm {
namespace {

// Where samples are taken along an infinite side.
constexpr int64_t kNear = 1 << 20;

Interval CutAtInfinity(Interval i) {
  if (!i.HasLower()) i.lower = i.HasUpper() ? std::min(i.upper, -kNear) : -kNear;
  if (!i.HasUpper()) i.upper = std::max(i.lower, kNear);
  return i;
}

// Marsaglia's xorshift: the same numbers on every machine.
class XorShift {
 public:
  uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15u;
};

}  // namespace

std::vector<std::vector<int64_t>> SamplePoints(llvm::ArrayRef<Interval> box, int64_t count) {
  std::vector<std::vector<int64_t>> points;
  if (llvm::any_of(box, [](Interval i) { return i.IsEmpty(); })) return points;
  constexpr size_t kCornerSides = 6;
  int64_t corners = int64_t{1} << std::min(box.size(), kCornerSides);
  if (box.empty()) count = std::min<int64_t>(count, 1);
  XorShift random;
  for (int64_t sample = 0; sample < count; ++sample) {
    std::vector<int64_t>& point = points.emplace_back();
    for (size_t k = 0; k < box.size(); ++k) {
      Interval side = CutAtInfinity(box[k]);
      // Unsigned, since the length of a side may not fit int64.
      uint64_t length = static_cast<uint64_t>(side.upper) - static_cast<uint64_t>(side.lower);
      uint64_t step = random.Next() % (length == UINT64_MAX ? length : length + 1);
      bool at_end = sample < corners || random.Next() % 8 == 0;
      bool upper = sample < corners ? (sample >> (k % kCornerSides)) & 1 : random.Next() & 1;
      if (at_end) step = upper ? length : 0;
      point.push_back(static_cast<int64_t>(static_cast<uint64_t>(side.lower) + step));
    }
  }
  return points;
}

}  // namespace affirm
