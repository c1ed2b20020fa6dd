// The instructions that a schedule computes, and the launches that run them. The schedule is the
// order of the instructions in the text of each computation.
//
//   e { c = f32[8] copy(x)    d = f32[8] fusion(c)   ROOT f = f32[8] fft(d) }
//
// computes c, d and f. Each has to run once: c by a copy, d by a kernel, f by a library, of which
// nothing is known here.
#ifndef AFFIRM_DRIVER_DUMP_SCHEDULED_WORK_H_
#define AFFIRM_DRIVER_DUMP_SCHEDULED_WORK_H_

#include <string>
#include <vector>

#include "core/hlo/module.h"
#include "driver/buffers/buffer_assignment.h"
#include "driver/dump/thunks.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::driver {

// Something that computes and that no check covers. `name` is what --assume calls it:
// "__cublas$gemm", "__ynn_fusion", "fft", "loop_add_fusion.1".
struct Uncovered {
  std::string name;
  std::string text;
  friend bool operator==(const Uncovered&, const Uncovered&) = default;
};

struct ScheduledKernel {
  const hlo::Instruction* instruction = nullptr;
  KernelLaunch launch;
  int64_t copies = 0;  // of whole arrays, that run for the instruction before the launch
  friend bool operator==(const ScheduledKernel&, const ScheduledKernel&) = default;
};

struct ScheduledWork {
  int64_t instructions = 0;  // that compute
  std::vector<ScheduledKernel> kernels;
  std::vector<const hlo::Instruction*> slices;  // fusions that copies of bytes run
  std::vector<Uncovered> not_covered;
  // Where the thunks do not run the schedule: an instruction that never runs, or twice, or before
  // what it depends on.
  std::vector<std::string> faults;

  // Adds what another sequence of thunks runs for the same schedule.
  void Add(ScheduledWork other);
};

// Whether the instruction only names values, or says what runs when.
bool ComputesNothing(const hlo::Instruction& op);
// Whether the result is the operand's bytes: of one shape and layout.
bool KeepsBytes(const hlo::Instruction& copy);
// A name as a function or a variable of LLVM IR has it: "loop_add_fusion_1" of "loop_add_fusion.1".
std::string SanitizedName(llvm::StringRef name);
// The name in Uncovered of an instruction without a kernel.
std::string NameOfWork(const hlo::Instruction& op);

// XLA:GPU. The thunks of each computation run its instructions: each once, and two that share bytes
// of which one writes them in the order of the schedule. `buffers` may be null where the thunks
// have the order of the schedule.
ScheduledWork MatchThunks(const hlo::Module& scheduled, const BufferAssignment* buffers,
                          const ThunkSequence& thunks);

// XLA:CPU, whose dump has no thunks: its runtime runs the schedule, an instruction that has the
// name of one of these functions by that kernel.
ScheduledWork WorkOnCpu(const hlo::Module& scheduled, llvm::ArrayRef<std::string> kernels);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_SCHEDULED_WORK_H_
