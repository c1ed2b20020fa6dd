#include "tests/kernel_emulator/run_kernel.h"

#include <cstring>

namespace affirm::testing {
namespace {

constexpr const char* kDeclarations = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
)";

kernel::Param Array(const char* name, int64_t elements, kernel::Param::Role role, int64_t memory) {
  kernel::Param param;
  param.name = name;
  param.shape = hlo::Shape::Array(hlo::PrimitiveType::kS32, {elements});
  param.bytes = 4 * elements;
  param.role = role;
  param.memory = memory;
  return param;
}

}  // namespace

std::string TestRun::Claims() const {
  if (!error.empty()) return error;
  std::string claims;
  for (const kernel::Finding& finding : findings) {
    claims += (claims.empty() ? "" : " ") + std::string(Name(finding.claim));
  }
  return claims;
}

TestRun RunKernel(const TestKernel& kernel) {
  TestRun result;
  auto fail = [&](llvm::Error error) {
    result.error = llvm::toString(std::move(error));
    return result;
  };
  const std::string target =
      kernel.triple.empty() ? "" : "target triple = \"" + kernel.triple + "\"\n";
  const std::string text = target + kDeclarations + kernel.around +
                           "\ndefine ptx_kernel void @k(ptr %in, ptr %out) {\nentry:\n" +
                           "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" + kernel.body +
                           "\n}\n";
  auto ir = kernel::ReadKernelIr(text, "test.ll");
  if (!ir) return fail(ir.takeError());
  kernel::Launch launch;
  launch.grid = {kernel.blocks, 1, 1};
  launch.threads = {kernel.threads, 1, 1};
  launch.shared_bytes = kernel.shared_bytes;
  const auto inputs = static_cast<int64_t>(kernel.input.size());
  launch.params = {Array("in", inputs, kernel::Param::kInput, 0),
                   Array("out", kernel.in_place ? inputs : kernel.outputs, kernel::Param::kOutput,
                         kernel.in_place ? 0 : 1)};
  auto emulator = kernel::Emulator::Create(*ir, launch);
  if (!emulator) return fail(emulator.takeError());
  std::vector<std::vector<uint8_t>> memories(launch.NumMemories());
  memories[0].resize(kernel.input.size() * 4);
  std::memcpy(memories[0].data(), kernel.input.data(), memories[0].size());
  kernel::EmulatorOptions options;
  options.seed = kernel.seed;
  options.most_jumps_back = kernel.most_jumps_back;
  kernel::EmulatorRun run = emulator->Run(memories, options);
  result.findings = run.findings;
  const std::vector<uint8_t>& bytes = memories[launch.params[1].memory];
  result.output.resize(bytes.size() / 4);
  std::memcpy(result.output.data(), bytes.data(), bytes.size());
  return result;
}

}  // namespace affirm::testing
