// Verdicts of a sweep against the truth, and how many of them there were.
#ifndef AFFIRM_TESTS_DIFFERENTIAL_TALLY_H_
#define AFFIRM_TESTS_DIFFERENTIAL_TALLY_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "verify/decide/decider.h"

namespace affirm {

// A verdict must be the truth, and a refutation come with what it was found at. At most
// `unknown_percent` percent of all verdicts may be unknown.
class Sweep {
 public:
  explicit Sweep(long long unknown_percent = 1) : unknown_percent_(unknown_percent) {}
  ~Sweep() {
    std::printf("%lld verdicts: %lld proved, %lld refuted, %lld unknown; the longest %.0f ms\n",
                all_, proved_, all_ - proved_ - unknown_, unknown_, longest_ms_);
    for (const auto& [reason, count] : reasons_) std::printf("%8lld  %s\n", count, reason.c_str());
    EXPECT_LE(unknown_ * 100, all_ * unknown_percent_) << "unknown";
  }

  template <typename AnswerOf>
  void Add(const AnswerOf& answer, bool truth) {
    Add(answer.verdict, answer.reason, answer.ms, truth);
    EXPECT_EQ(answer.counterexample.has_value(), answer.verdict == Verdict::kRefuted);
  }
  void Add(Verdict verdict, const std::string& reason, double ms, bool truth) {
    ++all_;
    longest_ms_ = std::max(longest_ms_, ms);
    proved_ += verdict == Verdict::kProved;
    unknown_ += verdict == Verdict::kUnknown;
    if (verdict == Verdict::kUnknown) {
      ++reasons_[reason];
      EXPECT_FALSE(reason.empty());
    } else {
      EXPECT_EQ(verdict == Verdict::kProved, truth);
    }
  }

 private:
  const long long unknown_percent_;
  long long all_ = 0, proved_ = 0, unknown_ = 0;
  double longest_ms_ = 0;
  std::map<std::string, long long> reasons_;
};

}  // namespace affirm

#endif  // AFFIRM_TESTS_DIFFERENTIAL_TALLY_H_
