// The functions of the SIMT emulator (host_grid.h) that checked code calls while it runs. Each
// takes the emulator first, which the code loads from the global kGridPointer.
#ifndef AFFIRM_EMIT_HOST_CALLS_H_
#define AFFIRM_EMIT_HOST_CALLS_H_

#include "emit/scalar.h"
#include "mlir/IR/BuiltinOps.h"

namespace affirm::emit {

inline constexpr char kGridPointer[] = "affirm_grid";
// void(grid, int64_t allocation, int64_t element, int64_t is_store): before an access of shared
// memory.
inline constexpr char kGridShared[] = "affirm_grid_shared";
// void(grid)
inline constexpr char kGridBarrier[] = "affirm_grid_barrier";
// int64_t(grid, int64_t bits, int64_t distance): the bits of the lane that is further by
// `distance`.
inline constexpr char kGridShuffle[] = "affirm_grid_shuffle";

// Calls one of these functions and declares it where the module does not have it yet. `result` is
// null for a function without a result.
mlir::Value CallGrid(Builder& b, mlir::ModuleOp module, llvm::StringRef name, mlir::Type result,
                     llvm::ArrayRef<mlir::Value> arguments);
// Adds the global; every module of checked code has it.
void AddGridPointer(mlir::ModuleOp module);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_HOST_CALLS_H_
