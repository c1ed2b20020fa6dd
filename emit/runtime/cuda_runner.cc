// RunOnCuda: between Literals and the buffers of a CUDA device.
#include "emit/codegen/kernel_impl.h"
#include "emit/codegen/machine_code.h"
#include "emit/plan/error.h"
#include "emit/runtime/cuda_session.h"
#include "emit/runtime/kernel_arguments.h"
#include "emit/runtime/run.h"

namespace affirm::emit {
namespace {

constexpr int64_t kTimedLaunches = 20;

// The buffers of a kernel on the device: a pointer for each slice.
llvm::Error AllocateSlices(const Kernel::Impl& kernel, llvm::ArrayRef<const hlo::Literal*> inputs,
                           CudaSession& run, std::vector<size_t>& buffers) {
  for (size_t k = 0; k < kernel.slices.size(); ++k) {
    auto slice = static_cast<size_t>(kernel.slices[k]);
    if (slice != k) {
      buffers.push_back(buffers[slice]);
      continue;
    }
    std::vector<uint8_t> ones;
    const void* from = nullptr;
    int64_t bytes = 0;
    if (k < inputs.size()) {
      from = inputs[k]->data();
      bytes = std::ssize(inputs[k]->bytes());
    } else {
      const size_t output = k - inputs.size();
      bytes = kernel.outputs[output].bytes();
      // Ones in every bit, so that an element that no thread writes is seen.
      ones.assign(bytes, 0xff);
      from = ones.data();
      bool starts = !kernel.aliases.empty() && kernel.aliases[output] >= 0;
      if (starts) from = inputs[kernel.aliases[output]]->data();
    }
    llvm::Expected<size_t> buffer = run.Allocate(bytes, from);
    if (!buffer) return buffer.takeError();
    buffers.push_back(*buffer);
  }
  return llvm::Error::success();
}

// Measures launches on the buffers as the first launch left them.
llvm::Expected<CudaTime> MeasureTime(const Kernel::Impl& kernel, CudaSession& run) {
  llvm::Expected<std::vector<double>> times = run.TimeLaunches(kernel.launch, kTimedLaunches);
  if (!times) return times.takeError();
  llvm::sort(*times);
  CudaTime time{times->front(), (*times)[times->size() / 2], kTimedLaunches};
  return time;
}

}  // namespace

bool CudaAvailable(std::string* why_not) {
  llvm::Expected<CudaDriver> driver = OpenCudaDriver();
  if (driver) return true;
  std::string why = llvm::toString(driver.takeError());
  if (why_not) *why_not = why;
  return false;
}

llvm::Expected<hlo::Literal> RunOnCuda(const Kernel& kernel, llvm::ArrayRef<hlo::Literal> arguments,
                                       CudaTime* time) {
  const Kernel::Impl& impl = kernel.impl();
  llvm::Expected<std::vector<const hlo::Literal*>> inputs = ArgumentLeaves(impl, arguments);
  if (!inputs) return inputs.takeError();
  llvm::Expected<CudaDriver> driver = OpenCudaDriver();
  if (!driver) return driver.takeError();
  CudaSession run(*driver);
  if (llvm::Error error = run.Start()) return error;
  llvm::Expected<std::string> ptx = MachineCode(impl, Target::kNvptx, run.machine());
  if (!ptx) return ptx.takeError();
  if (llvm::Error error = run.Load(*ptx, impl.name)) return error;
  std::vector<size_t> buffers;
  if (llvm::Error error = AllocateSlices(impl, *inputs, run, buffers)) return error;
  if (llvm::Error error = run.Launch(impl.launch)) return error;
  std::vector<std::vector<uint8_t>> results;
  for (size_t k = 0; k < impl.outputs.size(); ++k) {
    results.emplace_back(impl.outputs[k].bytes());
    if (llvm::Error error = run.Read(buffers[impl.inputs.size() + k], results[k])) return error;
  }
  if (time) {
    llvm::Expected<CudaTime> measured = MeasureTime(impl, run);
    if (!measured) return measured.takeError();
    *time = *measured;
  }
  return ResultLiteral(impl, results);
}

}  // namespace affirm::emit
