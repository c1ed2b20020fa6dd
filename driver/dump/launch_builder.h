// Builds the launch of an instruction's kernel from the buffer assignment: operands in order, then
// results; arrays in one slice share a memory.
#ifndef AFFIRM_DRIVER_DUMP_LAUNCH_BUILDER_H_
#define AFFIRM_DRIVER_DUMP_LAUNCH_BUILDER_H_

#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/thunks.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/launch.h"

namespace affirm::driver {

class LaunchBuilder {
 public:
  // If `buffers` is null, each array has a memory of its own.
  LaunchBuilder(const KernelLaunch& launch, const BufferAssignment* buffers);

  // Adds the array leaves of a value. An error if one has no buffer, or a result partially overlaps
  // another parameter.
  llvm::Error Add(const hlo::Instruction& op, kernel::Param::Role role);

  // For an in-place operation: each result that updates an operand in another buffer starts as a
  // copy of that operand. `root` is the root of the kernel's computation, whose parameters are the
  // launch's operands. Returns the number of copies.
  int64_t StartAsOperands(const hlo::Instruction& root);

  // The slices of the parameters.
  llvm::ArrayRef<BufferSlice> of_params() const { return of_params_; }

  kernel::Launch Finish();

 private:
  llvm::Error Place(const BufferSlice& slice, kernel::Param& param);

  const BufferAssignment* buffers_;
  kernel::Launch launch_;
  std::vector<BufferSlice> slices_, of_params_;
};

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_LAUNCH_BUILDER_H_
