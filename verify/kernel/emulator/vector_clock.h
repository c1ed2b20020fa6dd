// Happens-before between threads where no barrier of the whole block gives it: by barriers of some
// threads, and by release and acquire (PTX ISA 8.5, 8.8 "Release and acquire patterns", 8.9.4
// "Causality order").
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_VECTOR_CLOCK_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_VECTOR_CLOCK_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace affirm::kernel {

inline constexpr int kWarpSize = 32;

// An access, or a moment of a thread: by which thread, and between which synchronisations. Barriers
// of a block begin a new epoch (0: no access; epochs of different blocks differ), those of a warp a
// new step of it. What a warp loads before all of its lanes exchange values by a shuffle, it has
// loaded before it goes on: that orders reads before writes, and nothing else.
struct Accessor {
  uint32_t block = 0;
  uint16_t thread = 0;
  uint16_t warp_step = 0;
  uint32_t epoch = 0;
  uint32_t source = 0;    // the instruction
  uint32_t shuffles = 0;  // of the whole warp, before it
  uint32_t moments = 0;   // of the thread that clocks may hold, before it

  bool SameThread(const Accessor& other) const {
    return block == other.block && thread == other.thread;
  }
  bool SameWarp(const Accessor& other) const {
    return block == other.block && thread / kWarpSize == other.thread / kWarpSize;
  }
};

// A set of moments, one a thread: what happened before them happened before the clock's owner goes
// on. Invariant: sorted by block and thread.
class VectorClock {
 public:
  // Whether the access happened before one of the moments: in an earlier epoch of its block, an
  // earlier step of its warp, or earlier in its thread. O(log size + moments of the block).
  bool Covers(const Accessor& access) const;
  void Add(const Accessor& moment);
  void Join(const VectorClock& other);
  // Drops the moments of a block whose barrier covers them.
  void Forget(uint32_t block);
  bool empty() const { return moments_.empty() && !is_full_; }

 private:
  // A clock that would hold more moments covers every access: an order is never missed for lack of
  // space, though a race may be.
  static constexpr size_t kMostMoments = 4096;
  void Bound(bool is_full);

  std::vector<Accessor> moments_;
  bool is_full_ = false;
};

// Clocks are shared by the threads that synchronised last; null: nothing.
using SharedClock = std::shared_ptr<const VectorClock>;

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_VECTOR_CLOCK_H_
