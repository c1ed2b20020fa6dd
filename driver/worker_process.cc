// A forked process, a pipe from it, and its times as the system counts them.
#include "driver/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/symbolic/error.h"
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
    // Nobody reads any more: what is found from here on would be lost.
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

// Of a living process and of those of its children that have ended, as proc(5) says.
std::optional<double> CpuSecondsOf(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // The second field is a name in parentheses, which may hold anything.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double ticks = 0;  // utime, stime, cutime, cstime
  for (int field = 14; field < 18; ++field) {
    double of_field = 0;
    if (!(fields >> of_field)) return std::nullopt;
    ticks += of_field;
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
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

std::optional<WorkerProcess::Message> WorkerProcess::Next(double until_cpu_seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kMostWaiting = std::chrono::minutes(2);
  double cpu_seconds = CpuSeconds();
  auto worked_at = Clock::now();
  while (process_ != 0) {
    if (auto message = TakeReceived()) return message;
    constexpr int kLookEveryMs = 20;
    pollfd waiting = {.fd = from_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, kLookEveryMs) > 0) {
      // One that has closed its end of the pipe is about to end by itself.
      if (!ReadMore()) Wait();
      continue;
    }
    if (CpuSeconds() > cpu_seconds) {
      cpu_seconds = CpuSeconds();
      worked_at = Clock::now();
    }
    const bool waits = Clock::now() - worked_at > kMostWaiting && std::isfinite(until_cpu_seconds);
    if (cpu_seconds <= until_cpu_seconds && !waits) continue;
    out_of_time_ = true;
    End();
  }
  // What was sent before the end counts.
  return TakeReceived();
}

double WorkerProcess::CpuSeconds() {
  if (process_ == 0) return cpu_seconds_;
  cpu_seconds_ = CpuSecondsOf(process_).value_or(cpu_seconds_);
  return cpu_seconds_;
}

void WorkerProcess::End() {
  if (process_ != 0) kill(process_, SIGKILL);
  Wait();
}

void WorkerProcess::Wait() {
  if (process_ == 0) return;
  int state = 0;
  rusage usage = {};
  if (wait4(process_, &state, 0, &usage) == process_) {
    how_it_ended_ = TextOfState(state);
    cpu_seconds_ = SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
  }
  close(from_);
  process_ = 0;
}

}  // namespace affirm::driver
