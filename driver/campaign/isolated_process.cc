// Forks a worker, sends its results through a pipe, and replaces it when it dies.
#include "driver/campaign/isolated_process.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "llvm/Support/raw_ostream.h"

// There in builds that count which lines run (AFFIRM_COVERAGE).
// NOLINTNEXTLINE(bugprone-reserved-identifier): LLVM's profiling runtime chose the name.
extern "C" int __llvm_profile_write_file() __attribute__((weak));

namespace affirm::driver {
namespace {

constexpr uint64_t kItemsPerProcess = 64;

bool WriteAll(int pipe, const char* data, size_t size) {
  while (size > 0) {
    ssize_t n = write(pipe, data, size);
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool ReadAll(int pipe, char* data, size_t size) {
  while (size > 0) {
    ssize_t n = read(pipe, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// A text behind its length.
bool Send(int pipe, const std::string& text) {
  uint64_t size = text.size();
  return WriteAll(pipe, reinterpret_cast<const char*>(&size), sizeof(size)) &&
         WriteAll(pipe, text.data(), text.size());
}

bool Receive(int pipe, std::string& text) {
  uint64_t size = 0;
  if (!ReadAll(pipe, reinterpret_cast<char*>(&size), sizeof(size))) return false;
  text.resize(size);
  return ReadAll(pipe, text.data(), size);
}

// In the child: every item from `first` on, until the processor time of one runs out.
[[noreturn]] void Work(int pipe, uint64_t first, uint64_t last, int cpu_seconds,
                       llvm::function_ref<std::string(uint64_t)> work) {
  // Crashes are reported by the parent; nothing of the child's shows.
  for (int crash : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) signal(crash, SIG_DFL);
  rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (uint64_t i = first; i < last; ++i) {
    itimerval timer{};
    timer.it_value.tv_sec = cpu_seconds;
    setitimer(ITIMER_PROF, &timer, nullptr);
    if (!Send(pipe, work(i))) break;
  }
  if (__llvm_profile_write_file != nullptr) __llvm_profile_write_file();
  _exit(0);
}

ProcessOutcome ProcessOutcomeOf(int state) {
  if (WIFSIGNALED(state) && WTERMSIG(state) == SIGPROF) return {ProcessOutcome::Kind::kHang, ""};
  std::string how = WIFSIGNALED(state) ? std::string("signal ") + strsignal(WTERMSIG(state))
                                       : "exit status " + std::to_string(WEXITSTATUS(state));
  return {ProcessOutcome::Kind::kCrash, how};
}

}  // namespace

void RunIsolated(uint64_t count, int cpu_seconds, llvm::function_ref<std::string(uint64_t)> work,
                 llvm::function_ref<bool(uint64_t, const ProcessOutcome&)> done) {
  llvm::outs().flush();
  llvm::errs().flush();
  for (uint64_t next = 0; next < count;) {
    int ends[2];
    if (pipe(ends) != 0) return;
    uint64_t last = std::min(count, next + kItemsPerProcess);
    pid_t child = fork();
    if (child < 0) return;
    if (child == 0) {
      close(ends[0]);
      Work(ends[1], next, last, cpu_seconds, work);
    }
    close(ends[1]);
    bool go_on = true;
    ProcessOutcome outcome;
    while (next < last && go_on && Receive(ends[0], outcome.text)) go_on = done(next++, outcome);
    close(ends[0]);
    if (!go_on) kill(child, SIGKILL);
    int state = 0;
    waitpid(child, &state, 0);
    if (go_on && next < last) go_on = done(next++, ProcessOutcomeOf(state));
    if (!go_on) return;
  }
}

}  // namespace affirm::driver
