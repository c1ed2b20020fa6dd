// Why a certificate is rejected, as an exception.
#ifndef AFFIRM_TESTS_CERTIFICATE_TWIN_REJECTION_H_
#define AFFIRM_TESTS_CERTIFICATE_TWIN_REJECTION_H_

#include <chrono>
#include <stdexcept>
#include <string>

namespace twin {

class Rejection : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void Expect(bool holds, const char* otherwise) {
  if (!holds) throw Rejection(otherwise);
}
[[noreturn]] inline void Refuse(const std::string& why) { throw Rejection(why); }

// All files of a run together have two minutes.
inline void ExpectTime() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point end = Clock::now() + std::chrono::seconds(120);
  Expect(Clock::now() < end, "there is no time left");
}

}  // namespace twin

#endif  // AFFIRM_TESTS_CERTIFICATE_TWIN_REJECTION_H_
