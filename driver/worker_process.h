// Work in a process of its own, which sends messages and is ended when its time is over, so that a
// hang, a crash or memory that is never freed is an answer like any other.
//
//   auto worker = WorkerProcess::Start([&](const WorkerProcess::Send& send) {
//     for (int i = 0; i < 10; ++i) send('r', ResultOf(i));
//   });
//   while (auto message = worker->Next(60)) Take(message->text);
//   if (worker->is_out_of_time()) ...
#ifndef AFFIRM_DRIVER_WORKER_PROCESS_H_
#define AFFIRM_DRIVER_WORKER_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// The limits of a worker and all processes that it starts. The clock is there for a machine that
// gives it no processor time, and for a wait for what never comes.
struct WorkLimits {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double cpu_seconds = kNone;                              // since its start
  double clock_seconds = kNone;                            // since its start
  uint64_t memory = std::numeric_limits<uint64_t>::max();  // bytes
};

class WorkerProcess {
 public:
  using Send = std::function<void(char kind, llvm::StringRef text)>;
  struct Message {
    char kind = 0;
    std::string text;
  };

  // Copies this process. In the copy `work` runs, and the copy ends; what it changes is not seen
  // here. No other thread of this process may hold a lock that `work` needs.
  static llvm::Expected<WorkerProcess> Start(llvm::function_ref<void(const Send& send)> work);

  WorkerProcess(WorkerProcess&& other) noexcept
      : process_(std::exchange(other.process_, 0)),
        from_(std::exchange(other.from_, -1)),
        received_(std::move(other.received_)),
        started_(other.started_),
        cpu_seconds_(other.cpu_seconds_),
        exceeded_(other.exceeded_),
        signal_(other.signal_),
        how_it_ended_(std::move(other.how_it_ended_)) {}
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess() { End(); }

  // The next message, in the order in which they were sent; nullopt where the process has ended.
  // It is ended here, with all that it started, when they exceed a limit; where the processor time
  // is limited, also when they have taken none for two minutes of the clock.
  std::optional<Message> Next(const WorkLimits& limits);
  std::optional<Message> Next(double until_cpu_seconds) {
    return Next(WorkLimits{.cpu_seconds = until_cpu_seconds});
  }

  // Processor time since its start, of it and of what it started.
  double CpuSeconds();
  double ClockSeconds() const;
  // Which limit it was ended for.
  enum class Exceeded : uint8_t { kNothing, kTime, kMemory };
  Exceeded exceeded() const { return exceeded_; }
  bool is_out_of_time() const { return exceeded_ == Exceeded::kTime; }
  // "exit status 1", "signal Killed": when it has ended.
  const std::string& how_it_ended() const { return how_it_ended_; }
  // The signal that ended it; 0: none did.
  int signal() const { return signal_; }
  // Ends it, whatever it does.
  void End();

 private:
  WorkerProcess(pid_t process, int from) : process_(process), from_(from) {}
  std::optional<Message> TakeReceived();
  bool ReadMore();
  void Wait();
  Exceeded WhichIsExceeded(const WorkLimits& limits);

  pid_t process_ = 0;  // 0: it has ended
  int from_ = -1;
  std::string received_;  // and not yet taken
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_ = Clock::now();
  double cpu_seconds_ = 0;
  Clock::time_point worked_ = started_;  // when it had last taken processor time
  Clock::time_point weighed_ = {};       // when its memory was looked at
  Exceeded exceeded_ = Exceeded::kNothing;
  int signal_ = 0;
  std::string how_it_ended_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_WORKER_PROCESS_H_
