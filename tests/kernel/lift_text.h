// LLVM IR that tests write down, lifted to terms.
#ifndef AFFIRM_TESTS_KERNEL_LIFT_TEXT_H_
#define AFFIRM_TESTS_KERNEL_LIFT_TEXT_H_

#include <memory>
#include <optional>
#include <string>

#include "verify/kernel/lift/lift.h"

namespace affirm::kernel {

struct Lifted {
  terms::Pool pool;
  std::optional<KernelIr> ir;
  std::string error;
  LiftedKernel kernel;

  const Effect& effect(size_t k) const { return kernel.cases.at(0).effects.at(k); }
  std::string unproved() const {
    std::string text;
    for (const Obligation& o : kernel.obligations) {
      if (!o.proved()) text += ToString(o) + "\n";
    }
    return text;
  }
};

inline std::unique_ptr<Lifted> LiftText(const std::string& text, const std::string& json,
                                        const LiftOptions& options = {}) {
  auto lifted = std::make_unique<Lifted>();
  auto launch = ParseLaunch(json, "launch.json");
  if (!launch) {
    lifted->error = llvm::toString(launch.takeError());
    return lifted;
  }
  auto ir = ReadKernelIr(text, "kernel.ll", launch->kernel);
  if (!ir) {
    lifted->error = llvm::toString(ir.takeError());
    return lifted;
  }
  lifted->ir = std::move(*ir);
  auto kernel = Lift(*lifted->ir, *launch, lifted->pool, options);
  if (kernel) {
    lifted->kernel = std::move(*kernel);
  } else {
    lifted->error = llvm::toString(kernel.takeError());
  }
  return lifted;
}

// A kernel of an operand p and a result q, arrays of `elements` of a type. The body begins where
// %t is the thread and %b the block.
inline std::unique_ptr<Lifted> LiftBody(const std::string& body, int64_t blocks, int64_t threads,
                                        const std::string& type, int64_t elements,
                                        const std::string& outside = "",
                                        const LiftOptions& options = {}) {
  int64_t bytes = elements * (type == "pred" ? 1 : 4);
  std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)
declare float @__nv_expf(float)
declare float @_Z4tanhf(float)
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.assume(i1)
)" + outside + R"(
define ptx_kernel void @k(ptr %p, ptr %q) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
)" + body + "\n}\n";
  std::string array =
      "\"" + type + "[" + std::to_string(elements) + "]\", \"bytes\": " + std::to_string(bytes);
  std::string json = "{\"kernel\": \"k\", \"grid\": [" + std::to_string(blocks) +
                     ", 1, 1], \"threads\": [" + std::to_string(threads) +
                     ", 1, 1], \"shared\": 0, \"params\": [{\"shape\": " + array +
                     ", \"role\": \"input\", \"memory\": 0}, {\"shape\": " + array +
                     ", \"role\": \"output\", \"memory\": 1}]}";
  return LiftText(text, json, options);
}

// Loads %x of element %i, and stores %y to it.
inline std::string Elementwise(const std::string& compute) {
  return R"(
  %base = mul i32 %b, 128
  %i = add i32 %base, %t
  %in = getelementptr inbounds float, ptr %p, i32 %i
  %x = load float, ptr %in, align 4
)" + compute +
         R"(
  %out = getelementptr inbounds float, ptr %q, i32 %i
  store float %y, ptr %out, align 4
  ret void)";
}

}  // namespace affirm::kernel

#endif  // AFFIRM_TESTS_KERNEL_LIFT_TEXT_H_
