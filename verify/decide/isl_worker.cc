// A forked process runs isl under a limit on processor time and sends what it finds through a pipe.
#include "verify/decide/isl_worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <optional>

#include "verify/decide/fork.h"
#include "verify/decide/isl_terms.h"

namespace affirm {
namespace {

// A finding as bytes: their number, the verdict, the number of coordinates, these, the reason.
struct Header {
  uint64_t bytes;
  uint64_t verdict;
  uint64_t coordinates;
};

std::string Encode(const IslResult& finding) {
  const size_t point = finding.point.size() * sizeof(int64_t);
  const Header header = {.bytes = sizeof(Header) + point + finding.reason.size(),
                         .verdict = static_cast<uint64_t>(finding.verdict),
                         .coordinates = finding.point.size()};
  std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  text.append(reinterpret_cast<const char*>(finding.point.data()), point);
  return text + finding.reason;
}

// nullopt while bytes are missing.
std::optional<IslResult> Decode(const std::string& text) {
  Header header;
  if (text.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, text.data(), sizeof header);
  if (text.size() < header.bytes) return std::nullopt;
  IslResult finding{.verdict = static_cast<Verdict>(header.verdict)};
  finding.point.resize(header.coordinates);
  const size_t point = header.coordinates * sizeof(int64_t);
  if (point > 0) std::memcpy(finding.point.data(), text.data() + sizeof header, point);
  finding.reason = text.substr(sizeof header + point);
  return finding;
}

[[noreturn]] void Work(const Budget& budget, int to, llvm::function_ref<IslResult(isl_ctx*)> work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit limit = {budget.isl_seconds, budget.isl_seconds};
  setrlimit(RLIMIT_CPU, &limit);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::string text;
  {
    IslPtr<isl_ctx> ctx = MakeIslContext(budget.isl_operations);
    text = Encode(work(ctx.get()));
  }
  for (size_t at = 0; at < text.size();) {
    ssize_t n = write(to, text.data() + at, text.size() - at);
    if (n <= 0) break;
    at += static_cast<size_t>(n);
  }
  // Nothing of the copied process is to be finished here, as exit() would.
  _exit(0);
}

// Reads what the worker writes, until it has written all, has died, or the wall time is over.
std::optional<IslResult> Receive(pid_t worker, int from, unsigned wall_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(wall_ms);
  std::string text;
  bool dead = false;
  while (Clock::now() < end) {
    pollfd waiting = {.fd = from, .events = POLLIN, .revents = 0};
    // A worker that another thread starts meanwhile may hold this pipe open past our worker's
    // death, so that its end alone does not tell.
    constexpr int kLookEveryMs = 50;
    if (poll(&waiting, 1, kLookEveryMs) > 0) {
      char buffer[4096];
      ssize_t n = read(from, buffer, sizeof buffer);
      if (n > 0) text.append(buffer, static_cast<size_t>(n));
      if (auto finding = Decode(text)) return finding;
      if (n <= 0) return std::nullopt;
    } else if (dead) {
      return std::nullopt;
    } else {
      siginfo_t info = {};
      dead = waitid(P_PID, static_cast<id_t>(worker), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             info.si_pid == worker;
    }
  }
  return std::nullopt;
}

}  // namespace

IslResult RunIsl(const Budget& budget, llvm::function_ref<IslResult(isl_ctx*)> work) {
  int ends[2];
  if (pipe(ends) != 0) return {.reason = "isl: no pipe to a worker"};
  const pid_t worker = ForkOneAtATime();
  if (worker == 0) Work(budget, ends[1], work);
  close(ends[1]);
  std::optional<IslResult> finding;
  if (worker > 0) {
    finding = Receive(worker, ends[0], budget.wall_ms);
    kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
  }
  close(ends[0]);
  if (finding) return *finding;
  return {.reason = worker > 0 ? "isl: its time is over" : "isl: no process for it"};
}

}  // namespace affirm
