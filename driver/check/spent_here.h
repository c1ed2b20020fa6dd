// Measures the processor time of a thread.
#ifndef AFFIRM_DRIVER_CHECK_SPENT_HERE_H_
#define AFFIRM_DRIVER_CHECK_SPENT_HERE_H_

#include <ctime>

namespace affirm::driver {

// Time since construction. Must be used in the thread that constructed it.
class SpentHere {
 public:
  double seconds() const { return Now() - start_; }

 private:
  static double Now() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  double start_ = Now();
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_SPENT_HERE_H_
