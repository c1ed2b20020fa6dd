// The machines that kernels are made for.
#ifndef AFFIRM_EMIT_PLAN_TARGET_H_
#define AFFIRM_EMIT_PLAN_TARGET_H_

#include <cstdint>

namespace affirm::emit {

// kHost is this computer, on which kernels run as checked code on the SIMT emulator.
enum class Target : uint8_t { kHost, kNvptx, kAmdgpu };

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_TARGET_H_
