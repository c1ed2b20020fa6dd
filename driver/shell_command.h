// Runs a shell command on a text, within limits of time and output, whatever the command does.
//
//   auto run = RunShell("tr a-z A-Z", "text", {.seconds = 5});
//   run->end;     // ShellRun::End::kExited, with run->status 0
//   run->output;  // "TEXT"
#ifndef AFFIRM_DRIVER_SHELL_COMMAND_H_
#define AFFIRM_DRIVER_SHELL_COMMAND_H_

#include <cstddef>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

struct ShellLimits {
  double seconds = 10;              // on the clock
  size_t bytes = size_t{64} << 20;  // of standard output
};

struct ShellRun {
  // How it ended: by itself with a status, by a signal, or killed at a limit.
  enum class End : uint8_t { kExited, kSignal, kTimeout, kTooMuchOutput };
  End end = End::kExited;
  int status = 0;      // kExited: the status; kSignal: the signal
  std::string output;  // standard output, up to the limit
  std::string errors;  // the first 4,096 bytes of standard error

  bool Succeeded() const { return end == End::kExited && status == 0; }
  // By a signal that stands for a fault of the program, and not one that others send: SIGKILL comes
  // where memory runs out, SIGTERM and SIGINT from people.
  bool Crashed() const;
  // "exit status 3", "signal 11 (Segmentation fault)", "no end after 10 s", ...
  std::string HowItEnded(const ShellLimits& limits) const;
};

// `/bin/sh -c command` in a process group of its own, with `input` as its standard input. The call
// returns when the command has ended and everything that holds its output has closed it, or at a
// limit; then the whole group is killed, so that nothing that stayed in it is left. A command that
// reads nothing is no error. A signal that the shell reports (status 128 + n) counts as one. An
// error: the system has no process, pipe or memory for it.
llvm::Expected<ShellRun> RunShell(const std::string& command, llvm::StringRef input,
                                  const ShellLimits& limits = {});

// A word for the shell, whatever it holds: m.hlo as it stands, 'it'\''s' in quotes.
std::string ShellQuoted(llvm::StringRef text);
// A command as a part of a pipeline that any shell reads alike. All of the command gets the input,
// as RunShell gives it: `a; b` becomes sh -c 'a; b'. A single program with plain arguments stands
// as it is.
std::string AsPartOfPipe(llvm::StringRef command);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_SHELL_COMMAND_H_
