// The kernels that a module launches: *.thunk_sequence.txt and *.thunk_metadata.txt of a dump.
#ifndef AFFIRM_DRIVER_DUMP_THUNKS_H_
#define AFFIRM_DRIVER_DUMP_THUNKS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace affirm::driver {

// One launch. Several may be of one kernel.
struct KernelThunk {
  std::string kernel;       // the function
  std::string instruction;  // of the HLO; empty where nothing says it
  std::array<int64_t, 3> grid = {0, 0, 0}, threads = {0, 0, 0};
  int64_t shared_bytes = 0;
};

// Lines such as
//   001: kCustomKernel [source | sink] triton_softmax_2 grid: [104, 1, 1] threads: [32, 1, 1]
//   shared_memory: 0 bytes
// and, in `metadata`, entries { thunk_info { profile_annotation: "x" thunk_id: 1 } }, which may be
// empty. What a command buffer repeats is there once.
struct OtherThunk {
  std::string kind;         // "kCublasLtMatmul"
  std::string instruction;  // empty where nothing says it
  std::string within = {};  // the instruction of the kDynamicSliceFusion that it is a part of
};
struct Thunks {
  std::vector<KernelThunk> kernels;
  std::vector<OtherThunk> others;
};
Thunks ParseThunks(llvm::StringRef sequence, llvm::StringRef metadata);

}  // namespace affirm::driver

#endif  // AFFIRM_DRIVER_DUMP_THUNKS_H_
