// The functions of the SIMT emulator (simt_emulator.h) that checked code calls while it runs. Each
// takes the emulator first, which the code loads from the global kEmulatorPointer.
#ifndef AFFIRM_EMIT_TRANSFORMS_EMULATOR_CALLS_H_
#define AFFIRM_EMIT_TRANSFORMS_EMULATOR_CALLS_H_

#include "emit/elements/scalar.h"
#include "mlir/IR/BuiltinOps.h"

namespace affirm::emit {

inline constexpr char kEmulatorPointer[] = "affirm_grid";
// void(grid, int64_t allocation, int64_t element, int64_t is_store): before an access of shared
// memory.
inline constexpr char kEmulatorAccessShared[] = "affirm_grid_shared";
// void(grid)
inline constexpr char kEmulatorBarrier[] = "affirm_grid_barrier";
// int64_t(grid, int64_t bits, int64_t distance): the bits of the lane that is further by
// `distance`.
inline constexpr char kEmulatorShuffle[] = "affirm_grid_shuffle";

// Calls one of these functions and declares it where the module does not have it yet. `result` is
// null for a function without a result.
mlir::Value CallEmulator(Builder& b, mlir::ModuleOp module, llvm::StringRef name, mlir::Type result,
                         llvm::ArrayRef<mlir::Value> arguments);
// Adds the global; every module of checked code has it.
void AddEmulatorPointer(mlir::ModuleOp module);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_EMULATOR_CALLS_H_
