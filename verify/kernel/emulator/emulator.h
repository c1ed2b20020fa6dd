// The SIMT emulator: runs a kernel's LLVM IR on the CPU, thread by thread, and watches what it does
// (docs/kernels.md). It executes the code of any compiler, and knows of no computation.
//
//   auto ir = ReadKernelIr(text, "k.ll");
//   auto emulator = Emulator::Create(*ir, launch);
//   auto run = emulator->Run(memories);   // memories[k]: the bytes of memory k of the launch
//   for (const Finding& finding : run->findings) ...
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_EMULATOR_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_EMULATOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "verify/kernel/emulator/access_observer.h"
#include "verify/kernel/emulator/finding.h"
#include "verify/kernel/emulator/races.h"
#include "verify/kernel/emulator/sparse_memory.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"

namespace affirm::kernel {

struct EmulatorOptions {
  // Blocks, and threads within a block, run in order for 0, else in an order that the seed gives.
  uint64_t seed = 0;
  // The blocks to run; empty: all. Elements that are never written are then not reported.
  std::vector<int64_t> blocks;
  // A thread that goes round loops more often hangs.
  int64_t most_jumps_back = int64_t{1} << 24;
  // All threads together. Who takes more hangs, unless it is only that no more is to be spent.
  int64_t most_codes = int64_t{1} << 36;
  bool most_codes_is_a_budget = false;
  // The run ends after this many findings.
  size_t most_findings = 16;
  // Whether accesses are checked for races and double writes.
  bool races = true;
  // Unspecified bits are zeros, ones, or zeros and ones in turn at each use of an undef
  // (ConfirmUnspecified()).
  enum class Unspecified : uint8_t { kZeros, kOnes, kInTurn };
  Unspecified unspecified = Unspecified::kZeros;
  // Is told of each access, if the emulator was made to watch them.
  AccessObserver* observer = nullptr;
};

inline bool HoldsOnes(const EmulatorOptions& options) {
  return options.unspecified == EmulatorOptions::Unspecified::kOnes;
}

struct EmulatorRun {
  std::vector<Finding> findings;
  int64_t codes = 0;     // that ran; about one per instruction
  bool complete = true;  // not ended before all threads were done
  int64_t blocks = 0;    // that ran to their end, of EmulatorOptions::blocks or of all
  // The accesses to each memory that the kernel may write; null for others, and without races.
  std::vector<std::shared_ptr<const RaceShadow>> shadows;
};

// LLVM's values are marked by bytes, so that one may be marked that depends on nothing unspecified:
// `old * 0`, `old ^ old` of a result that no thread has written. A finding of such a value stands
// where execution shows it: `again` makes the same run with other unspecified bits, and there the
// value has other bits, or the thread does not get there. Else the emulator makes no statement
// (Finding::Kind::kNotModelled).
void ConfirmUnspecified(EmulatorRun& run,
                        llvm::function_ref<EmulatorRun(EmulatorOptions::Unspecified)> again);

// Whether the launch says all that a run needs, and has the kernel's parameters.
llvm::Error CheckFits(const KernelIr& ir, const Launch& launch);

class Emulator {
 public:
  // Instructions that the emulator does not execute, and a launch that does not fit the kernel, are
  // errors that name the place. `ir` is not needed afterwards. An observer of accesses costs time,
  // and is told nothing unless it was requested here.
  enum class Watch : uint8_t { kNothing, kAccesses };
  static llvm::Expected<Emulator> Create(const KernelIr& ir, const Launch& launch,
                                         Watch watch = Watch::kNothing);
  Emulator(Emulator&&) noexcept;
  Emulator& operator=(Emulator&&) noexcept;
  ~Emulator();

  // Runs the grid on the memories, which have the launch's bytes (and are padded here). The memory
  // of an output that shares none with an input and does not start as one is unspecified at first,
  // whatever it holds.
  EmulatorRun Run(std::vector<std::vector<uint8_t>>& memories,
                  const EmulatorOptions& options = {}) const;
  // The same on memories of the launch's bytes whose pages are made when they are touched, and have
  // at first what their functions give: outputs that start as something have one that gives that.
  // `options.blocks` says which blocks run, one at least.
  EmulatorRun Run(llvm::ArrayRef<SparseMemory*> memories, const EmulatorOptions& options) const;

 private:
  struct Impl;
  explicit Emulator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_EMULATOR_H_
