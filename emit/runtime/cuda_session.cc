// Launches on a CUDA device: the module, the buffers, and events that measure time.
#include "emit/runtime/cuda_session.h"

#include <algorithm>

#include "emit/codegen/machine_code.h"
#include "emit/plan/error.h"

namespace affirm::emit {
namespace {

// CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;

}  // namespace

std::string MachineForCapability(int capability) {
  for (; capability > 0; --capability) {
    std::string name = "sm_" + std::to_string(capability);
    auto machine = MakeTargetMachine(Target::kNvptx, name);
    if (machine) return name;
    llvm::consumeError(machine.takeError());
  }
  return "";
}

CudaSession::~CudaSession() {
  for (CudaHandle event : {before_, after_}) {
    if (event) driver_.destroy_event(event);
  }
  for (CudaPointer pointer : buffers_) driver_.free(pointer);
  if (module_) driver_.unload_module(module_);
  if (context_) driver_.release_context(device_);
}

llvm::Error CudaSession::Start() {
  if (auto error = driver_.Check(driver_.device_get(&device_, 0), "no first device")) return error;
  int major = 0, minor = 0;
  for (auto [to, attribute] : {std::pair(&major, kCapabilityMajor), {&minor, kCapabilityMinor}}) {
    CudaResult result = driver_.device_attribute(to, attribute, device_);
    if (auto error = driver_.Check(result, "the device has no compute capability")) return error;
  }
  machine_ = MachineForCapability(10 * major + minor);
  if (machine_.empty()) {
    return NotSupported("LLVM has no code for a device of compute capability " +
                        llvm::Twine(major) + "." + llvm::Twine(minor));
  }
  if (auto error = driver_.Check(driver_.retain_context(&context_, device_), "no context")) {
    return error;
  }
  return driver_.Check(driver_.set_context(context_), "cannot use the context");
}

llvm::Error CudaSession::Load(const std::string& ptx, const std::string& entry) {
  std::vector<char> log(8192);
  // CU_JIT_ERROR_LOG_BUFFER and its size, passed as values of pointer width.
  int options[] = {5, 6};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's interface takes numbers so.
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  CudaResult result = driver_.load_module(&module_, ptx.c_str(), 2, options, values);
  log.back() = 0;
  std::string what = "the driver refuses the kernel: " + std::string(log.data());
  if (llvm::Error error = driver_.Check(result, what.c_str())) return error;
  return driver_.Check(driver_.get_function(&function_, module_, entry.c_str()),
                       "the kernel has no entry");
}

llvm::Expected<size_t> CudaSession::Allocate(int64_t bytes, const void* from) {
  CudaPointer pointer = 0;
  size_t size = std::max<int64_t>(bytes, 16);
  if (auto error = driver_.Check(driver_.allocate(&pointer, size), "out of memory")) return error;
  buffers_.push_back(pointer);
  CudaResult result = 0;
  if (!from) result = driver_.fill(pointer, 0, size);
  if (from && bytes > 0) result = driver_.to_device(pointer, from, bytes);
  if (auto error = driver_.Check(result, "cannot copy to the device")) return error;
  return buffers_.size() - 1;
}

llvm::Error CudaSession::Read(size_t buffer, std::vector<uint8_t>& to) {
  if (to.empty()) return llvm::Error::success();
  return driver_.Check(driver_.to_host(to.data(), buffers_[buffer], to.size()),
                       "cannot copy from the device");
}

llvm::Error CudaSession::Enqueue(LaunchShape shape) {
  std::vector<void*> parameters;
  parameters.reserve(buffers_.size());
  for (CudaPointer& pointer : buffers_) parameters.push_back(&pointer);
  CudaResult result = driver_.launch(function_, static_cast<unsigned>(shape.blocks), 1, 1,
                                     static_cast<unsigned>(shape.threads), 1, 1, 0, nullptr,
                                     parameters.data(), nullptr);
  return driver_.Check(result, "the kernel does not start");
}

llvm::Error CudaSession::Launch(LaunchShape shape) {
  if (llvm::Error error = Enqueue(shape)) return error;
  return driver_.Check(driver_.synchronize(), "the kernel failed");
}

llvm::Expected<std::vector<double>> CudaSession::Time(int64_t times,
                                                      llvm::function_ref<llvm::Error()> enqueue) {
  for (CudaHandle* event : {&before_, &after_}) {
    if (*event) continue;
    if (auto error = driver_.Check(driver_.create_event(event, 0), "no event")) return error;
  }
  std::vector<double> milliseconds;
  for (int64_t i = 0; i < times; ++i) {
    if (auto error = driver_.Check(driver_.record(before_, nullptr), "no event")) return error;
    if (auto error = enqueue()) return error;
    if (auto error = driver_.Check(driver_.record(after_, nullptr), "no event")) return error;
    if (auto error = driver_.Check(driver_.wait_for(after_), "what was timed failed")) return error;
    float elapsed = 0;
    CudaResult result = driver_.elapsed(&elapsed, before_, after_);
    if (auto error = driver_.Check(result, "no time between events")) return error;
    milliseconds.push_back(elapsed);
  }
  return milliseconds;
}

llvm::Expected<std::vector<double>> CudaSession::TimeLaunches(LaunchShape shape, int64_t times) {
  return Time(times, [&] { return Enqueue(shape); });
}

llvm::Expected<std::vector<double>> CudaSession::TimeCopies(size_t to, size_t from, int64_t bytes,
                                                            int64_t times) {
  return Time(times, [&] {
    CudaResult result = driver_.copy(buffers_[to], buffers_[from], bytes);
    return driver_.Check(result, "cannot copy on the device");
  });
}

}  // namespace affirm::emit
