// Measures the time of a proof step.
#ifndef AFFIRM_VERIFY_KERNEL_PROOF_STOPWATCH_H_
#define AFFIRM_VERIFY_KERNEL_PROOF_STOPWATCH_H_

#include <chrono>

namespace affirm::kernel {

// Milliseconds since construction.
class Stopwatch {
 public:
  double Ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PROOF_STOPWATCH_H_
