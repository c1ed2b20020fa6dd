// The limits of a verb that can work long: its time, and its memory with that of every process that
// it starts.
#ifndef AFFIRM_TOOLS_AFFIRM_LIMIT_OPTIONS_H_
#define AFFIRM_TOOLS_AFFIRM_LIMIT_OPTIONS_H_

#include <functional>
#include <string>

#include "tools/affirm/command_line.h"
#include "tools/affirm/report_options.h"

namespace affirm::cli {

// Adds --memory-limit.
void AddMemoryLimit(Verb& verb, std::string& memory);

class LimitFlags {
 public:
  // With no time limit by default; or with one of `seconds`.
  LimitFlags() = default;
  explicit LimitFlags(double seconds) : time_(seconds) {}

  // Adds --memory-limit and, for a verb without an option of its own, --time-limit.
  void AddTo(Verb& verb, bool with_time = true);

  // Without the time, for work of many parts that have limits of their own.
  LimitFlags OfMemory() const;

  // Runs `work` in a process of its own and answers its exit status. Where it exceeds a limit it is
  // ended, with all that it started; then the verdict about `file` is unknown, which is reported in
  // the format that was asked for. `threads`: how many it uses.
  int Run(const std::string& verb, const std::string& file, unsigned threads, ReportFlags& report,
          const std::function<int()>& work) const;

 private:
  double time_ = 0;  // 0: no limit
  std::string memory_;
};

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_LIMIT_OPTIONS_H_
