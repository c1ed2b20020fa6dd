// affirm's own kernels for AMDGPU: what is proved of them, in waves of 64 lanes and of 32.
#include <gtest/gtest.h>

#include <cstdio>

#include "core/hlo/text.h"
#include "driver/check/program.h"
#include "driver/validate/validate.h"
#include "emit/runtime/device_kernel.h"
#include "tests/tools/run_affirm.h"
#include "verify/kernel/proof/prove_kernel.h"

namespace affirm::testing {
namespace {

using emit::Kernel;

// The kernel's LLVM IR, for a device where one is named.
kernel::KernelIr IrOf(const Kernel& kernel, const std::string& device = "",
                      emit::Stage stage = emit::Stage::kLlvm) {
  auto text = kernel.Text(emit::Target::kAmdgpu, stage);
  EXPECT_TRUE(static_cast<bool>(text)) << llvm::toString(text.takeError());
  auto ir = kernel::ReadKernelIr(*text, kernel.name(), kernel.name());
  EXPECT_TRUE(static_cast<bool>(ir)) << llvm::toString(ir.takeError());
  if (!device.empty()) ir->kernel->addFnAttr("target-cpu", device);
  return std::move(*ir);
}

// Calls `visit` with each kernel of the module and what it computes.
template <typename Visit>
void ForEachKernel(const std::string& file, Visit visit) {
  auto module = hlo::ParseModule(ReadFile(file), file);
  ASSERT_TRUE(static_cast<bool>(module)) << llvm::toString(module.takeError());
  const driver::Program program(**module);
  for (const driver::FusedComputation& whole : program.fused_computations()) {
    for (const driver::FusedComputation& fused : program.partitions(whole).kernels) {
      Context context;
      auto kernel = driver::EmitKernel(fused, context);
      if (kernel) {
        visit(*kernel, *fused.computation);
      } else {
        llvm::consumeError(kernel.takeError());
      }
    }
  }
}

std::string FirstOpenClaim(const kernel::KernelProof& proof) {
  for (const kernel::ClaimProof& claim : proof.claims) {
    if (claim.verdict != Verdict::kProved) return claim.reason.substr(0, 150);
  }
  return "";
}

struct Count {
  int kernels = 0, proved = 0;
};

// Counts kernels of the corpus whose claims are all proved, and prints why the others are open.
Count CountProved(emit::Stage stage) {
  Count count;
  for (const std::string& file : FilesIn("corpus/hlo", ".hlo")) {
    ForEachKernel(file, [&](const Kernel& kernel, const hlo::Computation& computation) {
      const kernel::KernelProof proof =
          kernel::ProveKernel(IrOf(kernel, "", stage), emit::LaunchOf(kernel), computation, {});
      const std::string open = FirstOpenClaim(proof);
      ++count.kernels;
      count.proved += open.empty();
      if (!open.empty())
        std::printf("%s: %s, %s\n", file.c_str(), kernel.name().c_str(), open.c_str());
    });
  }
  std::printf("%d kernels, all claims of %d\n", count.kernels, count.proved);
  return count;
}

TEST(AmdgpuKernels, AreMostlyProved) {
  const Count count = CountProved(emit::Stage::kLlvm);
  EXPECT_GE(count.kernels, 170);
  EXPECT_GE(count.proved * 100, count.kernels * 95);
}

TEST(AmdgpuKernels, AreMostlyProvedBehindPassesOfLlvm) {
  const Count count = CountProved(emit::Stage::kOptimized);
  EXPECT_GE(count.proved * 100, count.kernels * 80);
}

// Proved and executed, by name: with exchanges of lanes, barriers, shared memory, atomics.
class AmdgpuPrograms : public ::testing::TestWithParam<const char*> {};

TEST_P(AmdgpuPrograms, AreValidated) {
  ForEachKernel(std::string("corpus/hlo/") + GetParam() + ".hlo",
                [&](const Kernel& kernel, const hlo::Computation& computation) {
                  for (const char* device : {"gfx942", "gfx1100"}) {
                    const kernel::KernelIr ir = IrOf(kernel, device);
                    const driver::KernelSubject subject{&computation, &ir, emit::LaunchOf(kernel)};
                    const driver::Validation executed = driver::ExecuteClaims(subject, {});
                    EXPECT_NE(executed.verdict, Verdict::kRefuted) << device;
                    const driver::Validation merged =
                        driver::Merge(driver::ProveClaims(subject, {}), executed);
                    EXPECT_EQ(merged.verdict, Verdict::kProved) << device;
                  }
                });
}

INSTANTIATE_TEST_SUITE_P(Corpus, AmdgpuPrograms,
                         ::testing::Values("elementwise", "transpose", "transpose_021",
                                           "row_reduction", "multi_row_reduction",
                                           "column_reduction", "small_column_reduction",
                                           "reduce_argmax", "reduce_to_scalar", "softmax",
                                           "softmax_short_rows", "layer_norm", "cross_entropy",
                                           "reduce_bf16", "sort_total_order", "scatter_atomic"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace affirm::testing
