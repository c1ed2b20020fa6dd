// Worker processes that do a few dozen items each.
#include "driver/campaign/isolated_process.h"

#include <algorithm>

#include "driver/worker_process.h"
#include "llvm/Support/raw_ostream.h"

namespace affirm::driver {
namespace {

constexpr uint64_t kItemsPerProcess = 64;
constexpr char kItem = 'i';

ProcessOutcome OutcomeOfDead(const WorkerProcess& worker) {
  if (worker.is_out_of_time()) return {ProcessOutcome::Kind::kHang, ""};
  return {ProcessOutcome::Kind::kCrash, worker.how_it_ended()};
}

}  // namespace

void RunIsolated(uint64_t count, int cpu_seconds, llvm::function_ref<std::string(uint64_t)> work,
                 llvm::function_ref<bool(uint64_t, const ProcessOutcome&)> done) {
  llvm::outs().flush();
  llvm::errs().flush();
  bool go_on = true;
  for (uint64_t next = 0; next < count && go_on;) {
    const uint64_t first = next, last = std::min(count, next + kItemsPerProcess);
    auto worker = WorkerProcess::Start([&](const WorkerProcess::Send& send) {
      for (uint64_t i = first; i < last; ++i) send(kItem, work(i));
    });
    if (!worker) {
      llvm::consumeError(worker.takeError());
      return;
    }
    while (go_on && next < last) {
      auto message = worker->Next(worker->CpuSeconds() + cpu_seconds);
      if (!message) break;
      go_on = done(next++, {ProcessOutcome::Kind::kDone, std::move(message->text)});
    }
    if (go_on && next < last) go_on = done(next++, OutcomeOfDead(*worker));
  }
}

}  // namespace affirm::driver
