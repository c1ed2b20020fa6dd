// For every kernel of the corpus: sectors and wavefronts as they follow from the terms of the
// lifted kernel are those that the emulator counts, byte by byte, on the accesses that it executes.
#include <gtest/gtest.h>

#include "core/hlo/text.h"
#include "driver/check/program.h"
#include "emit/codegen/kernel_impl.h"
#include "emit/kernel.h"
#include "emit/runtime/device_kernel.h"
#include "emit/runtime/kernel_arguments.h"
#include "tests/tools/run_affirm.h"
#include "verify/kernel/emulator/access_observer.h"
#include "verify/kernel/emulator/emulator.h"
#include "verify/kernel/lift/accesses.h"
#include "verify/reference/interpreter.h"

namespace affirm {
namespace {

using kernel::AccessCounter;
using Counts = std::map<AccessCounter::Key, kernel::AccessCount>;

struct Tally {
  int kernels = 0, not_lifted = 0, compared = 0, instructions = 0, unknown = 0, shared = 0,
      vectors = 0;
  int64_t conflicts = 0;
};

// What the emulator counts; nothing where the kernel cannot be run on made-up arguments.
std::optional<Counts> Emulated(const emit::Kernel& made, const emit::DeviceKernel& device,
                               const hlo::Computation& computation) {
  auto emulator =
      kernel::Emulator::Create(device.ir, device.launch, kernel::Emulator::Watch::kAccesses);
  const std::vector<hlo::Literal> arguments = hlo::MakeArguments(computation, 1);
  auto leaves = emit::ArgumentLeaves(made.impl(), arguments);
  EXPECT_TRUE(bool(emulator) && bool(leaves));
  if (!emulator || !leaves) return std::nullopt;
  std::vector<std::vector<uint8_t>> memories(device.launch.NumMemories());
  size_t next = 0;
  for (const kernel::Param& param : device.launch.params) {
    memories[param.memory].resize(param.bytes);
    if (param.role != kernel::Param::kInput) continue;
    llvm::ArrayRef<uint8_t> bytes = (*leaves)[next++]->bytes();
    std::copy(bytes.begin(), bytes.end(), memories[param.memory].begin());
  }
  AccessCounter counter;
  kernel::EmulatorRun run = emulator->Run(memories, {.blocks = {}, .observer = &counter});
  EXPECT_TRUE(run.findings.empty()) << run.findings.front().ToString();
  if (!run.complete) return std::nullopt;
  return counter.Counts();
}

// Kernels that take more evaluations are left out.
void Compare(const emit::Kernel& made, const hlo::Computation& computation,
             const std::string& where, int64_t most, Tally& tally) {
  auto device = emit::DeviceKernelOf(made);
  ASSERT_TRUE(bool(device)) << llvm::toString(device.takeError());
  ++tally.kernels;
  terms::Pool pool;
  auto lifted =
      kernel::Lift(device->ir, device->launch, pool, {.max_steps = most, .list_accesses = true});
  if (!lifted) {
    llvm::consumeError(lifted.takeError());
    ++tally.not_lifted;
    return;
  }
  kernel::AccessCounts counted = kernel::CountAccesses(*lifted, device->launch, {}, most);
  if (counted.blocks < device->launch.NumBlocks()) return;
  auto emulated = Emulated(made, *device, computation);
  if (!emulated) return;
  ++tally.compared;
  Counts by_terms;
  for (const kernel::CountedAccess& a : counted.instructions) {
    ++tally.instructions;
    tally.shared += a.is_shared;
    tally.vectors += a.bytes > 8;
    tally.conflicts += a.count.BankConflicts();
    AccessCounter::Key key = {a.line, a.is_shared};
    if (!a.unknown.empty()) {
      ++tally.unknown;
      emulated->erase(key);
    } else if (a.count.accesses > 0) {
      by_terms[key] = a.count;
    }
  }
  EXPECT_EQ(by_terms.size(), emulated->size()) << where;
  for (const auto& [key, want] : *emulated) {
    const kernel::AccessCount& have = by_terms[key];
    EXPECT_TRUE(have == want) << where << ", line " << key.first << ": " << have.accesses
                              << " accesses, " << have.sectors << " sectors, " << have.wavefronts
                              << " wavefronts, emulated " << want.accesses << ", " << want.sectors
                              << ", " << want.wavefronts;
  }
}

Tally CompareCorpus(int64_t most) {
  Context context;
  Tally tally;
  for (const std::string& file : testing::FilesIn("corpus/hlo", ".hlo")) {
    auto modules = hlo::ParseModules(testing::ReadFile(file), file);
    EXPECT_TRUE(bool(modules)) << file;
    if (!modules) {
      llvm::consumeError(modules.takeError());
      continue;
    }
    for (const auto& module : *modules) {
      const driver::Program program(*module);
      for (const driver::FusedComputation& whole : program.fused_computations()) {
        for (const driver::FusedComputation& fused : program.partitions(whole).kernels) {
          auto made = emit::EmitKernel(*fused.computation, context);
          if (!made) {
            llvm::consumeError(made.takeError());
            continue;
          }
          Compare(*made, *fused.computation, file + " " + fused.name, most, tally);
        }
      }
    }
  }
  std::printf(
      "%d kernels, %d not lifted, %d compared; %d instructions (%d of shared memory, %d of "
      "vectors), "
      "%d unknown; %lld bank conflicts\n",
      tally.kernels, tally.not_lifted, tally.compared, tally.instructions, tally.shared,
      tally.vectors, tally.unknown, static_cast<long long>(tally.conflicts));
  return tally;
}

TEST(AccessCounts, OfSmallKernelsAreThoseOfTheEmulator) {
  Tally tally = CompareCorpus(200'000);
  EXPECT_GT(tally.compared, 80);
  EXPECT_GT(tally.shared, 10);
}

// Label `long`.
TEST(AccessCounts, OfEveryKernelAreThoseOfTheEmulator) {
  Tally tally = CompareCorpus(int64_t{1} << 24);
  EXPECT_GT(tally.compared, 160);
  EXPECT_GT(tally.shared, 40);
  EXPECT_GT(tally.vectors, 10);
}

}  // namespace
}  // namespace affirm
