// Options of the emitters.
#ifndef AFFIRM_EMIT_EMITTERS_EMIT_OPTIONS_H_
#define AFFIRM_EMIT_EMITTERS_EMIT_OPTIONS_H_

#include <cstdint>
#include <vector>

namespace affirm::emit {

struct EmitOptions {
  int64_t threads_per_block = 128;  // of the loop emitter
  bool loop_only = false;           // the loop emitter, whatever the hero
  // By array leaf, those of the parameters before those of the result: leaves of one number are
  // handed over in one slice of memory. Operands of one slice have one value. A result in the slice
  // of an operand is written over it, which MayWriteOver (kernel.h) has to allow; else it gets a
  // slice of its own (Kernel::slices). Empty: each leaf has its own.
  std::vector<int64_t> slices = {};
  // A fault to inject, for tests that the checks of kernels can fail: added to the first integer or
  // floating constant that is emitted, or to the first stored index; 0: no fault.
  int64_t fault_constant = 0;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_EMIT_OPTIONS_H_
