// From tensors to memory. There is neither bufferization nor memref: a tensor argument is its
// buffer, an extraction from it is a load, and an insertion into it is a store.
#ifndef AFFIRM_EMIT_TRANSFORMS_LOWER_TENSORS_H_
#define AFFIRM_EMIT_TRANSFORMS_LOWER_TENSORS_H_

#include <cstdint>
#include <memory>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace affirm::emit {

// Names that checked code defines.
inline constexpr char kFaultRecord[] = "affirm_fault";  // FaultRecord
inline constexpr char kBoundsCheck[] = "affirm_bounds";

// In bytes: buffers start at multiples of it, shared memory too.
inline constexpr int64_t kBufferAlignment = 16;

// FaultRecord::buffer when it is no argument.
inline constexpr int64_t kConstantBuffer = -1;
inline constexpr int64_t kSharedBuffer = -2;  // minus the number of the allocation

// FaultRecord::dimension of a vector that starts at no multiple of its length.
inline constexpr int64_t kMisalignedDimension = -1;

// What checked code keeps for each element of a result: how often it was written plainly, and
// whether it was updated atomically.
inline constexpr uint8_t kAtomicWrite = 0x80;
inline constexpr uint8_t kMostWrites = 0x7f;

// The first access outside of a buffer, as checked code leaves it in memory.
struct FaultRecord {
  int64_t happened = 0;
  int64_t function = 0;  // position among the functions of the module
  int64_t buffer = 0;    // argument number, kConstantBuffer, or kSharedBuffer minus n
  int64_t store = 0;     // 1: a write
  int64_t dimension = 0;
  int64_t index = 0;
  int64_t size = 0;
};

struct LowerTensorsOptions {
  // Every access tests each of its indices. One that is outside is recorded, a load then reads
  // element 0 and a store does nothing. Behind each result's elements lies one byte an element,
  // which counts writes. Accesses of shared memory are reported to the SIMT emulator.
  bool checked = false;
  // The address space of array constants.
  unsigned constant_address_space = 0;
  unsigned shared_address_space = 0;
};

// Tensor arguments become pointers, tensor.extract a load, tensor.insert a store into the buffer of
// its destination, affirm.atomic_rmw an atomic update, array constants and shared memory globals,
// affirm.sync_threads gpu.barrier. Tensor results disappear: they are the buffers that came in.
std::unique_ptr<mlir::Pass> CreateLowerTensorsPass(LowerTensorsOptions options);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_LOWER_TENSORS_H_
