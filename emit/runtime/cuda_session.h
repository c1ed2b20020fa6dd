// A kernel on a CUDA device: its module and buffers there, its launches and the time that they
// take.
#ifndef AFFIRM_EMIT_RUNTIME_CUDA_SESSION_H_
#define AFFIRM_EMIT_RUNTIME_CUDA_SESSION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "emit/plan/launch.h"
#include "emit/runtime/cuda_driver.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::emit {

// The newest machine of NVIDIA that LLVM has code for and that a device of a compute capability
// (10 * major + minor) runs; empty: there is none.
std::string MachineForCapability(int capability);

// Holds the context, the module and the buffers; the destructor releases them in reverse order.
class CudaSession {
 public:
  explicit CudaSession(const CudaDriver& driver) : driver_(driver) {}
  CudaSession(const CudaSession&) = delete;
  CudaSession& operator=(const CudaSession&) = delete;
  ~CudaSession();

  // Takes the first device.
  llvm::Error Start();
  // LLVM's name of the device, such as "sm_90". For a device that LLVM does not know, it is the
  // newest older one whose code the device runs.
  const std::string& machine() const { return machine_; }

  llvm::Error Load(const std::string& ptx, const std::string& entry);
  // Allocates a buffer and fills it from `from`, with zeros where that is null. The kernel gets the
  // buffers in the order of these calls. The answer is the number of the buffer.
  llvm::Expected<size_t> Allocate(int64_t bytes, const void* from);
  llvm::Error Read(size_t buffer, std::vector<uint8_t>& to);
  // Starts the kernel on all buffers and waits for it.
  llvm::Error Launch(LaunchShape shape);

  // How many milliseconds the device took for each of `times` launches, one after another.
  llvm::Expected<std::vector<double>> TimeLaunches(LaunchShape shape, int64_t times);
  // The same of copies of the first `bytes` of one buffer to another.
  llvm::Expected<std::vector<double>> TimeCopies(size_t to, size_t from, int64_t bytes,
                                                 int64_t times);

 private:
  llvm::Error Enqueue(LaunchShape shape);
  llvm::Expected<std::vector<double>> Time(int64_t times,
                                           llvm::function_ref<llvm::Error()> enqueue);

  const CudaDriver& driver_;
  int device_ = 0;
  std::string machine_;
  CudaHandle context_ = nullptr, module_ = nullptr, function_ = nullptr;
  CudaHandle before_ = nullptr, after_ = nullptr;  // events
  std::vector<CudaPointer> buffers_;
};

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_RUNTIME_CUDA_SESSION_H_
