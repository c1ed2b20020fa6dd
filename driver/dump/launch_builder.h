// How the kernel of an instruction is launched, as the buffer assignment has its arrays: operands
// in order, then results; those at one place are one memory.
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
  // Without a buffer assignment each array is a memory of its own.
  LaunchBuilder(const KernelLaunch& launch, const BufferAssignment* buffers);

  // The array leaves of a value. An error where one has no buffer, or where a result lies across
  // another parameter.
  llvm::Error Add(const hlo::Instruction& op, kernel::Param::Role role);

  // For an operation that works in place: each result that is a new version of an operand elsewhere
  // starts as that operand, which is copied there before. `root` is that of the computation of the
  // kernel, whose parameters are the operands of the launch. Gives how many copies that takes.
  int64_t StartAsOperands(const hlo::Instruction& root);

  // Where the parameters lie.
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
