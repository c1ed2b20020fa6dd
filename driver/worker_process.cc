// A forked process, a pipe from it, and its times as the system counts them.
#include "driver/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>

#include "core/symbolic/error.h"
#include "driver/process_use.h"
#include "llvm/Support/raw_ostream.h"
#include "verify/decide/fork.h"

// There in builds that count which lines run (AFFIRM_COVERAGE).
// NOLINTNEXTLINE(bugprone-reserved-identifier): LLVM's profiling runtime chose the name.
extern "C" int __llvm_profile_write_file() __attribute__((weak));

namespace affirm::driver {
namespace {

// A message: its kind, the length of its text, the text.
constexpr size_t kHeader = 1 + sizeof(uint64_t);

void WriteAll(int pipe, llvm::StringRef data) {
  while (!data.empty()) {
    const ssize_t n = write(pipe, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    // The parent closed the pipe: further results would be lost.
    if (n <= 0) _exit(1);
    data = data.drop_front(static_cast<size_t>(n));
  }
}

[[noreturn]] void RunAndExit(int to, llvm::function_ref<void(const WorkerProcess::Send&)> work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  // A crash is reported by the parent; nothing of it shows here.
  for (int crash : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) signal(crash, SIG_DFL);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  work([to](char kind, llvm::StringRef text) {
    const uint64_t size = text.size();
    std::string message(1, kind);
    message.append(reinterpret_cast<const char*>(&size), sizeof size);
    message.append(text.data(), text.size());
    WriteAll(to, message);
  });
  if (__llvm_profile_write_file != nullptr) __llvm_profile_write_file();
  // Nothing of the copied process is to be finished here, as exit() would.
  _exit(0);
}

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string TextOfState(int state) {
  if (WIFSIGNALED(state)) return std::string("signal ") + strsignal(WTERMSIG(state));
  return "exit status " + std::to_string(WEXITSTATUS(state));
}

}  // namespace

llvm::Expected<WorkerProcess> WorkerProcess::Start(
    llvm::function_ref<void(const Send& send)> work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return MakeError(std::string("no pipe to a worker: ") + strerror(errno));
  const pid_t process = ForkOneAtATime();
  if (process == 0) {
    close(ends[0]);
    RunAndExit(ends[1], work);
  }
  const int why = errno;
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return MakeError(std::string("no process for a worker: ") + strerror(why));
  }
  return WorkerProcess(process, ends[0]);
}

std::optional<WorkerProcess::Message> WorkerProcess::TakeReceived() {
  if (received_.size() < kHeader) return std::nullopt;
  uint64_t size = 0;
  std::memcpy(&size, received_.data() + 1, sizeof size);
  if (received_.size() - kHeader < size) return std::nullopt;
  Message message{received_[0], received_.substr(kHeader, size)};
  received_.erase(0, kHeader + size);
  return message;
}

// False where nothing more will come.
bool WorkerProcess::ReadMore() {
  char buffer[1 << 16];
  const ssize_t n = read(from_, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  received_.append(buffer, static_cast<size_t>(n));
  return true;
}

// In this order: what the limits say; whether it still does anything; its memory, which takes
// longest to find out.
WorkerProcess::Exceeded WorkerProcess::WhichIsExceeded(const WorkLimits& limits) {
  constexpr auto kMostIdle = std::chrono::minutes(2);
  constexpr auto kWeighEvery = std::chrono::milliseconds(100);
  const std::vector<pid_t> tree = ProcessTree(process_);
  const double cpu_seconds = CpuSecondsOf(tree);
  const auto now = Clock::now();
  if (cpu_seconds > cpu_seconds_) {
    cpu_seconds_ = cpu_seconds;
    worked_ = now;
  }
  const bool is_idle = now - worked_ > kMostIdle && std::isfinite(limits.cpu_seconds);
  if (is_idle || cpu_seconds_ > limits.cpu_seconds || ClockSeconds() > limits.clock_seconds)
    return Exceeded::kTime;
  if (limits.memory == std::numeric_limits<uint64_t>::max() || now - weighed_ < kWeighEvery)
    return Exceeded::kNothing;
  // Processes are weighed one after the other, and may end meanwhile: one that ends leaves its
  // share of a page to those that were weighed before it. What is heavy is so twice.
  const bool is_heavy =
      HoldMoreThan(limits.memory, tree) && HoldMoreThan(limits.memory, ProcessTree(process_));
  weighed_ = Clock::now();
  return is_heavy ? Exceeded::kMemory : Exceeded::kNothing;
}

std::optional<WorkerProcess::Message> WorkerProcess::Next(const WorkLimits& limits) {
  constexpr auto kLookEvery = std::chrono::milliseconds(20);
  worked_ = Clock::now();
  auto looked = worked_;
  while (process_ != 0) {
    if (auto message = TakeReceived()) return message;
    pollfd waiting = {.fd = from_, .events = POLLIN, .revents = 0};
    // One that has closed its end of the pipe is about to end by itself.
    if (poll(&waiting, 1, static_cast<int>(kLookEvery.count())) > 0 && !ReadMore()) Wait();
    // A worker that sends all the time is looked at, too.
    if (process_ == 0 || Clock::now() - looked < kLookEvery) continue;
    exceeded_ = WhichIsExceeded(limits);
    if (exceeded_ != Exceeded::kNothing) End();
    looked = Clock::now();
  }
  // Messages that were sent before the end count.
  return TakeReceived();
}

double WorkerProcess::CpuSeconds() {
  if (process_ != 0) cpu_seconds_ = std::max(cpu_seconds_, CpuSecondsOf(ProcessTree(process_)));
  return cpu_seconds_;
}

double WorkerProcess::ClockSeconds() const {
  return std::chrono::duration<double>(Clock::now() - started_).count();
}

void WorkerProcess::End() {
  if (process_ != 0) {
    // Children end with their parents, unless they run another program.
    for (pid_t process : ProcessTree(process_)) kill(process, SIGKILL);
  }
  Wait();
}

void WorkerProcess::Wait() {
  if (process_ == 0) return;
  int state = 0;
  rusage usage = {};
  if (wait4(process_, &state, 0, &usage) == process_) {
    how_it_ended_ = TextOfState(state);
    if (WIFSIGNALED(state)) signal_ = WTERMSIG(state);
    cpu_seconds_ = SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
  }
  // It may have sent its last message, and ended by itself, while it was looked at. Nothing is
  // waited for: a child of it that lives still holds the pipe.
  pollfd rest = {.fd = from_, .events = POLLIN, .revents = 0};
  while (poll(&rest, 1, 0) > 0 && ReadMore()) {
  }
  close(from_);
  process_ = 0;
}

}  // namespace affirm::driver
