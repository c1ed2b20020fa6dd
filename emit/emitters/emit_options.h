// What a caller may ask of the emitters.
#ifndef AFFIRM_EMIT_EMITTERS_EMIT_OPTIONS_H_
#define AFFIRM_EMIT_EMITTERS_EMIT_OPTIONS_H_

#include <cstdint>

namespace affirm::emit {

struct EmitOptions {
  int64_t threads_per_block = 128;  // of the loop emitter
  bool loop_only = false;           // the loop emitter, whatever the hero
  // A fault to inject, for tests that the checks of kernels can fail: added to the first integer or
  // floating constant that is emitted, or to the first stored index; 0: no fault.
  int64_t fault_constant = 0;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_EMITTERS_EMIT_OPTIONS_H_
