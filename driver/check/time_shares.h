// How much of a module's time each unit of its check may take.
#ifndef AFFIRM_DRIVER_CHECK_TIME_SHARES_H_
#define AFFIRM_DRIVER_CHECK_TIME_SHARES_H_

#include <algorithm>
#include <limits>

#include "driver/check/unit.h"

namespace affirm::driver {

// Of the limit two fifths are for maps; with kernels and their proofs it is seven tenths, with runs
// all of it but for what the report takes. A unit may take a third of what its phase has left (a
// run one half), so that one that never ends leaves time for the others; of the units that are left
// none has less than its equal part.
//
//   TimeShares shares(60);
//   shares.Of(Unit::Phase::kMaps, 10);  // 8 s for the first of ten
//   shares.Spend(0.6);                  // it took less: the next may take 7.8 s
class TimeShares {
 public:
  // Seconds of processor time; 0: none.
  explicit TimeShares(double limit) : limit_(limit) {}

  // For the next unit, of `units_left` of its phase.
  double Of(Unit::Phase phase, size_t units_left) const {
    if (limit_ <= 0) return std::numeric_limits<double>::infinity();
    constexpr double kUntil[] = {0.4, 0.7, 0.96};  // of the limit, by phase
    constexpr double kOfOne[] = {3, 3, 2};
    const auto number = static_cast<size_t>(phase);
    const double left = std::max(0.0, limit_ * kUntil[number] - spent_);
    const double equal = left / static_cast<double>(std::max<size_t>(units_left, 1));
    return std::max(equal, left / kOfOne[number]);
  }
  void Spend(double seconds) { spent_ += seconds; }
  double spent() const { return spent_; }

 private:
  double limit_;
  double spent_ = 0;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_TIME_SHARES_H_
