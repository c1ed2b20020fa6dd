// Lifts a kernel's LLVM IR to terms, and proves on the way what can be proved of one thread, or of
// one block.
//
// The kernel is executed symbolically. Integers are terms over th_x, th_y, th_z (the thread in its
// block) and bl_x, bl_y, bl_z (the block in its grid); data are value terms whose leaves are
//   pool.Load(buffer, element, type)
// where `buffer` is the number of the first parameter of the launch that has the same memory (or,
// where that memory starts as a copy of a parameter, the first with the memory of that one), and
// `element` is the linear index in the parameter's layout. What a kernel does is then a list of
// effects: what it stores where, in terms of what its buffers hold before it runs.
//
// There are two ways to execute. *By thread*: one thread whose place in the block is symbolic, for
// kernels whose threads do not cooperate. A branch that nothing decides runs both of its sides up
// to the place where they meet, each under its condition. *By block*: the threads of a block have
// numbers and run from barrier to barrier, with the block symbolic. A branch on the block that
// nothing decides splits the execution into two cases; a branch on data is executed as by thread.
//
// A loop that counts is executed once, for all its iterations, by a variable in the stead of their
// number, where what an iteration finds does not depend on those before it. Values that are
// combined from iteration to iteration by one operation become folds, which forget the order; other
// loops, and short ones, are executed one iteration after the other. Kernels whose blocks work in
// order (KernelIr::in_order) have loops over what other kernels have threads for, and these may be
// short as well.
//
// What is assumed, and to be proved by others:
// - A load from a buffer that the kernel writes finds there what was there before the kernel ran,
//   or what the same thread stored under the same element term and guard before, in the same
//   iteration. Such loads are effects as well (kRead), for the proof of races.
// - Parameters are aligned as they are declared, and to kAllocationAlignment at least.
// - Arithmetic flags of floats that allow other results (contract, reassoc, arcp, afn, nsz) are
//   without meaning; nnan and ninf are obligations, which nothing proves.
// What is arbitrary (undef, poison, memory that nobody wrote, a shuffle from a lane that does not
// exist) is pool.Arbitrary, and so is what a kernel reads in spite of an obligation that failed.
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

// Name of the variable for an integer passed by value of which the launch gives a range, without
// the number of the kernel's argument that follows. Every statement is about all its values.
inline constexpr llvm::StringLiteral kVariableByValue = "by_value";

struct LiftOptions {
  // By thread where threads do not cooperate.
  enum class By : uint8_t { kAuto, kThread, kBlock } by = By::kAuto;
  int64_t max_steps = 20'000'000;        // instructions of all threads and cases
  int64_t max_thread_steps = 1'000'000;  // instructions of a thread
  int64_t max_cases = 64;
  // What shared memory holds after a store under a condition on data gets a name (NamedChoice), of
  // which no other term says what it is: the exchanges of a sort would be choices of choices of ...
  bool name_choices = false;
  // Whether loops may be executed once for all iterations, so that folds forget an order.
  bool summarize_loops = true;
  // Whether a condition on few bits of elements holds at all values of these, where ranges do not
  // show it. Empty: nobody knows.
  std::function<bool(terms::Term condition)> holds_at_all_values = {};
  // Whether LiftedCase::accesses are listed. Loops are executed iteration by iteration then.
  bool list_accesses = false;
};

// What must hold for the kernel to mean what its terms say. One for each claim and instruction,
// however often the instruction was executed.
struct Obligation {
  enum class Claim : uint8_t { kBounds, kIntegers, kBarriers, kRaces };
  Claim claim;
  std::string what;  // "the offset is inside the buffer"
  const llvm::Instruction* instruction = nullptr;
  int line = 0;
  int64_t times = 0;   // that it was met
  int64_t failed = 0;  // that it was not proved
  // Of the first time that it was not proved: the condition (null where there is none), what was
  // known there, the thread's number in its block (-1: symbolic), and remarks.
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
  terms::Op operation = terms::Op::kNone;  // of an atomic that is no update by a loop
  // Of an update by a loop around a compare-and-swap: what the element holds when it succeeds, a
  // load of no buffer, with which `value`, the new one, is written.
  terms::Term old = nullptr;
  int64_t thread = -1;  // number in the block; -1 by thread
  // The loops around it, the outermost first: at each value of their variables for which the guard
  // holds it happens once, in their order.
  std::vector<terms::Term> loops = {};
  int64_t order = 0;  // among the effects of its thread
  int64_t phase = 0;  // barriers of the block before it
  const llvm::Instruction* instruction = nullptr;
  int line = 0;
};

// The value of a name: `stored` where the condition held, and what was there before elsewhere. It
// was stored after those of the names that stand before it.
struct NamedChoice {
  terms::Term name = nullptr;  // a load of no buffer
  terms::Term condition = nullptr, stored = nullptr, kept = nullptr;
};

// A load, a store or an atomic operation of global or shared memory, executed once by the thread
// (by thread: by each one for which the guard holds).
struct MemoryAccess {
  const llvm::Instruction* instruction = nullptr;
  int line = 0;
  bool is_shared = false;
  bool is_write = false;         // or atomic
  bool is_swap = false;          // a compare-and-swap, executed as often as it fails and once more
  int64_t buffer = -1;           // number of the first parameter with its memory; of global memory
  int64_t memory = 0;            // a number of its own for each buffer and variable
  terms::Term offset = nullptr;  // in bytes, in its memory
  int64_t bytes = 0;
  terms::Term guard = nullptr;  // beyond the facts of the case
  int64_t thread = -1;          // number in the block; -1 by thread
};

// What happens in the blocks (and threads) for which the facts hold. Cases exclude each other, and
// every block is in one.
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
  std::string
      decider;  // that proved obligations which ranges do not decide; empty: there were none

  bool AllProved() const;
};

// What has no form as terms is an error that names the line and the instruction: nothing is known
// then. The launch's grid and block must be known, and its parameters be those of the kernel.
// Terms belong to the pool; instructions to `ir`.
llvm::Expected<LiftedKernel> Lift(const KernelIr& ir, const Launch& launch, terms::Pool& pool,
                                  const LiftOptions& options = {});

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_LIFT_H_
