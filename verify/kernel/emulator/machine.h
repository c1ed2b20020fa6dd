// The machine that runs translated kernels: threads, their registers and their turns. Internal.
#ifndef AFFIRM_VERIFY_KERNEL_EMULATOR_MACHINE_H_
#define AFFIRM_VERIFY_KERNEL_EMULATOR_MACHINE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "verify/kernel/emulator/emulator.h"
#include "verify/kernel/emulator/finding.h"
#include "verify/kernel/emulator/memory.h"
#include "verify/kernel/emulator/program.h"

namespace affirm::kernel {

// A memory as the machine gets it: bytes with marks, or pages.
struct DeviceMemory {
  uint8_t* data = nullptr;
  uint8_t* marks = nullptr;  // nullptr: all bytes are specified
  int64_t allocated = 0;
  SparseMemory* sparse = nullptr;
};

// A call that has not returned: where it was made, and the registers of the caller.
struct Frame {
  uint32_t call = 0;  // the code of the call
  uint32_t base = 0, registers = 0;
  int64_t local_top = 0;
};

// A copy to shared memory that a thread has started and not waited for.
struct StartedCopy {
  Code code;
  Slot to, from;
  unsigned bytes = 0;               // that are read
  std::array<Slot, 4> pieces = {};  // what was there
};

// A read of shared memory by a product of matrices, until the warp has waited for it.
struct StartedRead {
  Code code;
  uint64_t address = 0;
  Slot value;
};

// The state that decides how a thread goes on from a jump back, as far as it is the thread's own.
struct LoopState {
  uint32_t to = 0;                   // where it jumped
  std::vector<uint32_t> calls;       // that it was in
  std::vector<Slot> registers;       // of all of them
  int64_t changes = 0, atomics = 0;  // of the machine until then
};

struct Thread {
  enum State : uint8_t { kReady, kWaiting, kDone };

  State state = kReady;
  int64_t index = 0;  // in its block
  std::array<int64_t, 3> id = {};
  uint32_t pc = 0;  // while it waits: of the code that waits
  uint32_t base = 0, num_registers = 0;
  int64_t jumps_back = 0;
  std::vector<Slot> registers;
  std::vector<Frame> calls;
  std::vector<uint8_t> local, local_marks;  // of what is alloca'd
  int64_t local_top = 0;
  // Groups of copies, the oldest first; and what is in none yet.
  std::deque<std::vector<StartedCopy>> groups;
  std::vector<StartedCopy> copies;
  // The same of what products of the warp read, of its first lane.
  std::deque<std::vector<StartedRead>> product_groups;
  std::vector<StartedRead> reads;
  int64_t started_reads = 0;  // in all of them
  // A number for what it has done with its group of warps, and the code that did so last.
  uint64_t group_steps = 0;
  uint32_t last_step = 0;
  // Happens-before beyond barriers of the whole block (machine_order.cc).
  uint32_t moments = 0;      // of its own that clocks may hold
  SharedClock known;         // happened before what it does next
  SharedClock known_reads;   // reads of other lanes that did
  SharedClock fenced;        // known at its last fence, which its later atomic writes release
  SharedClock fenced_block;  // the same of fences that order a block alone
  std::unique_ptr<LoopState> loop;  // where it was seen to go round loops often
  bool spins = false;               // and waits there for what other threads store
};

// How an atomic update accesses memory.
inline AccessKind KindOfAtomic(const Code& code) {
  return (code.flags & kOfBlock) != 0 ? AccessKind::kAtomicOfBlock : AccessKind::kAtomic;
}

class Machine {
 public:
  Machine(const Program& program, const Launch& launch, const EmulatorOptions& options);

  // Gives the memories (by number) to the kernel's parameters.
  void Attach(llvm::ArrayRef<DeviceMemory> memories);
  void Run();
  std::vector<std::shared_ptr<const RaceShadow>> ShadowsOfMemories(size_t count) const;

  std::vector<Finding> findings;
  int64_t codes = 0;        // executed, about
  int64_t blocks_done = 0;  // to their end
  bool stopped = false;

 private:
  void TellArgumentsApart();
  void RunBlock(int64_t block);
  void StartThread(Thread& thread, int64_t index);
  // Until the thread waits, ends, or the run stops.
  void RunThread(Thread& thread);
  // Wakes those whose barrier or shuffle is complete; false when there is none.
  bool WakeSome();
  bool WakeWarp(int64_t warp);
  // machine_waves.cc: the lanes of the wave that begins with a thread.
  int64_t LanesOfWarp() const { return program_.lanes == 0 ? kWarpSize : program_.lanes; }
  bool WakeWave(int64_t first);
  bool AreInOneRound(const Thread& a, const Thread& b) const;
  void Exchange(llvm::ArrayRef<Thread*> group, int64_t first, const Code& code);
  Slot Received(llvm::ArrayRef<Thread*> lanes, int64_t lane, const WaveExchange& exchange,
                const Code& code);
  bool IsTogether(const Thread& thread, const Code& code, uint32_t pc, const Slot& mask) const;

  // machine_barriers.cc
  static constexpr int kBarriers = 16;
  // Threads that have arrived at a barrier and do not wait there.
  struct Barrier {
    std::vector<int64_t> arrived;
    VectorClock before;  // their arrivals
    uint64_t count = 0;  // that they have given
  };
  bool WakeBarriers();
  bool WakeBarrier(uint64_t id);
  // Operands are no numbers, or none of a barrier.
  bool CheckBarrier(const Thread& thread, const Code& code);
  // Among threads that wait at the barrier or have arrived, the first warps that are `count`
  // threads, each counted whole; empty where there are too few.
  std::vector<Thread*> Participants(uint64_t id, uint64_t count);
  uint64_t CountOf(const Thread& thread, const Code& code) const;  // what its barrier counts
  bool WaitsAt(const Thread& thread, uint64_t id) const;
  bool AreLanesApart(const Thread& thread) const;
  void Arrive(Thread& thread, const Code& code);
  void CompleteForBlock();

  // machine_order.cc
  Accessor MomentOf(const Thread& thread) const;
  // The threads have waited for each other: what each did before happens before what any does next.
  void Synchronize(llvm::ArrayRef<Thread*> threads, VectorClock before = {});
  // Knowledge beyond that, where a new epoch or step says that much.
  void ShareClocks(llvm::ArrayRef<Thread*> threads, VectorClock before, bool new_epoch);
  // The same for what they have read, and written later.
  void OrderReads(llvm::ArrayRef<Thread*> threads);
  void Release(Thread& thread, const Code& code, Slot address);
  void Acquire(Thread& thread, Slot address);
  SharedClock MakeMoment(Thread& thread) const;
  void Fence(Thread& thread, const Code& code);

  // machine_loops.cc
  // Handles a jump back; false where the thread does not go on now: the run is over, or others have
  // their turn.
  bool GoesOn(Thread& thread, const Code& code, int64_t codes_so_far);
  bool RepeatsItself(Thread& thread, const Code& code);
  void ReportSpin();
  void CompleteWarp(const std::vector<Thread*>& lanes, uint32_t pc);
  void ReportHang();

  // The operands of a waiting thread's code.
  const Slot& ValueOf(const Thread& thread, Operand operand) const {
    return operand & 1 ? constants_[operand >> 1] : thread.registers[thread.base + (operand >> 1)];
  }
  // A value of any width that is not specified.
  Slot Unspecified(const Code& code) const {
    return {uint64_t{HoldsOnes(options_)}, MakeMark(kUnspecified, code.source)};
  }
  const Code& CodeOf(const Thread& thread) const { return program_.code[thread.pc]; }
  Slot& RegisterOf(Thread& thread, uint32_t number) {
    return thread.registers[thread.base + number];
  }
  void Shuffle(const std::vector<Thread*>& lanes, const Code& code);
  void Vote(const std::vector<Thread*>& lanes, const Code& code);
  void ReduceLanes(const std::vector<Thread*>& lanes, const Code& code);
  void LoadMatrix(const std::vector<Thread*>& lanes, const Code& code);
  void StoreMatrix(const std::vector<Thread*>& lanes, const Code& code);
  // Checks that each row of the matrices lies in shared memory; false: it was reported.
  bool CheckRows(const std::vector<Thread*>& lanes, const Code& code);
  void MultiplyMatrices(const std::vector<Thread*>& lanes, const Code& code);
  void MultiplyShared(const std::vector<Thread*>& lanes, const Code& code);
  struct Factors;
  void StoreSums(const std::vector<Thread*>& lanes, const Code& code, const MatrixProduct& of,
                 int64_t added, bool adds, llvm::ArrayRef<Factors> rows,
                 llvm::ArrayRef<Factors> columns);
  Slot PartOf(const std::vector<Thread*>& lanes, const Code& code, int64_t first,
              MatrixProduct::Place place, int64_t width) const;
  bool ReadLines(Thread& thread, const Code& code, const MatrixProduct& of, hlo::PrimitiveType type,
                 uint64_t memory, Slot descriptor, bool transposed, int64_t first,
                 std::vector<Factors>& lines);
  void WaitForProducts(Thread& thread, int64_t but);
  // Records what all threads of a group of warps must state alike for a product, or for a wait.
  void RecordGroupStep(Thread& thread, const Code& code, llvm::ArrayRef<uint64_t> told);
  // When a block has ended.
  void CheckGroups();

  // machine_copies.cc
  void StartCopy(Thread& thread, const Code& code, Slot to, Slot from, Slot bytes);
  static void CommitCopies(Thread& thread);
  void WaitCopies(Thread& thread, int64_t but);
  void EndCopy(Thread& thread, const StartedCopy& copy);
  // Checks that no thread has written where the copy goes, from byte `at` of it on; false: it was
  // reported.
  bool CheckUntouched(Thread& thread, const StartedCopy& copy, unsigned at);
  // When the thread has ended: of copies that it has not waited for.
  void CheckOpenCopies(Thread& thread);

  // Memory. `width` in bytes. A load that is refused gives an unspecified value.
  Slot Load(Thread& thread, const Code& code, Slot address, int64_t offset, unsigned width,
            int log2_align);
  void Store(Thread& thread, const Code& code, Slot address, int64_t offset, unsigned width,
             int log2_align, Slot value);
  // Tells the observer of an access that comes next, unless it goes wrong.
  void Observe(const Thread& thread, const Code& code, Slot address);
  void AtomicRmw(Thread& thread, const Code& code);
  void CompareExchange(Thread& thread, const Code& code);
  void MemFill(Thread& thread, const Code& code);
  void MemCopy(Thread& thread, const Code& code);
  // The region that an access lies in, and its offset there; nullptr when it was reported.
  Region* Check(Thread& thread, const Code& code, Slot address, int64_t more, unsigned width,
                int log2_align, AccessKind kind, int64_t& offset);
  Region* CheckSlowly(Thread& thread, const Code& code, Slot address, int64_t more, unsigned width,
                      int log2_align, AccessKind kind, int64_t& offset);
  void RecordAccess(Thread& thread, const Code& code, Region& region, int64_t offset,
                    unsigned width, AccessKind kind, bool same_value);
  void RecordAlias(const Thread& thread, const Code& code, const Region& region, int64_t offset,
                   unsigned width, AccessKind kind);
  Slot Alloca(Thread& thread, const Code& code, int64_t count);
  Mark InBounds(uint64_t address, uint64_t base, const Code& code) const;
  void Repack(const Code& code, const Slot* const bases[2], Slot* registers) const;
  // run_arithmetic.cc: one code, whose operands are in `bases` and whose result goes to
  // `registers`.
  void RunFloat(const Code& code, const Slot* const bases[2], Slot* registers) const;
  void RunConversion(const Code& code, const Slot* const bases[2], Slot* registers) const;
  void RunWide(Thread& thread, const Code& code, const Slot* const bases[2], Slot* registers);
  // False where the thread stops there.
  bool RunDivision(Thread& thread, const Code& code, const Slot* const bases[2], Slot* registers);
  void RunIntrinsic(const Code& code, const Slot* const bases[2], Slot* registers) const;
  void RunElement(const Code& code, const Slot* const bases[2], Slot* registers) const;

  Finding FindingAt(const Thread& thread, const Code& code, Claim claim, std::string what) const;
  void PlaceIn(Finding& finding, const Region& region, int64_t offset) const;
  void Report(Finding finding);
  void Report(const Thread& thread, const Code& code, Claim claim, std::string what) {
    Report(FindingAt(thread, code, claim, std::move(what)));
  }
  // Ends the run, of whose rest nothing is known.
  void GiveUp(const Thread& thread, const Code& code, Claim claim, std::string what);
  // A value with a mark is used where it must have none. What depends on a frozen value may be
  // specified all the same: there the run ends.
  void ReportMark(const Thread& thread, const Code& code, Slot value, const std::string& where,
                  Claim claim_of_unspecified);
  // The same of what decides where the thread goes on. Frozen, it may be anything, and the machine
  // goes one way only.
  void ReportCondition(const Thread& thread, const Code& code, Slot value,
                       const std::string& where);
  std::string Describe(const Accessor& accessor) const;
  uint64_t SpecialRegisterOf(const Thread& thread, SpecialRegister which) const;

  const Program& program_;
  const Launch& launch_;
  const EmulatorOptions& options_;
  llvm::ArrayRef<Slot> constants_;     // of the program, or the others
  std::vector<Slot> other_constants_;  // with other bits where they are unspecified; and kUses more
  // A code whose undefs have bits of their own at each use.
  static constexpr size_t kUses = 3;
  const Code* WithUses(const Code& code, const Slot* const bases[2]);
  Code with_uses_;
  uint64_t uses_ = 0;
  std::vector<Region> regions_;
  std::vector<uint64_t> argument_regions_;
  std::vector<std::shared_ptr<RaceShadow>> shadows_;
  std::vector<std::unique_ptr<AliasShadow>> aliases_;  // of memories whose accesses are watched
  // By address: what was there before the last compare-and-swap that succeeded, and whose that was.
  struct Exchanged {
    uint64_t bits = 0;
    unsigned width = 0;
    uint32_t epoch = 0;
    std::set<std::pair<int64_t, int64_t>>
        seen;  // blocks and threads that have read since, or swapped
  };
  // Whether the thread may still find what was there before: it has not read since, and no barrier
  // lies between.
  bool MayBeStale(const Exchanged& before, const Thread& thread, const Region& region) const;
  std::map<uint64_t, Exchanged> exchanged_;
  std::vector<std::vector<uint8_t>> variable_data_, variable_marks_;  // by variable
  bool waits_ = false;  // the code has barriers or the like, or loops that wait for other threads
  std::array<Barrier, kBarriers> barriers_;
  // By address: what atomic writes have released; to threads of one block alone, too.
  struct Released {
    SharedClock clock, of_block;
    int64_t block = -1;
  };
  std::map<uint64_t, Released> released_;
  int64_t changes_ = 0;  // of memory
  int64_t atomics_ = 0;  // atomic accesses that read
  std::vector<Thread> threads_;
  std::vector<Accessor> warps_;  // only their warp_step and shuffles
  int64_t num_threads_ = 0;
  int64_t block_ = 0;
  std::array<int64_t, 3> block_id_ = {};
  uint32_t epoch_ = 0;
  std::vector<std::pair<Claim, uint32_t>> reported_;  // once for each claim and instruction
};

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_EMULATOR_MACHINE_H_
