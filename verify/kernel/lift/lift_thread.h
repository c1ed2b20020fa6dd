// Where a thread stands in a function while it is lifted, and what it has started and not waited
// for.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LIFT_THREAD_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LIFT_THREAD_H_

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"
#include "verify/kernel/lift/byte_memory.h"
#include "verify/kernel/lift/loops.h"
#include "verify/kernel/lift/value.h"
#include "verify/kernel/lift/word_swap.h"
#include "verify/kernel/wave.h"

namespace affirm::kernel {

// A block that is a loop around a compare-and-swap of what it expects, which the phi holds: it ends
// when the swap succeeds, and has then replaced what memory held.
struct SwapLoop {
  const llvm::PHINode* expected = nullptr;
  const llvm::AtomicCmpXchgInst* swap = nullptr;
  std::optional<WordSwap> word;  // of a part of a word: the phi stands for what that part holds
};

// A function of the kernel: registers are numbered.
struct FunctionInfo {
  FunctionInfo(const llvm::Function& function, bool with_loops);
  llvm::DenseMap<const llvm::Value*, unsigned> numbers;
  llvm::PostDominatorTree joins;
  llvm::DenseMap<const llvm::BasicBlock*, SwapLoop> swap_loops;
  // What words of such loops are made with; null but for what is found in one, which is what the
  // phi stands for.
  llvm::DenseMap<const llvm::Instruction*, const llvm::PHINode*> word_parts;
  llvm::DenseMap<const llvm::BasicBlock*, CountedLoop> loops;  // that may be executed once
  WaveLoops wave_loops;
  // Where the two sides of a branch meet; null: where the function returns.
  const llvm::BasicBlock* JoinOf(const llvm::BasicBlock* branch) const;
};

struct LiftFrame {
  const FunctionInfo* function = nullptr;
  std::vector<Value> registers;
  const llvm::BasicBlock* block = nullptr;
  llvm::BasicBlock::const_iterator at;
  const llvm::CallBase* call = nullptr;  // that this frame returns to
  uint32_t first_memory = 0;             // of the function's own
  const CountedLoop* begins = nullptr;   // a loop at whose header it stands for the first time
  // Iterations before this one, by header of FunctionInfo::wave_loops.
  llvm::SmallDenseMap<const llvm::BasicBlock*, int64_t, 2> rounds;
};

// A copy to shared memory that a thread has started and not waited for (PTX ISA, "cp.async").
struct LiftedCopy {
  Value::Pointer to;
  llvm::Type* type = nullptr;  // of what is written, a vector
  Value values;
  llvm::SmallVector<Cell, 8> held;  // what stands for it in memory before its end
  int64_t group = 0;
};

// What a product of matrices reads of shared memory until the warp has waited for it (PTX ISA,
// "wgmma.mma_async").
struct LiftedRead {
  Value::Pointer pointer;
  llvm::Type* type = nullptr;
  Value value;
  int64_t group = 0;
};

// What a thread does with its group of warps (PTX ISA, ".aligned"): at which instruction, how many
// barriers it has passed, and what the product is told by all alike.
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
  // Where it stands, when it waits for others.
  const llvm::CallBase* waits = nullptr;
  uint32_t phase = 0, warp_phase = 0;
  int64_t order = 0, steps = 0;
  std::vector<LiftedCopy> copies;
  int64_t groups = 0;  // of copies, that were closed
  // What products of the warp read, of its first lane; and their groups.
  std::vector<LiftedRead> reads;
  int64_t product_groups = 0;
  std::vector<GroupStep> group_steps;
  // What came of a run that met its end: the phis of the block, or what was returned.
  std::vector<Value> arrived;
};

// Whether two threads wait at one place, called from the same places; and whether that is in the
// same iterations of all loops around these, which is not known of functions that are not
// reducible.
bool AtOnePlace(const LiftThread& a, const LiftThread& b);
bool InOneRound(const LiftThread& a, const LiftThread& b);
// Whether it waits at a barrier of the block.
bool WaitsForBlock(const LiftThread& thread);

// The blocks of a function that are such loops.
llvm::DenseMap<const llvm::BasicBlock*, SwapLoop> SwapLoopsOf(const llvm::Function& function);
// Whether a load is nothing but what such loops expect at first.
bool IsFirstExpectation(const llvm::Instruction& load);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LIFT_THREAD_H_
