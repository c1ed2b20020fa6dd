// How much of a module's time each unit of its check may take.
#ifndef AFFIRM_DRIVER_CHECK_TIME_SHARES_H_
#define AFFIRM_DRIVER_CHECK_TIME_SHARES_H_

#include <algorithm>
#include <limits>

#include "driver/check/unit.h"

namespace affirm::driver {

// Proofs have two thirds of the limit, runs what is left of all. A unit may take a third of what
// its phase has left (a run one half), so that one that never ends leaves time for the others; of
// the units that are left none has less than its equal part.
//
//   TimeShares shares(60);
//   shares.Of(Unit::Phase::kProof, 10);  // 13.3 s for the first of ten proofs
//   shares.Spend(0.5);                   // it took half a second: the next may take 13.2 s
class TimeShares {
 public:
  // Seconds of processor time; 0: none.
  explicit TimeShares(double limit) : limit_(limit) {}

  // For the next unit, of `units_left` of its phase.
  double Of(Unit::Phase phase, size_t units_left) const {
    if (limit_ <= 0) return std::numeric_limits<double>::infinity();
    const bool proof = phase == Unit::Phase::kProof;
    const double left = std::max(0.0, (proof ? 2 * limit_ / 3 : limit_) - spent_);
    const double equal = left / static_cast<double>(std::max<size_t>(units_left, 1));
    return std::max(equal, left / (proof ? 3 : 2));
  }
  void Spend(double seconds) { spent_ += seconds; }
  double spent() const { return spent_; }

 private:
  double limit_;
  double spent_ = 0;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_TIME_SHARES_H_
