#include <algorithm>

#include "emit/codegen.h"
#include "emit/cuda_driver.h"
#include "emit/error.h"
#include "emit/runner.h"

namespace affirm::emit {
namespace {

// What a run holds on the device; given back in the reverse order.
class CudaRun {
 public:
  explicit CudaRun(const CudaDriver& driver) : driver_(driver) {}
  CudaRun(const CudaRun&) = delete;
  CudaRun& operator=(const CudaRun&) = delete;
  ~CudaRun() {
    for (CudaPointer pointer : buffers_) driver_.free(pointer);
    if (module_) driver_.unload_module(module_);
    if (context_) driver_.release_context(device_);
  }

  llvm::Error Start() {
    if (llvm::Error error = driver_.Check(driver_.device_get(&device_, 0), "no first device")) {
      return error;
    }
    if (llvm::Error error =
            driver_.Check(driver_.retain_context(&context_, device_), "no context")) {
      return error;
    }
    return driver_.Check(driver_.set_context(context_), "cannot use the context");
  }

  llvm::Error Load(const std::string& ptx, const std::string& entry) {
    std::vector<char> log(8192);
    // CU_JIT_ERROR_LOG_BUFFER and its size, passed as values of pointer width.
    int options[] = {5, 6};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    CudaResult result = driver_.load_module(&module_, ptx.c_str(), 2, options, values);
    log.back() = 0;
    std::string what = "the driver refuses the kernel: " + std::string(log.data());
    if (llvm::Error error = driver_.Check(result, what.c_str())) return error;
    return driver_.Check(driver_.get_function(&function_, module_, entry.c_str()),
                         "the kernel has no entry");
  }

  // A new buffer, filled from `from` as far as that goes.
  llvm::Error Allocate(int64_t bytes, const void* from) {
    CudaPointer pointer = 0;
    size_t size = std::max<int64_t>(bytes, 16);
    if (llvm::Error error = driver_.Check(driver_.allocate(&pointer, size), "out of memory")) {
      return error;
    }
    buffers_.push_back(pointer);
    if (!from || bytes == 0) return llvm::Error::success();
    return driver_.Check(driver_.to_device(pointer, from, bytes), "cannot copy to the device");
  }

  llvm::Error Launch(LaunchShape shape) {
    std::vector<void*> parameters;
    for (CudaPointer& pointer : buffers_) parameters.push_back(&pointer);
    CudaResult result = driver_.launch(function_, static_cast<unsigned>(shape.blocks), 1, 1,
                                       static_cast<unsigned>(shape.threads), 1, 1, 0, nullptr,
                                       parameters.data(), nullptr);
    if (llvm::Error error = driver_.Check(result, "the kernel does not start")) return error;
    return driver_.Check(driver_.synchronize(), "the kernel failed");
  }

  llvm::Error Read(size_t buffer, std::vector<uint8_t>& to) {
    if (to.empty()) return llvm::Error::success();
    return driver_.Check(driver_.to_host(to.data(), buffers_[buffer], to.size()),
                         "cannot copy from the device");
  }

 private:
  const CudaDriver& driver_;
  int device_ = 0;
  CudaHandle context_ = nullptr, module_ = nullptr, function_ = nullptr;
  std::vector<CudaPointer> buffers_;
};

}  // namespace

bool CudaAvailable(std::string* why_not) {
  llvm::Expected<CudaDriver> driver = OpenCudaDriver();
  if (driver) return true;
  std::string why = llvm::toString(driver.takeError());
  if (why_not) *why_not = why;
  return false;
}

llvm::Expected<hlo::Literal> RunOnCuda(const Kernel& kernel,
                                       llvm::ArrayRef<hlo::Literal> arguments) {
  const Kernel::Impl& impl = kernel.impl();
  llvm::Expected<std::vector<const hlo::Literal*>> inputs = ArgumentLeaves(impl, arguments);
  if (!inputs) return inputs.takeError();
  llvm::Expected<CudaDriver> driver = OpenCudaDriver();
  if (!driver) return driver.takeError();
  llvm::Expected<std::string> ptx = MachineCode(impl, Target::kNvptx);
  if (!ptx) return ptx.takeError();
  CudaRun run(*driver);
  if (llvm::Error error = run.Start()) return error;
  if (llvm::Error error = run.Load(*ptx, impl.name)) return error;
  for (const hlo::Literal* input : *inputs) {
    if (llvm::Error error = run.Allocate(std::ssize(input->bytes()), input->data())) return error;
  }
  std::vector<std::vector<uint8_t>> results;
  for (auto [k, output] : llvm::enumerate(impl.outputs)) {
    // Ones in every bit, so that an element that nobody writes is seen.
    results.emplace_back(output.bytes(), 0xff);
    if (!impl.aliases.empty() && impl.aliases[k] >= 0) {
      std::memcpy(results.back().data(), (*inputs)[impl.aliases[k]]->data(), output.bytes());
    }
    if (llvm::Error error = run.Allocate(output.bytes(), results.back().data())) return error;
  }
  if (llvm::Error error = run.Launch(impl.launch)) return error;
  for (size_t k = 0; k < results.size(); ++k) {
    if (llvm::Error error = run.Read(impl.inputs.size() + k, results[k])) return error;
  }
  return ResultLiteral(impl, results);
}

}  // namespace affirm::emit
