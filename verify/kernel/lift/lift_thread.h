// The state of a thread while it is lifted: its call stack and pending asynchronous operations.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LIFT_THREAD_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LIFT_THREAD_H_

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"
#include "verify/kernel/lift/byte_memory.h"
#include "verify/kernel/lift/loops.h"
#include "verify/kernel/lift/open_sums.h"
#include "verify/kernel/lift/value.h"
#include "verify/kernel/lift/word_swap.h"
#include "verify/kernel/wave.h"

namespace affirm::kernel {

// A single-block loop around a compare-and-swap of the value that the phi expects. It ends when the
// swap succeeds, and has then replaced the old value.
struct SwapLoop {
  const llvm::PHINode* expected = nullptr;
  const llvm::AtomicCmpXchgInst* swap = nullptr;
  std::optional<WordSwap> word;  // for a part of a word: the phi stands for the old part
};

// A function of the kernel: registers are numbered.
struct FunctionInfo {
  FunctionInfo(const llvm::Function& function, bool with_loops);
  llvm::DenseMap<const llvm::Value*, unsigned> numbers;
  llvm::PostDominatorTree joins;
  llvm::DenseMap<const llvm::BasicBlock*, SwapLoop> swap_loops;
  // Instructions that assemble words in these loops. The one that extracts the old part maps to the
  // phi, the others to null.
  llvm::DenseMap<const llvm::Instruction*, const llvm::PHINode*> word_parts;
  llvm::DenseMap<const llvm::BasicBlock*, CountedLoop> loops;  // candidates for summaries
  WaveLoops wave_loops;
  // The immediate post-dominator of a branch; null: the return of the function.
  const llvm::BasicBlock* JoinOf(const llvm::BasicBlock* branch) const;
};

struct LiftFrame {
  const FunctionInfo* function = nullptr;
  std::vector<Value> registers;
  const llvm::BasicBlock* block = nullptr;
  llvm::BasicBlock::const_iterator at;
  const llvm::CallBase* call = nullptr;  // the call that this frame returns to
  uint32_t first_memory = 0;             // number of the function's first alloca
  const CountedLoop* begins = nullptr;   // the loop being entered, at its header
  // Iterations before this one, by header of FunctionInfo::wave_loops.
  llvm::SmallDenseMap<const llvm::BasicBlock*, int64_t, 2> rounds;
};

// A pending copy to shared memory (PTX ISA, "cp.async").
struct LiftedCopy {
  Value::Pointer to;
  llvm::Type* type = nullptr;  // the copied type, a vector
  Value values;
  llvm::SmallVector<Cell, 8> held;  // the arbitrary cells in memory until it completes
  int64_t group = 0;
};

// A pending read of shared memory by a product of matrices (PTX ISA, "wgmma.mma_async").
struct LiftedRead {
  Value::Pointer pointer;
  llvm::Type* type = nullptr;
  Value value;
  int64_t group = 0;
};

// A step of a thread with its warpgroup (PTX ISA, ".aligned"): the instruction, the number of
// barriers passed, and the operands that must be the same in all threads.
struct GroupStep {
  const llvm::Instruction* at = nullptr;
  uint32_t phase = 0;
  std::vector<Value> told = {};
  friend bool operator==(const GroupStep&, const GroupStep&) = default;
};

struct LiftThread {
  int64_t number = -1;  // -1: symbolic
  std::vector<LiftFrame> frames;
  LocalMemories own;  // allocas
  bool ended = false;
  // The call at which it waits for other threads, or null.
  const llvm::CallBase* waits = nullptr;
  uint32_t phase = 0, warp_phase = 0;
  int64_t order = 0, steps = 0;
  std::vector<LiftedCopy> copies;
  int64_t groups = 0;  // committed groups of copies
  // In the first lane of a warp: the pending reads of its products, and their committed groups.
  std::vector<LiftedRead> reads;
  int64_t product_groups = 0;
  std::vector<GroupStep> group_steps;
  OpenSums sums;
  // The step of the last wgmma.fence that came after the last wait for products.
  static constexpr int64_t kNoFence = -1;
  int64_t register_fence = kNoFence;
  // The result of a run that reached its end: the phis of the block, or the returned value.
  std::vector<Value> arrived;

  Moment Now() const { return {static_cast<int32_t>(number), phase, warp_phase, steps}; }
};

// Whether two threads wait at the same call, with the same call stack; and whether they are in the
// same iterations of all loops around it. InOneRound is false for irreducible functions.
bool AtOnePlace(const LiftThread& a, const LiftThread& b);
bool InOneRound(const LiftThread& a, const LiftThread& b);
// Whether it waits at a barrier of the block.
bool WaitsForBlock(const LiftThread& thread);

// The compare-and-swap loops of a function.
llvm::DenseMap<const llvm::BasicBlock*, SwapLoop> SwapLoopsOf(const llvm::Function& function);
// Whether a load is of what such loops swap, and used only as the first value that they expect.
bool IsFirstExpectation(const llvm::Instruction& load);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LIFT_THREAD_H_
