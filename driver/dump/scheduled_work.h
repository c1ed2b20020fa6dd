// Matches the instructions of a schedule with the launches that run them. The schedule is the order
// of the instructions in the text of each computation.
//
//   e { c = f32[8] copy(x)    d = f32[8] fusion(c)   ROOT f = f32[8] fft(d) }
//
// computes c, d and f. Each must run once: c by a copy, d by a kernel, f by a library call, whose
// meaning is not known here.
#ifndef AFFIRM_DRIVER_DUMP_SCHEDULED_WORK_H_
#define AFFIRM_DRIVER_DUMP_SCHEDULED_WORK_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/thunks.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::driver {

// A computing instruction that no check covers. --assume refers to it by `name`: "__cublas$gemm",
// "__ynn_fusion", "fft", "loop_add_fusion.1".
struct Uncovered {
  std::string name;
  std::string text;
  friend bool operator==(const Uncovered&, const Uncovered&) = default;
};

struct ScheduledKernel {
  const hlo::Instruction* instruction = nullptr;
  KernelLaunch launch;
  int64_t copies = 0;  // copies of whole arrays that the instruction runs before the launch
  friend bool operator==(const ScheduledKernel&, const ScheduledKernel&) = default;
};

struct ScheduledWork {
  int64_t instructions = 0;  // number of computing instructions
  std::vector<ScheduledKernel> kernels;
  std::vector<const hlo::Instruction*> slices;  // fusions that run as copies of bytes
  std::vector<Uncovered> not_covered;
  // Deviations of the thunks from the schedule: an instruction that never runs, or twice, or before
  // its dependencies.
  std::vector<std::string> faults;

  // Adds the work of another sequence of thunks for the same schedule.
  void Add(ScheduledWork other);
};

// Whether the instruction only names values, or controls execution.
bool ComputesNothing(const hlo::Instruction& op);
// Whether the result has the operand's bytes: the same shape and layout.
bool KeepsBytes(const hlo::Instruction& copy);
// The name of a function or variable in LLVM IR: "loop_add_fusion_1" for "loop_add_fusion.1".
std::string SanitizedName(llvm::StringRef name);
// Uncovered::name for an instruction without a kernel.
std::string NameOfWork(const hlo::Instruction& op);

// For XLA:GPU. The thunks of each computation must run its instructions once each; two that share
// bytes, of which one writes, must run in the order of the schedule. `buffers` may be null if the
// thunks have the order of the schedule.
ScheduledWork MatchThunks(const hlo::Module& scheduled, const BufferAssignment* buffers,
                          const ThunkSequence& thunks);

// For XLA:CPU, whose dump has no thunks: its runtime runs the schedule, and an instruction runs by
// the kernel of its name.
ScheduledWork WorkOnCpu(const hlo::Module& scheduled, llvm::ArrayRef<std::string> kernels);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_SCHEDULED_WORK_H_
