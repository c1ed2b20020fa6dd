#include "verify/kernel/emulator/vector_clock.h"

#include <algorithm>
#include <tuple>

namespace affirm::kernel {
namespace {

bool IsBefore(const Accessor& a, const Accessor& b) {
  return std::tie(a.block, a.thread) < std::tie(b.block, b.thread);
}

auto TimeOf(const Accessor& moment) {
  return std::tie(moment.epoch, moment.warp_step, moment.moments);
}

}  // namespace

bool VectorClock::Covers(const Accessor& access) const {
  if (is_full_) return true;
  auto of_block = [&](const Accessor& moment, uint32_t block) { return moment.block < block; };
  for (auto at = std::lower_bound(moments_.begin(), moments_.end(), access.block, of_block);
       at != moments_.end() && at->block == access.block; ++at) {
    if (at->epoch > access.epoch) return true;
    if (at->epoch < access.epoch) continue;
    if (at->thread == access.thread ? at->moments >= access.moments
                                    : at->SameWarp(access) && at->warp_step > access.warp_step) {
      return true;
    }
  }
  return false;
}

void VectorClock::Add(const Accessor& moment) {
  if (is_full_) return;
  auto at = std::lower_bound(moments_.begin(), moments_.end(), moment, IsBefore);
  if (at != moments_.end() && at->SameThread(moment)) {
    if (TimeOf(*at) < TimeOf(moment)) *at = moment;
    return;
  }
  moments_.insert(at, moment);
  Bound(false);
}

void VectorClock::Bound(bool is_full) {
  is_full_ |= is_full || moments_.size() > kMostMoments;
  if (is_full_) moments_.clear();
}

void VectorClock::Join(const VectorClock& other) {
  if (is_full_ || other.is_full_) return Bound(true);
  std::vector<Accessor> all;
  all.reserve(moments_.size() + other.moments_.size());
  auto a = moments_.begin();
  auto b = other.moments_.begin();
  while (a != moments_.end() && b != other.moments_.end()) {
    if (a->SameThread(*b)) {
      all.push_back(TimeOf(*a) < TimeOf(*b) ? *b : *a);
      ++a, ++b;
    } else {
      all.push_back(IsBefore(*a, *b) ? *a++ : *b++);
    }
  }
  all.insert(all.end(), a, moments_.end());
  all.insert(all.end(), b, other.moments_.end());
  moments_ = std::move(all);
  Bound(false);
}

void VectorClock::Forget(uint32_t block) {
  std::erase_if(moments_, [&](const Accessor& moment) { return moment.block == block; });
}

}  // namespace affirm::kernel
