// Work on several threads, with results in order.
#ifndef AFFIRM_DRIVER_PARALLEL_H_
#define AFFIRM_DRIVER_PARALLEL_H_

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace affirm::driver {

// Reads items until there are none, works on each, and writes the results in the order in which
// their items were read, each as soon as it can be. `read` and `write` are called by one thread at
// a time, `work` by up to `jobs`. At most 64 results a thread wait for an earlier one, so that
// memory does not grow with the number of items.
template <typename Item, typename Result>
void OrderedParallelFor(unsigned jobs, llvm::function_ref<std::optional<Item>()> read,
                        llvm::function_ref<Result(Item&)> work,
                        llvm::function_ref<void(Result&)> write) {
  constexpr size_t kMaxWaiting = 64;
  std::mutex reading, writing;
  std::condition_variable written;
  int64_t next_read = 0, next_write = 0;
  std::map<int64_t, Result> waiting;
  auto run = [&] {
    while (true) {
      std::unique_lock read_lock(reading);
      std::optional<Item> item = read();
      if (!item) return;
      int64_t number = next_read++;
      read_lock.unlock();
      Result result = work(*item);
      std::unique_lock lock(writing);
      written.wait(lock,
                   [&] { return number == next_write || waiting.size() < kMaxWaiting * jobs; });
      waiting.emplace(number, std::move(result));
      while (!waiting.empty() && waiting.begin()->first == next_write) {
        write(waiting.begin()->second);
        waiting.erase(waiting.begin());
        ++next_write;
      }
      written.notify_all();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < jobs; ++i) others.emplace_back(run);
  run();
  for (std::thread& thread : others) thread.join();
}

// The same for the items 0 .. count - 1.
template <typename Result>
void OrderedParallelFor(unsigned jobs, int64_t count, llvm::function_ref<Result(int64_t)> work,
                        llvm::function_ref<void(Result&)> write) {
  int64_t next = 0;
  OrderedParallelFor<int64_t, Result>(
      jobs, [&] { return next < count ? std::optional<int64_t>(next++) : std::nullopt; },
      [&](int64_t& i) { return work(i); }, write);
}

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_PARALLEL_H_
