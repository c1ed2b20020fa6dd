// Overwrites one line of the terminal.
#include "driver/progress.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

constexpr int64_t kBar = 20;                 // characters of it
constexpr size_t kMostProgressColumns = 78;  // that every terminal has
// A line that is redrawn more often cannot be read.
constexpr std::chrono::milliseconds kBetween(50);

}  // namespace

std::optional<ProgressSteps> ProgressStepsOf(llvm::StringRef text) {
  for (size_t at = text.find(" of "); at != llvm::StringRef::npos; at = text.find(" of ", at + 1)) {
    llvm::StringRef before = text.take_front(at), after = text.drop_front(at + 4);
    size_t digits = before.size();
    while (digits > 0 && llvm::isDigit(before[digits - 1])) --digits;
    ProgressSteps steps;
    if (before.drop_front(digits).getAsInteger(10, steps.done)) continue;
    if (after.consumeInteger(10, steps.total) || steps.total <= 0) continue;
    steps.done = std::min(steps.done, steps.total);
    return steps;
  }
  return std::nullopt;
}

std::string ProgressLine(llvm::StringRef text, double seconds) {
  const auto steps = ProgressStepsOf(text);
  if (!steps) return text.take_front(kMostProgressColumns).str();
  const int64_t full = kBar * steps->done / steps->total;
  std::string line = "[" + std::string(full, '#') + std::string(kBar - full, ' ') + "] ";
  std::string rest;
  // Within the first second, an estimate of the rest would be wrong.
  if (seconds >= 1 && steps->done > 0 && steps->done < steps->total && !text.contains("at most")) {
    const double left = seconds * static_cast<double>(steps->total - steps->done) /
                        static_cast<double>(steps->done);
    const auto whole = static_cast<int64_t>(left + 1);
    rest = whole < 120 ? ", about " + std::to_string(whole) + " s left"
                       : ", about " + std::to_string(whole / 60) + " min left";
  }
  return line + text.take_front(kMostProgressColumns - line.size() - rest.size()).str() + rest;
}

Progress::Progress() : enabled_(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::Show(const llvm::Twine& text) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  const std::string what = text.str();
  const int64_t total = ProgressStepsOf(what).value_or(ProgressSteps{}).total;
  if (total != total_) start_ = now;  // other work
  total_ = total;
  if (shown_ && now - last_ < kBetween) return;
  last_ = now;
  llvm::errs() << "\r\x1b[K"
               << ProgressLine(what, std::chrono::duration<double>(now - start_).count());
  shown_ = true;
}

void Progress::Clear() {
  if (shown_) llvm::errs() << "\r\x1b[K";
  shown_ = false;
}

}  // namespace affirm::driver
