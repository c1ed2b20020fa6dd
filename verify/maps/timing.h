// Measures how long a proof about maps takes.
#ifndef AFFIRM_VERIFY_MAPS_TIMING_H_
#define AFFIRM_VERIFY_MAPS_TIMING_H_

#include <chrono>

#include "verify/maps/maps.h"

namespace affirm {

// The answer of `fn`, with its time in `ms`.
template <typename Fn>
MapProofResult Timed(Fn fn) {
  auto start = std::chrono::steady_clock::now();
  MapProofResult answer = fn();
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  answer.ms = spent.count();
  return answer;
}

}  // namespace affirm

#endif  // AFFIRM_VERIFY_MAPS_TIMING_H_
