// Launch dimensions of a kernel, and the assignment of elements to threads.
#ifndef AFFIRM_EMIT_PLAN_LAUNCH_H_
#define AFFIRM_EMIT_PLAN_LAUNCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/indexing/indexing_map.h"

namespace affirm::emit {

// A grid of blocks of threads, both of one dimension.
struct LaunchShape {
  int64_t blocks = 1;
  int64_t threads = 1;  // per block
};

// The assignment of an array's elements to threads. Range variables are the sequential work of one
// thread. The map is a bijection onto the indices of `shape`. For f32[256, 4] with 128
// threads a block, where each thread writes one row:
//
//   (th_x, bl_x)[s0] -> (bl_x * 128 + th_x, s0),
//   domain: th_x in [0, 127], bl_x in [0, 1], s0 in [0, 3]
struct ThreadMap {
  IndexingMap map;
  std::vector<int64_t> shape;
  std::string what;  // "output 0", "operand 1 of concatenate", "operand of reduce", ...
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_LAUNCH_H_
