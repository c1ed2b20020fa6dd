// The target architectures of kernels.
#ifndef AFFIRM_EMIT_PLAN_TARGET_H_
#define AFFIRM_EMIT_PLAN_TARGET_H_

#include <cstdint>

namespace affirm::emit {

enum class Target : uint8_t { kNvptx, kAmdgpu };

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_PLAN_TARGET_H_
