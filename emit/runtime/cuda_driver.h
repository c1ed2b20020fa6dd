// The CUDA driver API, opened at run time: no toolkit is needed to build, and no driver to start.
#ifndef AFFIRM_EMIT_RUNTIME_CUDA_DRIVER_H_
#define AFFIRM_EMIT_RUNTIME_CUDA_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "llvm/Support/Error.h"

namespace affirm::emit {

using CudaResult = int;        // 0: success
using CudaPointer = uint64_t;  // an address on the device
using CudaHandle = void*;      // of a context, module, function or event

// The functions of libcuda.so.1 that a run needs.
struct CudaDriver {
  CudaResult (*init)(unsigned flags) = nullptr;
  CudaResult (*device_count)(int* count) = nullptr;
  CudaResult (*device_get)(int* device, int ordinal) = nullptr;
  CudaResult (*device_attribute)(int* value, int attribute, int device) = nullptr;
  CudaResult (*retain_context)(CudaHandle* context, int device) = nullptr;
  CudaResult (*release_context)(int device) = nullptr;
  CudaResult (*set_context)(CudaHandle context) = nullptr;
  CudaResult (*synchronize)() = nullptr;
  CudaResult (*load_module)(CudaHandle* module, const void* image, unsigned num_options,
                            int* options, void** values) = nullptr;
  CudaResult (*unload_module)(CudaHandle module) = nullptr;
  CudaResult (*get_function)(CudaHandle* function, CudaHandle module, const char* name) = nullptr;
  CudaResult (*allocate)(CudaPointer* pointer, size_t bytes) = nullptr;
  CudaResult (*free)(CudaPointer pointer) = nullptr;
  CudaResult (*to_device)(CudaPointer to, const void* from, size_t bytes) = nullptr;
  CudaResult (*to_host)(void* to, CudaPointer from, size_t bytes) = nullptr;
  CudaResult (*copy)(CudaPointer to, CudaPointer from, size_t bytes) = nullptr;
  CudaResult (*fill)(CudaPointer to, unsigned char byte, size_t bytes) = nullptr;
  CudaResult (*create_event)(CudaHandle* event, unsigned flags) = nullptr;
  CudaResult (*record)(CudaHandle event, CudaHandle stream) = nullptr;
  CudaResult (*wait_for)(CudaHandle event) = nullptr;
  CudaResult (*elapsed)(float* milliseconds, CudaHandle from, CudaHandle to) = nullptr;
  CudaResult (*destroy_event)(CudaHandle event) = nullptr;
  CudaResult (*launch)(CudaHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                       CudaHandle stream, void** parameters, void** extra) = nullptr;
  CudaResult (*error_string)(CudaResult result, const char** text) = nullptr;

  // Success, or an error "what: the driver's words".
  llvm::Error Check(CudaResult result, const char* what) const;
};

// The initialized driver, with at least one device. An error says plainly what is missing.
llvm::Expected<CudaDriver> OpenCudaDriver();

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_RUNTIME_CUDA_DRIVER_H_
