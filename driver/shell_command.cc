// Starts the shell on a file in memory, reads its two streams, and ends its process group.
#include "driver/shell_command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "core/symbolic/error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

constexpr size_t kMaxErrors = 4096;

llvm::Error SystemError(const char* what) {
  return MakeError(llvm::Twine("cannot start a program: ") + what + ": " + std::strerror(errno));
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void Set(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// The input as a file in memory: unlike a pipe it can neither fill up nor break.
bool WriteInput(int fd, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text = text.drop_front(static_cast<size_t>(n));
  }
  return lseek(fd, 0, SEEK_SET) == 0;
}

// In the child. Only calls that are safe after a fork of a program with threads.
[[noreturn]] void Become(const char* command, int in, int out, int err) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(126);
  execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
  _exit(126);
}

class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  bool Passed() const { return Clock::now() >= end_; }
  // For poll: rounded up, so that it does not return early.
  int Milliseconds() const {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

// Appends what can be read now, up to `limit` bytes in all; what is beyond is dropped. False at the
// end of the stream.
bool ReadSome(int fd, std::string& text, size_t limit, bool& dropped) {
  char chunk[1 << 16];
  ssize_t n = read(fd, chunk, sizeof chunk);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  size_t room = limit - std::min(limit, text.size());
  dropped |= static_cast<size_t>(n) > room;
  text.append(chunk, std::min(room, static_cast<size_t>(n)));
  return n > 0;
}

// Reads both streams to their ends; how that ended, if not well.
ShellRun::End ReadStreams(Descriptor& out, Descriptor& err, const ShellLimits& limits,
                          const Deadline& deadline, ShellRun& run) {
  bool too_much = false, ignored = false;
  while (out.get() >= 0 || err.get() >= 0) {
    pollfd streams[2] = {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}};
    if (poll(streams, 2, deadline.Milliseconds()) < 0 && errno != EINTR) break;
    if (streams[0].revents && !ReadSome(out.get(), run.output, limits.bytes, too_much)) out.Close();
    if (streams[1].revents && !ReadSome(err.get(), run.errors, kMaxErrors, ignored)) err.Close();
    if (too_much) return ShellRun::End::kTooMuchOutput;
    if (deadline.Passed()) return ShellRun::End::kTimeout;
  }
  return ShellRun::End::kExited;
}

// Whether the process ends in time. It stays there to be waited for, and its group keeps its name.
bool EndsInTime(pid_t child, const Deadline& deadline) {
  while (true) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return true;
    }
    if (info.si_pid == child) return true;
    if (deadline.Passed()) return false;
    usleep(200);
  }
}

void SetStatus(int state, ShellRun& run) {
  run.end = WIFSIGNALED(state) ? ShellRun::End::kSignal : ShellRun::End::kExited;
  run.status = WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state);
  // As shells report the signal that ended what they ran.
  if (run.end == ShellRun::End::kExited && run.status > 128 && run.status <= 128 + 31) {
    run.end = ShellRun::End::kSignal;
    run.status -= 128;
  }
}

}  // namespace

bool ShellRun::Crashed() const {
  constexpr int kFaults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  return end == End::kSignal && llvm::is_contained(kFaults, status);
}

std::string ShellRun::HowItEnded(const ShellLimits& limits) const {
  std::string text;
  switch (end) {
    case End::kExited:
      return "exit status " + std::to_string(status);
    case End::kSignal:
      return "signal " + std::to_string(status) + " (" + strsignal(status) + ")";
    case End::kTimeout:
      llvm::raw_string_ostream(text) << llvm::format("no end after %g s", limits.seconds);
      return text;
    case End::kTooMuchOutput:
      return "more than " + std::to_string(limits.bytes) + " bytes of output";
  }
  return "";
}

llvm::Expected<ShellRun> RunShell(const std::string& command, llvm::StringRef input,
                                  const ShellLimits& limits) {
  Descriptor in(memfd_create("input", MFD_CLOEXEC));
  if (in.get() < 0 || !WriteInput(in.get(), input)) return SystemError("no memory for its input");
  int out_ends[2], err_ends[2];
  if (pipe2(out_ends, O_CLOEXEC) != 0) return SystemError("no pipe");
  Descriptor out(out_ends[0]), out_write(out_ends[1]);
  if (pipe2(err_ends, O_CLOEXEC) != 0) return SystemError("no pipe");
  Descriptor err(err_ends[0]), err_write(err_ends[1]);
  Deadline deadline(limits.seconds);
  pid_t child = fork();
  if (child < 0) return SystemError("no process");
  if (child == 0) Become(command.c_str(), in.get(), out_write.get(), err_write.get());
  setpgid(child, child);  // in both, since either may be first
  out_write.Close();
  err_write.Close();
  ShellRun run;
  run.end = ReadStreams(out, err, limits, deadline, run);
  if (run.end == ShellRun::End::kExited && !EndsInTime(child, deadline)) {
    run.end = ShellRun::End::kTimeout;
  }
  kill(-child, SIGKILL);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
  if (run.end == ShellRun::End::kExited) SetStatus(state, run);
  return run;
}

std::string ShellQuoted(llvm::StringRef text) {
  const bool is_plain = !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("@%+=:,./-_").contains(c);
  });
  if (is_plain) return text.str();
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string AsPartOfPipe(llvm::StringRef command) {
  // Words such as `if` and `exec` need a character that is none of these to do what no program
  // does, and so do lists, groups and comments.
  const bool is_plain = llvm::all_of(command, [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef(" @%+=:,./-_").contains(c);
  });
  return is_plain ? command.str() : "sh -c " + ShellQuoted(command);
}

}  // namespace affirm::driver
