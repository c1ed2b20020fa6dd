// Kernels in tests: a text, a launch, a run.
#ifndef AFFIRM_TESTS_KERNEL_EMULATOR_RUN_KERNEL_H_
#define AFFIRM_TESTS_KERNEL_EMULATOR_RUN_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "verify/kernel/emulator/emulator.h"

namespace affirm::testing {

// A kernel `define ptx_kernel void @k(ptr %in, ptr %out)` with an input and an output of s32.
struct TestKernel {
  std::string body;         // what stands behind "entry:"
  std::string around = "";  // declarations, variables, other functions
  int64_t threads = 4, blocks = 1;
  std::vector<int32_t> input = {10, 20, 30, 40};
  int64_t outputs = 4;  // elements
  int64_t shared_bytes = 0;
  bool in_place = false;  // the output is the input's memory
  uint64_t seed = 0;
  int64_t most_jumps_back = 1000;
  std::string triple = "";  // "amdgcn-amd-amdhsa"; %t is the thread there as well
};

struct TestRun {
  std::string error;  // of reading or translating
  std::vector<kernel::Finding> findings;
  std::vector<int32_t> output;

  // "races races": the claims of the findings, in order; the error where there is one.
  std::string Claims() const;
};

TestRun RunKernel(const TestKernel& kernel);

}  // namespace affirm::testing

#endif  // AFFIRM_TESTS_KERNEL_EMULATOR_RUN_KERNEL_H_
