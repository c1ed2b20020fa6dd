// Partitions a module into fused computations, which kernels compute, and host instructions.
//
// Each fusion becomes kernels. Unfused instructions of a host computation (the entry, bodies and
// conditions of loops, branches, callees) are first put into fusions, which group instructions with
// the same earlier dependencies. For example
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

// A computation of one or more kernels: that of a fusion, or one of its partitions.
struct FusedComputation {
  std::string name;  // the fusion's, or that of the computation that it was made from
  const hlo::Computation* computation = nullptr;
  const hlo::Instruction* fusion = nullptr;  // null for a partition
  // By leaf of the parameters and the result: the buffer slice that it is passed in
  // (emit::EmitOptions::slices). For a fused computation with several kernels, parameters alone.
  std::vector<int64_t> slices;
};

// An op that the host runs as a loop of kernels (library_ops.h).
struct LibraryOp {
  const hlo::Instruction* op = nullptr;       // in the module
  const hlo::Computation* alone = nullptr;    // the op and its parameters
  const hlo::Computation* as_loop = nullptr;  // the loop, on the same parameters
};

// The kernels of a fused computation (emit/plan/split.h), in execution order. The last one computes
// its value, and has its name.
struct FusionKernels {
  emit::KernelPartitions split;
  std::vector<FusedComputation> kernels;  // one for each partition
};

// Makes an instruction without attributes.
std::unique_ptr<hlo::Instruction> MakeInstruction(hlo::Opcode opcode, std::string name,
                                                  hlo::Shape shape,
                                                  std::vector<hlo::Instruction*> operands,
                                                  hlo::SourceLocation location = {});

// How the host executes an instruction.
enum class HostRole : uint8_t {
  kKernel,      // a fusion, or an instruction in one
  kForward,     // parameters, constants, tuples, the device's number, ...: values pass through
  kControl,     // loops, branches and calls of computations that the host runs
  kCollective,  // devices communicate
  kLoop,        // an op that the host runs as a loop of kernels
  kLibrary,     // everything else: no kernel computes it
};

class Program {
 public:
  explicit Program(const hlo::Module& module);
  Program(Program&&) noexcept = default;

  // The entry, in which all kernel work is in fusions.
  const hlo::Computation& entry() const { return *module_->entry; }
  // All fused computations in execution order; those called by a loop or branch are at its
  // position.
  llvm::ArrayRef<FusedComputation> fused_computations() const { return fused_computations_; }
  const FusionKernels& partitions(const FusedComputation& fused) const {
    return partitions_[&fused - fused_computations_.data()];
  }
  // The fusion that a fusion of the program calls; null for a fusion inside of another.
  const FusedComputation* FindFused(const hlo::Instruction& fusion) const;
  llvm::ArrayRef<LibraryOp> library_ops() const { return library_ops_; }
  // The module's instruction of which `instruction`, of the program or a partition, is a copy; null
  // for a new one.
  const hlo::Instruction* Original(const hlo::Instruction& instruction) const;
  // The computations of the module that the host runs.
  llvm::ArrayRef<const hlo::Computation*> host_computations() const { return host_computations_; }
  // The role of an instruction of such a computation.
  HostRole RoleOf(const hlo::Instruction& instruction) const;
  // The first of the program's kernels that is identical (SameInOrder of verify/equivalence), with
  // the same layouts and slices; possibly the kernel itself.
  const FusedComputation& FirstLike(const FusedComputation& kernel) const;
  // The buffer assignment of the entry and its callees.
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
  std::vector<std::unique_ptr<hlo::Module>> loop_modules_;  // the originals of their loops
  llvm::DenseMap<const hlo::Instruction*, size_t> fusion_numbers_;
  // Copy -> original; null for new instructions. An instruction without an entry is the module's.
  llvm::DenseMap<const hlo::Instruction*, const hlo::Instruction*> originals_;
  llvm::DenseMap<const hlo::Instruction*, HostRole> roles_;
  llvm::DenseMap<const FusedComputation*, const FusedComputation*> first_like_;
  AssignedBuffers buffers_;
};

// Emits the kernel of a fused computation; arrays that are passed twice become one parameter.
llvm::Expected<emit::Kernel> EmitKernel(const FusedComputation& fused, Context& context,
                                        emit::EmitOptions options = {});

// Makes arguments in one buffer slice equal, to the first of them.
void ShareSlices(const FusedComputation& fused, llvm::MutableArrayRef<hlo::Literal> arguments);

// Executes the entry on its arguments. `run_fusion` executes kernel partitions, in each trip of a
// loop; the reference interpreter executes all other instructions.
using FusionRunner = std::function<llvm::Expected<hlo::Literal>(const FusedComputation& fused,
                                                                llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunProgram(const Program& program,
                                        llvm::ArrayRef<hlo::Literal> arguments,
                                        const FusionRunner& run_fusion);
// The same for a module, whose kernels are emitted once each; `run` executes one on its operands,
// such as emit::RunOnEmulator.
using KernelRunner =
    std::function<llvm::Expected<hlo::Literal>(const emit::Kernel&, llvm::ArrayRef<hlo::Literal>)>;
llvm::Expected<hlo::Literal> RunWithKernels(const hlo::Module& module,
                                            llvm::ArrayRef<hlo::Literal> arguments,
                                            const KernelRunner& run);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_CHECK_PROGRAM_H_
