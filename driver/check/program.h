// A module as a host runs it: fused computations that kernels compute, and what is left to the host
// between them.
//
// Kernels compute what fusions hold. Instructions that stand by themselves in a computation that
// the host runs (the entry, bodies and conditions of loops, branches, what is called) are put into
// fusions first: those that need the same earlier results stand in one. For example
//
//   ENTRY e { p = f32[8] parameter(0)
//             l = f32[8] while(p), body=b, condition=c
//             n = f32[8] negate(l)
//             ROOT r = f32[8] exponential(n) }
//
// becomes a while, whose computations are outlined in the same way, and one fusion of n and r.
#ifndef AFFIRM_DRIVER_CHECK_PROGRAM_H_
#define AFFIRM_DRIVER_CHECK_PROGRAM_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "driver/buffers/assign_buffers.h"
#include "emit/kernel.h"
#include "emit/plan/expand.h"
#include "emit/plan/split.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

namespace affirm::driver {

// A computation that one or more kernels compute: what a fusion calls, or one of the partitions
// that it is split into.
struct FusedComputation {
  std::string name;  // of the fusion, or of the computation that it was made from
  const hlo::Computation* computation = nullptr;
  const hlo::Instruction* fusion = nullptr;  // null for a partition
  // By leaf of the parameters and the result: the slice of memory that it is handed over in
  // (emit::EmitOptions::slices). Of a fused computation of several kernels: of its parameters
  // alone.
  std::vector<int64_t> slices;
};

// An op that the host runs as a loop of kernels (library_ops.h).
struct LibraryOp {
  const hlo::Instruction* op = nullptr;       // in the module
  const hlo::Computation* alone = nullptr;    // the op and its parameters
  const hlo::Computation* as_loop = nullptr;  // of the same parameters, as the program has it
};

// The kernels of a fused computation (emit/plan/split.h), in the order in which they run. The last
// one is named like the fused computation and computes its value.
struct FusionKernels {
  emit::KernelPartitions split;
  std::vector<FusedComputation> kernels;  // one for each partition
};

// An instruction without attributes, for computations that are put together from others.
std::unique_ptr<hlo::Instruction> MakeInstruction(hlo::Opcode opcode, std::string name,
                                                  hlo::Shape shape,
                                                  std::vector<hlo::Instruction*> operands,
                                                  hlo::SourceLocation location = {});

// What is there for an instruction in the running of a module.
enum class HostRole : uint8_t {
  kKernel,      // a fusion, or an instruction in one
  kForward,     // parameters, constants, tuples, the device's number, ...: values pass through
  kControl,     // loops, branches and calls of computations that the host runs
  kCollective,  // devices communicate
  kLoop,        // an op in whose place the host runs a loop of kernels
  kLibrary,     // everything else: no kernel computes it
};

class Program {
 public:
  explicit Program(const hlo::Module& module);
  Program(Program&&) noexcept = default;

  // The entry in which fusions hold all that kernels compute.
  const hlo::Computation& entry() const { return *module_->entry; }
  // Those of a computation in the order in which they run; what a loop or a branch calls stands
  // where the loop does.
  llvm::ArrayRef<FusedComputation> fused_computations() const { return fused_computations_; }
  const FusionKernels& partitions(const FusedComputation& fused) const {
    return partitions_[&fused - fused_computations_.data()];
  }
  // The fusion that a fusion of the program calls; null for a fusion inside of another.
  const FusedComputation* FindFused(const hlo::Instruction& fusion) const;
  llvm::ArrayRef<LibraryOp> library_ops() const { return library_ops_; }
  // The instruction of the module for which one of the program, or of the parts of a fusion,
  // stands; null for one that was made.
  const hlo::Instruction* Original(const hlo::Instruction& instruction) const;
  // The computations of the module that the host runs.
  llvm::ArrayRef<const hlo::Computation*> host_computations() const { return host_computations_; }
  // Of an instruction of such a computation.
  HostRole RoleOf(const hlo::Instruction& instruction) const;
  // The first of the program's kernels that computes the same in the same way (SameInOrder of
  // verify/equivalence), of arrays that lie in memory alike; the kernel itself where it is the
  // first.
  const FusedComputation& FirstLike(const FusedComputation& kernel) const;
  // Where the arrays of the entry and of what it calls are in memory.
  const AssignedBuffers& buffers() const { return buffers_; }

 private:
  friend class Outliner;
  void AssignMemory();
  void FindKernelsAlike();
  std::unique_ptr<hlo::Module> module_;
  std::vector<FusedComputation> fused_computations_;
  std::vector<FusionKernels> partitions_;
  std::vector<const hlo::Computation*> host_computations_;
  std::vector<LibraryOp> library_ops_;
  std::vector<std::unique_ptr<hlo::Module>> loop_modules_;  // what their loops are copies of
  llvm::DenseMap<const hlo::Instruction*, size_t> fusion_numbers_;
  // Of copies; null for what was made. What is in neither is an instruction of the module.
  llvm::DenseMap<const hlo::Instruction*, const hlo::Instruction*> originals_;
  llvm::DenseMap<const hlo::Instruction*, HostRole> roles_;
  llvm::DenseMap<const FusedComputation*, const FusedComputation*> first_like_;
  AssignedBuffers buffers_;
};

// The kernel of one of a program's kernels, which takes each array that it is given twice once.
llvm::Expected<emit::Kernel> EmitKernel(const FusedComputation& fused, Context& context,
                                        emit::EmitOptions options = {});

// Gives arguments that the kernel gets in one slice one value, that of the first.
void ShareSlices(const FusedComputation& fused, llvm::MutableArrayRef<hlo::Literal> arguments);

// The value of the entry on its arguments. The kernel partitions of fusions go to `run_fusion`,
// again for each trip of a loop; every other instruction to the reference interpreter.
using FusionRunner = std::function<llvm::Expected<hlo::Literal>(const FusedComputation& fused,
                                                                llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunProgram(const Program& program,
                                        llvm::ArrayRef<hlo::Literal> arguments,
                                        const FusionRunner& run_fusion);
// The same with the kernels of a module, each emitted once: `run` has the value of one on its
// operands, such as emit::RunOnEmulator.
using KernelRunner =
    std::function<llvm::Expected<hlo::Literal>(const emit::Kernel&, llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunWithKernels(const hlo::Module& module,
                                            llvm::ArrayRef<hlo::Literal> arguments,
                                            const KernelRunner& run);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_PROGRAM_H_
