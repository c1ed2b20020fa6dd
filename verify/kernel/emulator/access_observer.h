// Watches what an emulated kernel loads and stores, and counts sectors and wavefronts byte by byte.
//
//   auto emulator = Emulator::Create(*ir, launch, Emulator::Watch::kAccesses);
//   AccessCounter counter;
//   EmulatorOptions options;
//   options.observer = &counter;
//   emulator->Run(memories, options);
//   counter.Counts();   // by line of the instruction
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_ACCESS_OBSERVER_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_ACCESS_OBSERVER_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "verify/kernel/access_count.h"

namespace affirm::kernel {

// One thread executes a load, a store or an atomic operation of global or shared memory.
struct ObservedAccess {
  int64_t block = 0, thread = 0;  // numbers in the grid, in the block
  int line = 0;                   // of the instruction
  bool is_shared = false;
  uint64_t region = 0;  // the buffer, or variable
  int64_t offset = 0;   // in bytes, there
  int64_t bytes = 0;
};

class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  // Blocks come one after the other. The threads of a block take turns; each one's accesses come in
  // the order of its program.
  virtual void Observe(const ObservedAccess& access) = 0;
};

class AccessCounter : public AccessObserver {
 public:
  // The line of the instruction, and whether it is shared memory.
  using Key = std::pair<int, bool>;

  explicit AccessCounter(const WarpModel& model = {}) : model_(model) {}
  void Observe(const ObservedAccess& access) override;
  // After the run.
  std::map<Key, AccessCount> Counts();

 private:
  // The accesses of the lanes of a warp: list k is the k-th access.
  using Accesses = std::vector<std::vector<ObservedAccess>>;
  void Finish();  // the block
  void Count(AccessCount& count, const std::vector<ObservedAccess>& lanes, bool is_shared) const;

  WarpModel model_;
  int64_t block_ = -1;
  std::map<std::pair<Key, int64_t>, Accesses> of_warps_;  // of the block
  std::map<std::pair<Key, int64_t>, int64_t> executed_;   // by thread, of the block
  std::map<Key, AccessCount> counts_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_ACCESS_OBSERVER_H_
