// Kernels behind LLVM's passes: what is proved of them says that LLVM kept what they compute. What
// stays open is printed with its reason: products of bits that LLVM has put together (complex
// numbers, small floats), pointers into one of two memories, integers of more than 64 bits.
#include <gtest/gtest.h>

#include <cstdio>

#include "core/hlo/text.h"
#include "driver/check/program.h"
#include "emit/runtime/device_kernel.h"
#include "tests/tools/run_affirm.h"
#include "verify/kernel/proof/prove_kernel.h"

namespace affirm::testing {
namespace {

struct Count {
  int kernels = 0, all = 0;  // of how many all claims are proved
};

void CountProved(const driver::FusedComputation& fused, Count& count) {
  Context context;
  auto emitted = driver::EmitKernel(fused, context);
  if (!emitted) return llvm::consumeError(emitted.takeError());
  ++count.kernels;
  auto device = emit::DeviceKernelOf(*emitted, emit::Stage::kOptimized);
  ASSERT_TRUE(static_cast<bool>(device)) << fused.name << llvm::toString(device.takeError());
  const kernel::KernelProof proof =
      kernel::ProveKernel(device->ir, device->launch, *fused.computation, {});
  bool all = true;
  std::string open;
  for (size_t k = 0; k < kernel::kNumClaims; ++k) {
    const kernel::ClaimProof& claim = proof.claims[k];
    const bool proved = claim.verdict == Verdict::kProved;
    if (!proved && all) open = claim.reason.substr(0, 150);
    all = all && proved;
  }
  count.all += all;
  if (!all) std::printf("%s, %s\n", fused.name.c_str(), open.c_str());
}

TEST(OptimizedKernels, AreMostlyProved) {
  Count count;
  for (const std::string& file : FilesIn("corpus/hlo", ".hlo")) {
    auto module = hlo::ParseModule(ReadFile(file), file);
    ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
    std::printf("%s: ", file.c_str());
    const driver::Program program(**module);
    for (const driver::FusedComputation& whole : program.fused_computations()) {
      for (const driver::FusedComputation& fused : program.partitions(whole).kernels)
        CountProved(fused, count);
    }
    std::printf("\n");
  }
  std::printf("%d kernels, all claims of %d\n", count.kernels, count.all);
  EXPECT_GE(count.kernels, 170);
  EXPECT_GE(count.all * 100, count.kernels * 80);
}

}  // namespace
}  // namespace affirm::testing
