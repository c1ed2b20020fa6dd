// From a fusion to a kernel: the one entry to the room for the tools.
#ifndef AFFIRM_EMIT_KERNEL_H_
#define AFFIRM_EMIT_KERNEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "core/indexing/indexing_map.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "verify/reference/fold_order.h"

namespace affirm::emit {

enum class Target : uint8_t { kHost, kNvptx, kAmdgpu };
enum class Stage : uint8_t { kMlir, kLlvm, kAsm, kObject };

struct LaunchShape {
  int64_t blocks = 1;
  int64_t threads = 1;  // per block
};

// Which thread deals with which element: (th_x, bl_x)[..] -> an index of `shape`, where the range
// variables are what one thread does after another. A bijection onto `shape`.
struct ThreadMap {
  IndexingMap map;
  std::vector<int64_t> shape;
  std::string what;  // "output 0", "operand 1 of concatenate", "input of reduce", ...
};

// A kernel for one computation: parameters in, the leaf arrays of the root out. Holds the MLIR
// module (not shown here, to keep MLIR out of the headers of other rooms).
class Kernel {
 public:
  struct Impl;
  explicit Kernel(std::unique_ptr<Impl> impl);
  Kernel(Kernel&&) noexcept;
  Kernel& operator=(Kernel&&) noexcept;
  ~Kernel();

  const std::string& name() const;
  const std::string& emitter() const;  // "loop", "transpose", "row reduction", ...
  LaunchShape launch() const;
  int64_t num_functions() const;  // partitions, entry included
  // Together they say that each element of each output is written once, or, for results that are
  // updated in place, that each update is applied once.
  llvm::ArrayRef<ThreadMap> thread_maps() const;
  // By leaf array, those of the parameters before those of the root: the slice of memory that it
  // is. A device's kernel takes one pointer for each slice, in the order of their first arrays. An
  // output in the slice of an input is updated in place: it starts as that input.
  llvm::ArrayRef<int64_t> slices() const;
  // In which order the reductions that threads share take their terms; the others are left folds.
  const hlo::FoldOrders& fold_orders() const;
  // How many floating-point terms are at most added (or multiplied) for one element of a result in
  // an order that each run has of its own, as atomic updates come; 0 when every order is known.
  int64_t unordered_terms() const;

  // The text of the kernel at a stage for a target: kAsm is PTX, GCN's assembly, or the host's;
  // kObject is an object file, which the other two have. `machine` names the processor as LLVM does
  // (sm_80, gfx942); empty: sm_90, gfx942, this computer's. An error says when the target has no
  // such machine, or a device no code for a function.
  llvm::Expected<std::string> Text(Target target, Stage stage, llvm::StringRef machine = "") const;

  Impl& impl() { return *impl_; }
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// A fault to inject, for tests that the chain can say no.
struct EmitOptions {
  int64_t threads_per_block = 128;  // of the loop emitter
  bool loop_only = false;           // the loop emitter, whatever the hero
  // Added to the first integer or floating constant that is emitted, or to the first stored index;
  // 0: no fault.
  int64_t fault_constant = 0;
};

// Emits a computation (a fusion's or an entry) as one kernel. Unsupported ops are an error with the
// reason and the place.
llvm::Expected<Kernel> EmitKernel(const hlo::Computation& computation, Context& context,
                                  const EmitOptions& options = {});

// Runs on the host grid: every block and thread of the launch, the threads of a block interleaved
// under `seed` at barriers, shuffles and accesses of shared memory. `arguments` are the
// computation's parameters; the answer is the root's value (a tuple for several outputs). These are
// errors: an access outside of a buffer; an output element that is written never or more than once;
// a read of shared memory that nobody wrote; two threads at one element of it, one of them writing,
// without a barrier between; a barrier or shuffle that some threads never reach.
//
// Buffers are row-major in the logical dimensions, as Literals are; a shape's layout moves no
// element of a kernel. Mathematical functions are libm's, sums run in the interpreter's order
// (given fold_orders()) and nothing is fused, so that results equal the interpreter's to the bit
// (payloads of NaNs and atomic sums aside). Devices call libclc's functions instead and may differ
// from that by some ULP.
llvm::Expected<hlo::Literal> RunOnHost(const Kernel& kernel, llvm::ArrayRef<hlo::Literal> arguments,
                                       uint64_t seed = 0);

// The same for kernels that run many times: compiled once. The kernel must outlive it.
class HostKernel {
 public:
  static llvm::Expected<HostKernel> Compile(const Kernel& kernel);
  HostKernel(HostKernel&&) noexcept;
  HostKernel& operator=(HostKernel&&) noexcept;
  ~HostKernel();

  llvm::Expected<hlo::Literal> Run(llvm::ArrayRef<hlo::Literal> arguments, uint64_t seed = 0);

 private:
  struct Impl;
  explicit HostKernel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// How long the device took for a kernel alone, in milliseconds, over launches that follow the one
// of which the result is.
struct CudaTime {
  double fastest = 0, median = 0;
  int64_t launches = 0;
};

// Runs on the first CUDA device through the driver API, opened at run time, as code for that
// device. Without a driver or a device the error says so plainly. `time`, if given, is measured.
llvm::Expected<hlo::Literal> RunOnCuda(const Kernel& kernel, llvm::ArrayRef<hlo::Literal> arguments,
                                       CudaTime* time = nullptr);
bool CudaAvailable(std::string* why_not = nullptr);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_KERNEL_H_
