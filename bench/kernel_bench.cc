// How many codes the kernel emulator executes in a second: a loop of integers alone, one thread an
// element with loads and stores, and threads that meet at barriers and shuffles.
#include <benchmark/benchmark.h>

#include "llvm/Support/raw_ostream.h"
#include "verify/kernel/emulator/emulator.h"

namespace affirm::kernel {
namespace {

constexpr const char* kDeclarations = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
@tile = internal addrspace(3) global [256 x float] undef, align 16
define ptx_kernel void @k(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %b, 256
  %i = add i32 %base, %t
  %p = getelementptr inbounds [65536 x float], ptr %in, i32 0, i32 %i
  %q = getelementptr inbounds [65536 x float], ptr %out, i32 0, i32 %i
  %v = load float, ptr %p, align 4
)";

constexpr const char* kLoop = R"(
  br label %l
l:
  %k = phi i32 [0, %entry], [%k1, %l]
  %a = phi i32 [%i, %entry], [%a2, %l]
  %a1 = mul i32 %a, 1664525
  %a2 = add i32 %a1, 1013904223
  %d = udiv i32 %a2, 64
  %r = xor i32 %d, %k
  %k1 = add nuw nsw i32 %k, 1
  %c = icmp slt i32 %k1, 100
  br i1 %c, label %l, label %e
e:
  %f = sitofp i32 %r to float
)";
constexpr const char* kElements = "  %f = fadd float %v, 1.0\n";
constexpr const char* kTogether = R"(
  %s = getelementptr inbounds [256 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  store float %v, ptr addrspace(3) %s, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %j = xor i32 %t, 37
  %u = getelementptr inbounds [256 x float], ptr addrspace(3) @tile, i32 0, i32 %j
  %w = load float, ptr addrspace(3) %u, align 4
  %x = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %w, i32 1, i32 31)
  %f = fadd float %w, %x
)";

void Run(benchmark::State& state, const char* body) {
  auto ir = ReadKernelIr(
      std::string(kDeclarations) + body + "  store float %f, ptr %q, align 4\n  ret void\n}\n",
      "bench.ll");
  Launch launch;
  launch.grid = {256, 1, 1};
  launch.threads = {256, 1, 1};
  for (auto role : {Param::kInput, Param::kOutput}) {
    Param param;
    param.shape = hlo::Shape::Array(hlo::PrimitiveType::kF32, {65536});
    param.bytes = 4 * 65536;
    param.role = role;
    param.memory = role;
    launch.params.push_back(param);
  }
  auto emulator = ir ? Emulator::Create(*ir, launch) : ir.takeError();
  if (!emulator) {
    state.SkipWithError(llvm::toString(emulator.takeError()).c_str());
    return;
  }
  int64_t codes = 0;
  for (auto _ : state) {
    std::vector<std::vector<uint8_t>> memories(2, std::vector<uint8_t>(4 * 65536));
    codes += emulator->Run(memories).codes;
  }
  state.counters["codes"] =
      benchmark::Counter(static_cast<double>(codes), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(Run, loop, kLoop)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Run, elements, kElements)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Run, together, kTogether)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace affirm::kernel

BENCHMARK_MAIN();
