// From tensors to memory (seed 002): no bufferization and no memref, a tensor argument simply is
// its buffer.
#ifndef AFFIRM_EMIT_LOWER_TENSORS_H_
#define AFFIRM_EMIT_LOWER_TENSORS_H_

#include <cstdint>
#include <memory>

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace affirm::emit {

// Names that checked code defines.
inline constexpr char kFaultRecord[] = "affirm_fault";  // FaultRecord
inline constexpr char kBoundsCheck[] = "affirm_bounds";

// The first access outside of a buffer, as checked code leaves it in memory.
struct FaultRecord {
  int64_t happened = 0;
  int64_t function = 0;  // position among the functions of the module
  int64_t buffer = 0;    // argument number; -1 for an array constant
  int64_t store = 0;     // 1: a write
  int64_t dimension = 0;
  int64_t index = 0;
  int64_t size = 0;
};

struct LowerTensorsOptions {
  // Every access tests each of its indices. One that is outside is recorded, a load then reads
  // element 0 and a store does nothing. Behind each result's elements lies one byte an element,
  // which a store counts up.
  bool checked = false;
  // The address space of array constants.
  unsigned constant_address_space = 0;
};

// Tensor arguments become pointers, tensor.extract a load, tensor.insert a store into the buffer of
// its destination, array constants globals. Tensor results disappear: they are the buffers that
// came in.
std::unique_ptr<mlir::Pass> CreateLowerTensorsPass(LowerTensorsOptions options);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_LOWER_TENSORS_H_
