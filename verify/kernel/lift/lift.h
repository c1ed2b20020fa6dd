// Lifts a kernel's LLVM IR to terms by symbolic execution, and proves the obligations that concern
// one thread, or one block.
//
// Integers are terms over th_x, th_y, th_z (the thread in its block) and bl_x, bl_y, bl_z (the
// block in its grid); data are value terms whose leaves are
//   pool.Load(buffer, element, type)
// where `buffer` is the number of the first parameter of the launch with the same memory (or, if
// that memory starts as a copy of a parameter's, the first with the memory of that one), and
// `element` is the linear index in the parameter's layout. The result is a list of effects: the
// stores, in terms of the initial contents of the buffers.
//
// There are two modes. *By thread*: one thread with a symbolic index in the block, for kernels
// whose threads do not cooperate. An undecided branch runs both sides up to the post-dominating
// join, each under its condition. *By block*: the threads of a block are concrete and run from
// barrier to barrier, while the block index is symbolic. An undecided branch on the block splits
// the execution into two cases; a branch on data is executed as by thread.
//
// A counted loop is executed once, with a variable for the number of the iteration, if no iteration
// depends on earlier ones except through reductions: loop-carried values that are combined by one
// operation become folds, which forget the order. Other loops, and short ones, are executed
// iteration by iteration. Kernels whose blocks run in order (KernelIr::in_order) have loops where
// other kernels have threads, so short loops are summarized as well.
//
// Assumptions, which callers must prove:
// - A load from a buffer that the kernel writes finds the initial contents, or the value that the
//   same thread stored before with the same element term and guard, in the same iteration. Such
//   loads are effects as well (kRead), for the proof of races.
// - Parameters are aligned as declared, and at least to kAllocationAlignment.
// - Fast-math flags that allow other results (contract, reassoc, arcp, afn, nsz) mark values by
//   their licence (licences.h); nnan and ninf are obligations, which are never proved.
// Unspecified values (undef, poison, unwritten memory, a shuffle from a lane that does not exist)
// are pool.Arbitrary, and so is the result of a read whose obligation failed.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_LIFT_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_LIFT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"
#include "verify/kernel/kernel_ir.h"
#include "verify/kernel/launch.h"
#include "verify/kernel/lift/changed_nans.h"
#include "verify/terms/scope.h"

namespace affirm::kernel {

// Prefix, before the argument's number, of the variable for an integer passed by value for which
// the launch gives a range. Proofs hold for all its values.
inline constexpr llvm::StringLiteral kVariableByValue = "by_value";

struct LiftOptions {
  // By thread where threads do not cooperate.
  enum class By : uint8_t { kAuto, kThread, kBlock } by = By::kAuto;
  int64_t max_steps = 20'000'000;        // instructions of all threads and cases
  int64_t max_thread_steps = 1'000'000;  // instructions of a thread
  int64_t max_cases = 64;
  // Whether the contents of shared memory after a store under a condition on data get an opaque
  // name (NamedChoice). Otherwise the exchanges of a sort would nest selects exponentially.
  bool name_choices = false;
  // Whether loops may be summarized, so that folds forget an order.
  bool summarize_loops = true;
  // Proves a condition on few bits of elements by enumeration, where ranges do not show it. May be
  // empty.
  std::function<bool(terms::Term condition)> holds_at_all_values = {};
  // Whether LiftedCase::accesses are listed. Loops are executed iteration by iteration then.
  bool list_accesses = false;
};

// A condition under which the terms describe the kernel. There is one for each claim and
// instruction, for all executions of the instruction.
struct Obligation {
  enum class Claim : uint8_t { kBounds, kIntegers, kBarriers, kRaces };
  Claim claim;
  std::string what;  // "the offset is inside the buffer"
  const llvm::Instruction* instruction = nullptr;
  int line = 0;
  int64_t times = 0;   // how often it was raised
  int64_t failed = 0;  // how often it was not proved
  // The first unproved instance: its condition (or null), the facts there, the thread's number in
  // its block (-1: symbolic), and remarks.
  terms::Term condition = nullptr;
  std::vector<terms::Term> facts = {};
  int64_t thread = -1;
  std::string detail = {};

  bool proved() const { return failed == 0; }
};
llvm::StringRef Name(Obligation::Claim claim);
// "17: bounds: the offset is inside the buffer: not proved: 9499 + -1*th_x >= 0 where ...".
std::string ToString(const Obligation& obligation);

struct Effect {
  enum class Kind : uint8_t { kStore, kAtomic, kRead };
  Kind kind = Kind::kStore;
  int64_t buffer = 0;                      // number of the first parameter with its memory
  terms::Term element = nullptr;           // linear index
  terms::Term value = nullptr;             // stored, or the operand of the atomic; null for kRead
  terms::Term guard = nullptr;             // beyond the facts of the case
  terms::Op operation = terms::Op::kNone;  // for atomics, except for compare-and-swap loops
  // For a compare-and-swap loop: the old value of the element, as a load of no buffer. `value`, the
  // new one, is written in terms of it.
  terms::Term old = nullptr;
  int64_t thread = -1;  // number in the block; -1 by thread
  // Variables of the loops around it, the outermost first. It happens once for each value of them
  // for which the guard holds, in lexicographic order.
  std::vector<terms::Term> loops = {};
  bool is_read_back = false;  // of a store: its thread takes the value for what it loads later
  // For kRead: the load that it gives, and the load of the initial contents. In a launch of one
  // thread they differ where an earlier store may have changed the element (load_times.h).
  terms::Term load = nullptr, initial = nullptr;
  int64_t order = 0;  // among the effects of its thread
  int64_t phase = 0;  // barriers of the block before it
  const llvm::Instruction* instruction = nullptr;
  int line = 0;
};

// The definition of a name: `stored` if the condition held, else `kept`. Later entries were stored
// after earlier ones.
struct NamedChoice {
  terms::Term name = nullptr;  // a load of no buffer
  terms::Term condition = nullptr, stored = nullptr, kept = nullptr;
};

// A load, store or atomic operation of global or shared memory, executed once by one thread (in
// mode by thread: by each thread for which the guard holds).
struct MemoryAccess {
  const llvm::Instruction* instruction = nullptr;
  int line = 0;
  bool is_shared = false;
  bool is_write = false;         // or atomic
  bool is_swap = false;          // a compare-and-swap loop, executed until it succeeds
  int64_t buffer = -1;           // number of the first parameter with its memory; of global memory
  int64_t memory = 0;            // identifies the buffer or variable
  terms::Term offset = nullptr;  // in bytes, in its memory
  int64_t bytes = 0;
  terms::Term guard = nullptr;  // beyond the facts of the case
  int64_t thread = -1;          // number in the block; -1 by thread
};

// The effects of the blocks (and threads) for which the facts hold. Cases are disjoint, and cover
// all blocks.
struct LiftedCase {
  std::vector<terms::Term> facts;
  std::vector<Effect> effects;
  std::vector<NamedChoice> choices;
  std::vector<MemoryAccess> accesses = {};  // in the order of each thread
};

struct LiftedKernel {
  bool by_block = false;
  std::vector<LiftedCase> cases;
  std::vector<Obligation> obligations;
  int64_t steps = 0;  // instructions that were executed
  ChangedNans changed_nans;
  std::string decider;  // the engine that proved obligations that ranges do not decide; empty: none

  bool AllProved() const;
};

// An unsupported construct is an error that names the line and the instruction. The launch must
// have a known grid and block, and the kernel's parameters. Terms belong to the pool; instructions
// to `ir`.
llvm::Expected<LiftedKernel> Lift(const KernelIr& ir, const Launch& launch, terms::Pool& pool,
                                  const LiftOptions& options = {});

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LIFT_H_
