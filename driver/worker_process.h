// Work in a process of its own, which sends messages and is ended when its time is over, so that a
// hang, a crash or memory that nobody frees is an answer like any other.
//
//   auto worker = WorkerProcess::Start([&](const WorkerProcess::Send& send) {
//     for (int i = 0; i < 10; ++i) send('r', ResultOf(i));
//   });
//   while (auto message = worker->Next(60)) Take(message->text);
//   if (worker->is_out_of_time()) ...
#ifndef AFFIRM_DRIVER_WORKER_PROCESS_H_
#define AFFIRM_DRIVER_WORKER_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

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
        cpu_seconds_(other.cpu_seconds_),
        out_of_time_(other.out_of_time_),
        how_it_ended_(std::move(other.how_it_ended_)) {}
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess() { End(); }

  // The next message, in the order in which they were sent; nullopt where the process has ended.
  // It is ended here when it, with the processes that it started and that have ended, has taken
  // more than `until_cpu_seconds` of processor time since its start. Where that is finite it is
  // also ended when it has taken none for two minutes of the clock: it waits for what never comes.
  std::optional<Message> Next(double until_cpu_seconds);

  // Processor time since its start, of it and of what it started.
  double CpuSeconds();
  bool is_out_of_time() const { return out_of_time_; }
  // "exit status 1", "signal Killed": when it has ended.
  const std::string& how_it_ended() const { return how_it_ended_; }
  // Ends it, whatever it does.
  void End();

 private:
  WorkerProcess(pid_t process, int from) : process_(process), from_(from) {}
  std::optional<Message> TakeReceived();
  bool ReadMore();
  void Wait();

  pid_t process_ = 0;  // 0: it has ended
  int from_ = -1;
  std::string received_;  // and not yet taken
  double cpu_seconds_ = 0;
  bool out_of_time_ = false;
  std::string how_it_ended_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_WORKER_PROCESS_H_
