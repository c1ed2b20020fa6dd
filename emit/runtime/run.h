// Runs of a kernel: on the SIMT emulator, and on a CUDA device.
#ifndef AFFIRM_EMIT_RUNTIME_RUN_H_
#define AFFIRM_EMIT_RUNTIME_RUN_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/hlo/literal.h"
#include "emit/codegen/kernel_artifact.h"
#include "emit/runtime/device_kernel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

struct DeviceKernel;

// Runs the LLVM IR of DeviceKernelOf on the SIMT emulator (verify/kernel/emulator/emulator.h):
// every block and thread of the launch, in an order that `seed` gives. `arguments` are the
// computation's parameters; the answer is the root's value (a tuple for several outputs). What the
// emulator finds wrong is an error: an access outside of its buffer or misaligned; a result's
// element that is not written or that depends on unwritten memory; two threads at one
// element, one of them writing, without a barrier between; a barrier or shuffle that some threads
// never reach; a promise of the IR that does not hold.
//
// Buffers are row-major in the logical dimensions, as Literals are; a shape's layout moves no
// element of a kernel. Mathematical functions are libm's, sums run in the interpreter's order
// (given evaluation_orders()) and nothing is fused, so that results equal the interpreter's to the
// bit (payloads of NaNs and atomic sums aside). Devices call libclc's functions instead and may
// differ from that by some ULP.
llvm::Expected<hlo::Literal> RunOnEmulator(const Kernel& kernel,
                                           llvm::ArrayRef<hlo::Literal> arguments,
                                           uint64_t seed = 0);

// The same for kernels that run many times: compiled once. The kernel must outlive it.
class EmulatedKernel {
 public:
  static llvm::Expected<EmulatedKernel> Compile(const Kernel& kernel);
  // The same of code that was made already: DeviceKernelOf, or what LLVM's own passes make of it.
  static llvm::Expected<EmulatedKernel> Compile(const Kernel& kernel, DeviceKernel device);
  EmulatedKernel(EmulatedKernel&&) noexcept;
  EmulatedKernel& operator=(EmulatedKernel&&) noexcept;
  ~EmulatedKernel();

  // A run of more than `most_steps` instructions, over all threads, is ended with the error
  // std::errc::timed_out, which says nothing about the kernel.
  llvm::Expected<hlo::Literal> Run(llvm::ArrayRef<hlo::Literal> arguments, uint64_t seed = 0,
                                   int64_t most_steps = int64_t{1} << 33);

 private:
  struct Impl;
  explicit EmulatedKernel(std::unique_ptr<Impl> impl);
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

#endif  // AFFIRM_EMIT_RUNTIME_RUN_H_
