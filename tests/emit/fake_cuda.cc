// A CUDA driver without a device, for tests: memory is this computer's, kernels do nothing, and
// events are half a millisecond apart. AFFIRM_FAKE_CAPABILITY is its compute capability, "80"; as a
// real driver, it refuses code for a newer device.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Result = int;
using Handle = void*;
using Pointer = uint64_t;
constexpr Result kSuccess = 0, kInvalidValue = 1, kNoBinary = 209;

int Capability() {
  const char* text = std::getenv("AFFIRM_FAKE_CAPABILITY");
  return text ? std::atoi(text) : 80;
}

void* Address(Pointer pointer) { return reinterpret_cast<void*>(pointer); }

char something;  // what handles point to

Result Give(Handle* handle) {
  *handle = &something;
  return kSuccess;
}

}  // namespace

extern "C" {

Result cuInit(unsigned) { return kSuccess; }
Result cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}
Result cuDeviceGet(int* device, int) {
  *device = 0;
  return kSuccess;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
  if (attribute != 75 && attribute != 76) return kInvalidValue;
  *value = attribute == 75 ? Capability() / 10 : Capability() % 10;
  return kSuccess;
}
Result cuDevicePrimaryCtxRetain(Handle* context, int) { return Give(context); }
Result cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
Result cuCtxSetCurrent(Handle) { return kSuccess; }
Result cuCtxSynchronize() { return kSuccess; }
Result cuModuleLoadDataEx(Handle* module, const void* image, unsigned, int*, void**) {
  const char* target = std::strstr(static_cast<const char*>(image), ".target sm_");
  if (!target || std::atoi(target + std::strlen(".target sm_")) > Capability()) return kNoBinary;
  return Give(module);
}
Result cuModuleUnload(Handle) { return kSuccess; }
Result cuModuleGetFunction(Handle* function, Handle, const char*) { return Give(function); }
Result cuMemAlloc_v2(Pointer* pointer, size_t bytes) {
  *pointer = reinterpret_cast<Pointer>(std::malloc(bytes));
  return kSuccess;
}
Result cuMemFree_v2(Pointer pointer) {
  std::free(Address(pointer));
  return kSuccess;
}
Result cuMemcpyHtoD_v2(Pointer to, const void* from, size_t bytes) {
  std::memcpy(Address(to), from, bytes);
  return kSuccess;
}
Result cuMemcpyDtoH_v2(void* to, Pointer from, size_t bytes) {
  std::memcpy(to, Address(from), bytes);
  return kSuccess;
}
Result cuMemcpyDtoD_v2(Pointer to, Pointer from, size_t bytes) {
  std::memmove(Address(to), Address(from), bytes);
  return kSuccess;
}
Result cuMemsetD8_v2(Pointer to, unsigned char byte, size_t bytes) {
  std::memset(Address(to), byte, bytes);
  return kSuccess;
}
Result cuEventCreate(Handle* event, unsigned) { return Give(event); }
Result cuEventRecord(Handle, Handle) { return kSuccess; }
Result cuEventSynchronize(Handle) { return kSuccess; }
Result cuEventElapsedTime(float* milliseconds, Handle, Handle) {
  *milliseconds = 0.5;
  return kSuccess;
}
Result cuEventDestroy_v2(Handle) { return kSuccess; }
Result cuLaunchKernel(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      Handle, void**, void**) {
  return kSuccess;
}
Result cuGetErrorString(Result, const char** text) {
  *text = "the fake driver says no";
  return kSuccess;
}
}
