// The SIMT emulator: the threads of one block on this computer. Each is a fiber with its own stack;
// they take turns at barriers, shuffles and, under a seed, at accesses of shared memory.
#ifndef AFFIRM_EMIT_RUNTIME_SIMT_EMULATOR_H_
#define AFFIRM_EMIT_RUNTIME_SIMT_EMULATOR_H_

#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace affirm::emit {

// These are reported, and the first of them ends the block:
//   - a read of shared memory that nobody wrote in this block;
//   - a data race: two threads access one element of shared memory without a barrier between them,
//     and one of them writes (whatever the order in which they happened to run);
//   - a barrier that a thread never reaches;
//   - a shuffle that a lane of the warp never reaches.
class SimtEmulator {
 public:
  static constexpr int64_t kWarp = 32;

  // Seed 0: the threads take turns in order.
  SimtEmulator(int64_t threads, uint64_t seed);

  // Runs `thread` for each thread of a block until all have returned. `stop` is asked after every
  // turn and may end the block. The answer says what went wrong and is empty when nothing did;
  // current() is then the last thread that ran.
  std::string RunBlock(const std::function<void(int64_t)>& thread,
                       const std::function<bool()>& stop);
  int64_t current() const { return current_; }

  // The functions that the threads call (emulator_calls.h).
  void Barrier();
  uint64_t Shuffle(uint64_t bits, int64_t distance);
  void AccessShared(int64_t allocation, int64_t element, bool is_store);

 private:
  enum class State : uint8_t { kReady, kAtBarrier, kAtShuffle, kDone };
  struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    State state = State::kReady;
  };
  // Who touched an element of shared memory since the last barrier; phases count barriers from 1.
  struct Shadow {
    int64_t write_phase = 0, writer = -1;
    int64_t read_phase = 0, reader = -1;
    bool several_readers = false;
  };
  struct Warp {
    int64_t arrived = 0;
    uint64_t round = 0;  // shuffles so far; values of two rounds may be in use
    uint64_t values[2][kWarp];
  };

  static void Enter(unsigned low, unsigned high);
  void Start(int64_t thread);
  void Wait(State state);       // gives up the turn
  void Fail(std::string what);  // does not return to the thread
  int64_t PickReady();
  void Release(State state, int64_t first, int64_t count);
  int64_t LanesOf(int64_t warp) const;
  std::string DescribeDeadlock() const;

  int64_t threads_;
  uint64_t seed_;
  std::mt19937_64 random_;
  std::vector<Fiber> fibers_;
  std::vector<int64_t> ready_;
  std::vector<Warp> warps_;
  std::vector<std::vector<Shadow>> shadows_;  // by allocation
  const std::function<void(int64_t)>* body_ = nullptr;
  ucontext_t scheduler_;
  int64_t current_ = -1, at_barrier_ = 0, done_ = 0, phase_ = 1;
  std::string error_;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_RUNTIME_SIMT_EMULATOR_H_
