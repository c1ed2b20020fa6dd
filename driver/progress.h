// The line on a terminal that says what long work is doing, how far it is, and how long it may
// take.
#ifndef AFFIRM_DRIVER_PROGRESS_H_
#define AFFIRM_DRIVER_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace affirm::driver {

// How far work is: of "rule 3 of 20", 3 and 20.
struct ProgressSteps {
  int64_t done = 0, total = 0;
  bool operator==(const ProgressSteps&) const = default;
};
std::optional<ProgressSteps> ProgressStepsOf(llvm::StringRef text);

// "[######              ] rule 3 of 10, about 14 s left": a bar and an estimate in front of and
// behind a text that says how far the work is; others as they stand. `seconds`: since the first
// step. A text that says itself how long it takes ("at most 8 s") gets no estimate.
std::string ProgressLine(llvm::StringRef text, double seconds);

// A line on a terminal that is overwritten; nothing when stderr is not one.
class Progress {
 public:
  Progress();
  ~Progress() { Clear(); }
  void Show(const llvm::Twine& text);
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_;
  int64_t total_ = 0;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_PROGRESS_H_
