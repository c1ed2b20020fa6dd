// A program that simplifies maps, asked about many of them at a time.
//
//   ProgramRunner runner("other-simplify", {.timeout_seconds = 10});
//   auto answers = Ask(runner, {"(d0) -> (d0 mod 8), domain: d0 in [0, 7]"}, {});
//   answers->front().text;  // "(d0) -> (d0), domain: d0 in [0, 7]"
//
// The program reads maps in XLA's text form from its standard input, a blank line between two of
// them, and prints one map for each, in order, a blank line between two. Lines of comment (`//`) do
// not count; maps may take several lines.
#ifndef AFFIRM_DRIVER_ORACLE_SIMPLIFIER_PROGRAM_H_
#define AFFIRM_DRIVER_ORACLE_SIMPLIFIER_PROGRAM_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/shell_command.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct RunnerLimits {
  double timeout_seconds = 10;  // of one start of the program
  double max_seconds = 0;       // of all that is done with it; 0: no limit
};

// Starts the program, as often as it is asked to, until the time for all of it is over.
class ProgramRunner {
 public:
  ProgramRunner(std::string command, RunnerLimits limits)
      : command_(std::move(command)), limits_(limits), start_(std::chrono::steady_clock::now()) {}

  // One start of the program on these maps. nullopt when the time for everything is over, before it
  // or while it ran. An error when the shell finds no such program.
  llvm::Expected<std::optional<ShellRun>> Run(llvm::ArrayRef<std::string> maps);

  bool OutOfTime() const { return TimeLeft() <= 0; }
  const std::string& command() const { return command_; }
  int64_t starts() const { return starts_; }
  // "no end after 10 s", as HowItEnded says it.
  std::string HowItEnded(const ShellRun& run) const;

 private:
  double TimeLeft() const;  // in seconds

  std::string command_;
  RunnerLimits limits_;
  std::chrono::steady_clock::time_point start_;
  int64_t starts_ = 0;
};

// The program's answer to one map.
struct Answer {
  enum class Kind : uint8_t {
    kText,     // printed one map
    kCrash,    // a status that is not 0, or a signal
    kHang,     // no end in time
    kTooMuch,  // more output than a simplified map can have
    kMissing,  // printed nothing for it
    kSurplus,  // printed more than one map
    kNotAsked,
  };
  Kind kind = Kind::kNotAsked;
  std::string text;    // what it printed
  std::string detail;  // how it failed, with the first line of its standard error
};

// A batch on which the program fails though it does not fail on its parts; as small as was found.
struct BatchFailure {
  std::vector<std::string> maps;
  Answer answer;
};

// How many failures are pinned down before the rest is not asked: each costs a start of the
// program, each hang the whole timeout.
struct FailureBudget {
  int64_t failures = 64, hangs = 3;
  bool Spent() const { return failures <= 0 || hangs <= 0; }
};

struct BatchAnswers {
  std::vector<Answer> answers;  // one a map
  std::optional<BatchFailure> batch_failure;
};

// The answer to each map. A batch on which the program fails is divided until the maps are known
// that it fails on; maps behind the end of the budget are not asked.
llvm::Expected<BatchAnswers> Ask(ProgramRunner& runner, llvm::ArrayRef<std::string> maps,
                                 FailureBudget& budget);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_ORACLE_SIMPLIFIER_PROGRAM_H_
