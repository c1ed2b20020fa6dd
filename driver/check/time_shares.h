// Divides a module's time limit among the units of its check.
#ifndef AFFIRM_DRIVER_CHECK_TIME_SHARES_H_
#define AFFIRM_DRIVER_CHECK_TIME_SHARES_H_

#include <algorithm>
#include <limits>

#include "driver/check/unit.h"

namespace affirm::driver {

// Maps may use up to 40% of the limit; maps and kernels with their proofs 70%; all phases 96%,
// which leaves time for the report. A unit may use a third of the time left in its phase (a run one
// half), so that a unit that never ends leaves time for others; but at least its equal part.
//
//   TimeShares shares(60);
//   shares.Of(Unit::Phase::kMaps, 10);  // 8 s for the first of ten
//   shares.Spend(0.6);                  // it took less: the next may take 7.8 s
class TimeShares {
 public:
  // Seconds of processor time; 0: no limit.
  explicit TimeShares(double limit) : limit_(limit) {}

  // The limit of the next unit, if `units_left` units of its phase are left.
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
