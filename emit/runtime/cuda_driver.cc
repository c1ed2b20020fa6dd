// Opens libcuda.so.1 and looks its functions up.
#include "emit/runtime/cuda_driver.h"

#include "emit/plan/error.h"
#include "llvm/Support/DynamicLibrary.h"

namespace affirm::emit {

llvm::Error CudaDriver::Check(CudaResult result, const char* what) const {
  if (result == 0) return llvm::Error::success();
  const char* text = nullptr;
  if (!error_string || error_string(result, &text) != 0 || !text) text = "unknown error";
  return NotSupported(llvm::Twine(what) + ": " + text + " (CUDA error " + llvm::Twine(result) +
                      ")");
}

llvm::Expected<CudaDriver> OpenCudaDriver() {
  std::string why;
  llvm::sys::DynamicLibrary library =
      llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &why);
  if (!library.isValid()) return NotSupported("there is no CUDA driver here: " + why);
  CudaDriver driver;
  const char* missing = nullptr;
  auto resolve = [&](auto& function, const char* name) {
    using Fn = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Fn>(library.getAddressOfSymbol(name));
    if (!function) missing = name;
  };
  resolve(driver.init, "cuInit");
  resolve(driver.device_count, "cuDeviceGetCount");
  resolve(driver.device_get, "cuDeviceGet");
  resolve(driver.device_attribute, "cuDeviceGetAttribute");
  resolve(driver.retain_context, "cuDevicePrimaryCtxRetain");
  resolve(driver.release_context, "cuDevicePrimaryCtxRelease_v2");
  resolve(driver.set_context, "cuCtxSetCurrent");
  resolve(driver.synchronize, "cuCtxSynchronize");
  resolve(driver.load_module, "cuModuleLoadDataEx");
  resolve(driver.unload_module, "cuModuleUnload");
  resolve(driver.get_function, "cuModuleGetFunction");
  resolve(driver.allocate, "cuMemAlloc_v2");
  resolve(driver.free, "cuMemFree_v2");
  resolve(driver.to_device, "cuMemcpyHtoD_v2");
  resolve(driver.to_host, "cuMemcpyDtoH_v2");
  resolve(driver.copy, "cuMemcpyDtoD_v2");
  resolve(driver.fill, "cuMemsetD8_v2");
  resolve(driver.create_event, "cuEventCreate");
  resolve(driver.record, "cuEventRecord");
  resolve(driver.wait_for, "cuEventSynchronize");
  resolve(driver.elapsed, "cuEventElapsedTime");
  resolve(driver.destroy_event, "cuEventDestroy_v2");
  resolve(driver.launch, "cuLaunchKernel");
  resolve(driver.error_string, "cuGetErrorString");
  if (missing) return NotSupported(llvm::Twine("libcuda.so.1 has no ") + missing);
  if (llvm::Error error = driver.Check(driver.init(0), "the CUDA driver does not start")) {
    return error;
  }
  int devices = 0;
  if (llvm::Error error = driver.Check(driver.device_count(&devices), "cannot count devices")) {
    return error;
  }
  if (devices == 0) return NotSupported("there is no CUDA device here");
  return driver;
}

}  // namespace affirm::emit
