// Waves of AMDGPU: how many lanes execute together, and what each lane gets of the others by the
// functions that exchange values. One meaning for the proof and the emulator.
//
// Source: LLVM, "User Guide for AMDGPU Backend" ("LLVM IR Intrinsics", "Target Features"); AMD,
// "CDNA3 Instruction Set Architecture" (DS_BPERMUTE_B32, DS_SWIZZLE_B32, V_READLANE_B32, "Data
// Parallel Primitives").
#ifndef AFFIRM_VERIFY_KERNEL_WAVE_H_
#define AFFIRM_VERIFY_KERNEL_WAVE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include "verify/kernel/kernel_ir.h"

namespace affirm::kernel {

// Whether the kernel is one of AMDGPU: by its triple, or its calling convention.
bool IsOfAmdgpu(const KernelIr& ir);

// Lanes that execute together: 32 of a warp of NVPTX. Of AMDGPU 32 or 64, as "target-features" says
// (+wavefrontsize32), else as "target-cpu" has them (64 on gfx9 and before, 32 after it), else 64,
// LLVM's default without a processor. nullopt where the kernel says both, names a processor that is
// not known, or asks one for waves that it does not have by itself: of 64 lanes on gfx10 and later,
// exchanges do not reach all lanes on each device.
std::optional<int64_t> LanesOf(const KernelIr& ir);

// A number of the thread, of its block or of the grid, by AMDGPU's intrinsics and by the functions
// of ROCm's device library: "llvm.amdgcn.workitem.id.x", "__ockl_get_local_id" of 0.
struct WaveIdentifier {
  enum class Of : uint8_t { kThread, kBlock, kThreads, kBlocks } of = Of::kThread;
  int dimension = 0;
};
// The numbers that a function gives: its name decides, and of "__ockl_" the operand of the call.
enum class IdentifierForm : uint8_t { kNone, kOfName, kOfOperand };
IdentifierForm FormOfIdentifier(llvm::StringRef function);
// nullopt for other functions, and where the operand is no dimension.
std::optional<WaveIdentifier> FindIdentifier(const llvm::CallBase& call);

// A call by which lanes of a wave exchange values. Operands are numbers of the call's.
struct WaveExchange {
  enum class Kind : uint8_t {
    kBallot,     // the bits of all conditions
    kFromFirst,  // the first lane's value
    kFromLane,   // the value of the lane of the number in `index`, which is one for all lanes
    kFromByte,   // of the lane whose number is a fourth of `index`
    kSwizzle,    // by the constant `control`
    kDpp,        // the same, with masks of the lanes that get anything
  };
  Kind kind = Kind::kBallot;
  unsigned value = 0;
  std::optional<unsigned> index = std::nullopt, old = std::nullopt;
  uint32_t control = 0;
  uint32_t row_mask = 0xf, bank_mask = 0xf;
  bool zero_beyond = false;  // where there is no lane to read from; else `old`
};

// The exchange of a call in waves of `lanes` lanes; nullopt for other functions, and for forms that
// are not modelled: dpp_ctrl that no device has, rotations of ds.swizzle, a ballot of 32 bits among
// 64 lanes.
std::optional<WaveExchange> FindExchange(const llvm::CallBase& call, int64_t lanes);
// Whether the function is one of those, in whatever form.
bool IsExchange(const llvm::Function& function);

// Whether the lanes of a warp or wave must come to the call together, a barrier of the block or
// matrices: at one instruction, in the same iterations of the loops around it (PTX ISA 8.5,
// 9.7.13.1, ".aligned").
bool IsAligned(const llvm::CallBase& call);

// Where the value of a lane comes from. A lane that does not take part has a value that may be
// anything: what a device gives there depends on the device.
struct LaneSource {
  enum class From : uint8_t { kLane, kOld, kZero } from = From::kLane;
  int64_t lane = 0;
  friend bool operator==(const LaneSource&, const LaneSource&) = default;
};
// `index`: the value in the lane, for kinds that have one. Not for kBallot and kFromFirst.
//   SourceOf({.kind = kDpp, .control = 0x111}, 5, 0, 64) is lane 4 (row_shr:1).
LaneSource SourceOf(const WaveExchange& exchange, int64_t lane, uint32_t index, int64_t lanes);

// Whether the function orders instructions, or says how the device takes them, and nothing else:
// no memory, and no values (llvm.amdgcn.wave.barrier, .sched.barrier, .s.waitcnt).
bool OrdersInstructionsAlone(llvm::StringRef function);

// The bits of the lanes below `lane` in the lower or the upper half of a wave, which
// llvm.amdgcn.mbcnt.lo and .hi count in their mask.
uint32_t LanesBelow(int64_t lane, bool upper);

// Whether a barrier of AMDGPU orders memory: it synchronizes execution alone (LLVM, "AMDGPU
// Execution Synchronization"), and a fence that releases stands before it and one that acquires
// behind it, for the block at least and all memory, with no access between.
bool IsFenced(const llvm::CallBase& barrier);

// Loops of a function with exchanges or aligned instructions in them, or calls of functions that
// have some: two lanes that are at one place there may be in different iterations.
class WaveLoops {
 public:
  explicit WaveLoops(const llvm::Function& function);
  // Whether each way back is one to the header of a loop. Of others nothing is known.
  bool is_reducible() const { return is_reducible_; }
  // Headers of the loops around a block, the innermost first.
  llvm::ArrayRef<const llvm::BasicBlock*> Around(const llvm::BasicBlock* block) const;
  bool IsHeader(const llvm::BasicBlock* block) const { return headers_.contains(block); }
  // Whether an edge begins another iteration of the loop of the header, rather than the loop.
  bool Repeats(const llvm::BasicBlock* from, const llvm::BasicBlock* header) const;

 private:
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<const llvm::BasicBlock*, 2>> around_;
  llvm::DenseSet<const llvm::BasicBlock*> headers_;
  bool is_reducible_ = true;
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_WAVE_H_
