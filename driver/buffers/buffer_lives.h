// Whether two values that are needed at one time share bytes: a buffer that is reused too early.
//
//   t0: a = ...   t1: b = f(x)   t2: c = g(a)      a and b may not share bytes, b and c may
//
// A parameter lives for ever, unless the caller gives it away (input_output_alias, buffer_donor),
// and so does a constant. Two results of one instruction that are read may not share bytes
// either, unless they are one value.
//
// The order is that of the scheduled module. A value lives from the instruction that makes it to
// the last one that reads it, through what only names it (bitcast, get-tuple-element, tuple), and
// through loops, branches and calls. What a loop hands from trip to trip is a value of each trip:
// of the condition to its end, of the body to its last reader there. What a loop, a branch or a
// call gives is a value from its end on. An instruction may write over what it reads itself: the
// kernel's proof says whether that is right.
#ifndef AFFIRM_DRIVER_BUFFERS_BUFFER_LIVES_H_
#define AFFIRM_DRIVER_BUFFERS_BUFFER_LIVES_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"

namespace affirm::driver {

struct BufferConflict {
  std::string value, overwritten_by;  // "copy.2", "loop_fusion{1}"
  std::string read_by;                // an instruction that reads `value` afterwards
  BufferSlice of_value, of_other;
};

struct BufferLives {
  int64_t values = 0;  // arrays with a buffer of their own in computations that run
  int64_t pairs = 0;   // that share bytes
  std::vector<BufferConflict> conflicts;
};

// Does not follow the reads of asynchronous operations between their start and their end.
BufferLives CheckBufferLives(const hlo::Module& scheduled, const BufferAssignment& buffers);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_BUFFERS_BUFFER_LIVES_H_
