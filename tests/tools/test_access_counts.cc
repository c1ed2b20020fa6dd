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
      vectors = 0, bounded = 0, tight = 0;
  int64_t conflicts = 0;
};

// The counts of the emulator; nullopt if the kernel cannot be run on the arguments.
std::optional<Counts> Emulated(const emit::Kernel& made, const emit::DeviceKernel& device,
                               const std::vector<hlo::Literal>& arguments) {
  auto emulator =
      kernel::Emulator::Create(device.ir, device.launch, kernel::Emulator::Watch::kAccesses);
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
  auto emulated = Emulated(made, *device, hlo::MakeArguments(computation, 1));
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
      ++(a.bounds ? tally.bounded : tally.unknown);
      const kernel::AccessCount& run = (*emulated)[key];
      if (a.bounds) {
        tally.tight += a.bounds->least_sectors == a.bounds->most_sectors;
        EXPECT_TRUE(a.bounds->Contain(run))
            << where << ", line " << a.line << ": " << a.bounds->least_accesses << " to "
            << a.bounds->most_accesses << " accesses, " << a.bounds->least_sectors << " to "
            << a.bounds->most_sectors << " sectors, at most " << a.bounds->max_sectors
            << ", emulated " << run.accesses << ", " << run.sectors << ", " << run.max_sectors;
      }
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
      "%d unknown, %d with bounds (%d of them certain); %lld bank conflicts\n",
      tally.kernels, tally.not_lifted, tally.compared, tally.instructions, tally.shared,
      tally.vectors, tally.unknown, tally.bounded, tally.tight,
      static_cast<long long>(tally.conflicts));
  return tally;
}

// Rows of 32 bytes, four by each warp: all the same row is the least, four of them the most. Rows
// of 128 bytes are one sector a lane of eight, whichever they are.
TEST(AccessBounds, AreReached) {
  struct Case {
    int64_t row, least, most;
  };
  for (const Case& c : {Case{8, 8, 32}, Case{32, 128, 128}, Case{6, 8, 48}}) {
    const std::string row = std::to_string(c.row);
    auto module = llvm::cantFail(hlo::ParseModule(
        "ENTRY e { p = f32[64," + row +
            "] parameter(0)\ni = s32[32,1] parameter(1)\nROOT g = f32[32," + row +
            "] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
            "index_vector_dim=1, slice_sizes={1," +
            row + "} }",
        "gather"));
    Context context;
    auto made = llvm::cantFail(emit::EmitKernel(*module->entry, context));
    auto device = llvm::cantFail(emit::DeviceKernelOf(made));
    terms::Pool pool;
    auto lifted =
        llvm::cantFail(kernel::Lift(device.ir, device.launch, pool, {.list_accesses = true}));
    int gathers = 0;
    for (const kernel::CountedAccess& a : CountAccesses(lifted, device.launch).instructions) {
      if (a.unknown.empty()) continue;
      ++gathers;
      ASSERT_TRUE(a.bounds);
      EXPECT_EQ(a.bounds->least_accesses, a.bounds->most_accesses);
      EXPECT_LE(a.bounds->least_sectors, c.least) << row;
      EXPECT_GE(a.bounds->most_sectors, c.most) << row;
      if (c.row % 8 == 0) {
        EXPECT_EQ(a.bounds->least_sectors, c.least) << row;
        EXPECT_EQ(a.bounds->most_sectors, c.most) << row;
      }
      for (int64_t step : {0, 1, 2}) {
        std::vector<hlo::Literal> arguments = hlo::MakeArguments(*module->entry, 1);
        for (int64_t k = 0; k < 32; ++k) arguments[1].SetInt(k, k * step);
        auto counts = Emulated(made, device, arguments);
        ASSERT_TRUE(counts);
        const kernel::AccessCount& run = (*counts)[{a.line, false}];
        EXPECT_TRUE(a.bounds->Contain(run)) << row << ": " << run.sectors;
        if (c.row % 8 == 0) {
          EXPECT_EQ(run.sectors, step == 0 ? c.least : c.most) << row;
        }
      }
    }
    EXPECT_EQ(gathers, 1);
  }
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
