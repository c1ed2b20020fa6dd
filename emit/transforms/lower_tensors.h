// From tensors to memory. There is neither bufferization nor memref: a tensor argument is its
// buffer, an extraction from it is a load, and an insertion into it is a store.
#ifndef AFFIRM_EMIT_TRANSFORMS_LOWER_TENSORS_H_
#define AFFIRM_EMIT_TRANSFORMS_LOWER_TENSORS_H_

#include <cstdint>
#include <memory>

#include "emit/plan/target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace affirm::emit {

// In bytes: buffers start at multiples of it, shared memory too.
inline constexpr int64_t kBufferAlignment = 16;

// Tensor arguments become pointers, tensor.extract a load, tensor.insert a store into the buffer of
// its destination, affirm.atomic_rmw an atomic update, array constants and shared memory globals,
// affirm.sync_threads gpu.barrier. Tensor results disappear: they are the buffers that came in.
// Devices differ in the address space of constants.
std::unique_ptr<mlir::Pass> CreateLowerTensorsPass(Target target);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_LOWER_TENSORS_H_
