// The scheduler of the SIMT emulator, with a fiber (ucontext) for each thread of a block.
#include "emit/runtime/simt_emulator.h"

#include <algorithm>
#include <utility>

namespace affirm::emit {
namespace {

constexpr size_t kStackBytes = 128 * 1024;

}  // namespace

SimtEmulator::SimtEmulator(int64_t threads, uint64_t seed)
    : threads_(threads),
      seed_(seed),
      random_(seed),
      fibers_(threads),
      warps_((threads + kWarp - 1) / kWarp) {
  // Not cleared: a thread touches little of its stack.
  for (Fiber& fiber : fibers_) fiber.stack.reset(new char[kStackBytes]);
}

void SimtEmulator::Enter(unsigned low, unsigned high) {
  auto* emulator = reinterpret_cast<SimtEmulator*>(uintptr_t{low} | (uintptr_t{high} << 32));
  (*emulator->body_)(emulator->current_);
  emulator->Wait(State::kDone);
}

void SimtEmulator::Start(int64_t thread) {
  Fiber& fiber = fibers_[thread];
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
  auto address = reinterpret_cast<uintptr_t>(this);
  makecontext(&fiber.context, reinterpret_cast<void (*)()>(&SimtEmulator::Enter), 2,
              static_cast<unsigned>(address), static_cast<unsigned>(address >> 32));
  fiber.state = State::kReady;
  ready_.push_back(thread);
}

std::string SimtEmulator::RunBlock(const std::function<void(int64_t)>& thread,
                                   const std::function<bool()>& stop) {
  body_ = &thread;
  at_barrier_ = done_ = 0;
  phase_ = 1;
  error_.clear();
  ready_.clear();
  shadows_.clear();
  for (Warp& warp : warps_) warp.arrived = 0;
  for (int64_t t = 0; t < threads_; ++t) Start(t);
  while (done_ < threads_) {
    if (ready_.empty()) return DescribeDeadlock();
    current_ = PickReady();
    swapcontext(&scheduler_, &fibers_[current_].context);
    if (!error_.empty()) return error_;
    if (stop()) return "";
  }
  return "";
}

int64_t SimtEmulator::PickReady() {
  size_t at = seed_ == 0 ? 0 : random_() % ready_.size();
  int64_t thread = ready_[at];
  if (seed_ == 0) {
    ready_.erase(ready_.begin());
  } else {
    std::swap(ready_[at], ready_.back());
    ready_.pop_back();
  }
  return thread;
}

void SimtEmulator::Wait(State state) {
  int64_t thread = current_;
  fibers_[thread].state = state;
  if (state == State::kReady) ready_.push_back(thread);
  if (state == State::kDone) ++done_;
  swapcontext(&fibers_[thread].context, &scheduler_);
  current_ = thread;
}

void SimtEmulator::Fail(std::string what) {
  error_ = std::move(what);
  Wait(State::kDone);
}

void SimtEmulator::Release(State state, int64_t first, int64_t count) {
  for (int64_t t = first; t < first + count; ++t) {
    if (fibers_[t].state != state) continue;
    fibers_[t].state = State::kReady;
    ready_.push_back(t);
  }
}

std::string SimtEmulator::DescribeDeadlock() const {
  auto count = [&](State state) {
    return std::count_if(fibers_.begin(), fibers_.end(),
                         [&](const Fiber& fiber) { return fiber.state == state; });
  };
  return std::to_string(count(State::kAtBarrier)) + " threads wait at a barrier and " +
         std::to_string(count(State::kAtShuffle)) + " at a shuffle that " +
         std::to_string(count(State::kDone)) + " others left without reaching";
}

void SimtEmulator::Barrier() {
  if (++at_barrier_ < threads_) return Wait(State::kAtBarrier);
  at_barrier_ = 0;
  ++phase_;
  Release(State::kAtBarrier, 0, threads_);
  Wait(State::kReady);
}

int64_t SimtEmulator::LanesOf(int64_t warp) const {
  return std::min(kWarp, threads_ - warp * kWarp);
}

uint64_t SimtEmulator::Shuffle(uint64_t bits, int64_t distance) {
  int64_t number = current_ / kWarp, lane = current_ % kWarp;
  Warp& warp = warps_[number];
  uint64_t* values = warp.values[warp.round % 2];
  values[lane] = bits;
  if (++warp.arrived < LanesOf(number)) {
    Wait(State::kAtShuffle);
  } else {
    warp.arrived = 0;
    ++warp.round;
    Release(State::kAtShuffle, number * kWarp, LanesOf(number));
    Wait(State::kReady);
  }
  int64_t source = lane + distance;
  return values[source < LanesOf(number) ? source : lane];
}

void SimtEmulator::AccessShared(int64_t allocation, int64_t element, bool is_store) {
  // Let others run first now and then, so that the order of accesses varies.
  if (seed_ != 0 && random_() % 4 == 0) Wait(State::kReady);
  if (std::cmp_greater_equal(allocation, shadows_.size())) shadows_.resize(allocation + 1);
  std::vector<Shadow>& shadows = shadows_[allocation];
  if (std::cmp_greater_equal(element, shadows.size())) shadows.resize(element + 1);
  Shadow& shadow = shadows[element];
  std::string where =
      "element " + std::to_string(element) + " of shared memory " + std::to_string(allocation);
  if (!is_store && shadow.write_phase == 0) Fail("reads " + where + ", which nobody wrote");
  bool other_wrote = shadow.write_phase == phase_ && shadow.writer != current_;
  bool other_read =
      shadow.read_phase == phase_ && (shadow.reader != current_ || shadow.several_readers);
  if (other_wrote || (is_store && other_read)) {
    int64_t other = other_wrote ? shadow.writer : shadow.reader;
    Fail((is_store ? "writes " : "reads ") + where + ", which thread " + std::to_string(other) +
         (other_wrote ? " wrote" : " read") + " without a barrier between");
  }
  if (is_store) {
    shadow.write_phase = phase_;
    shadow.writer = current_;
  } else {
    shadow.several_readers =
        shadow.read_phase == phase_ && (shadow.several_readers || shadow.reader != current_);
    shadow.read_phase = phase_;
    shadow.reader = current_;
  }
}

}  // namespace affirm::emit
