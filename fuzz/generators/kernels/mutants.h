// Kernels with one fault: the LLVM IR of a kernel, changed in one place as a wrong emitter or pass
// would have written it.
//
//   for (const Mutation& m : MutationsOf(ir)) {
//     llvm::Expected<kernel::KernelIr> mutant = Mutate(ir, m);   // valid IR that differs in
//     `m.line`
//   }
#ifndef AFFIRM_FUZZ_GENERATORS_KERNELS_MUTANTS_H_
#define AFFIRM_FUZZ_GENERATORS_KERNELS_MUTANTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"
#include "verify/kernel/kernel_ir.h"

namespace affirm::fuzz {

enum class MutationKind : uint8_t {
  kIndexConstant,   // a summand of an index is one larger
  kFactor,          // a factor, a divisor or a shift is one larger or smaller
  kBound,           // the constant of a comparison is one larger or smaller
  kPredicate,       // < becomes <=, = becomes !=, ...
  kSignedness,      // a signed comparison or quotient becomes an unsigned one, and back
  kOperandSwap,     // of sub, div, rem, comparisons, shifts
  kDivRem,          // a quotient becomes a remainder, and back
  kConjunct,        // of `and` and `or` of conditions one side stands twice
  kGuard,           // a branch is always taken, or never
  kSelectArms,      // the arms of a select change places
  kSiblingIndex,    // an address takes another integer of its type that is known there
  kPointer,         // an address takes another buffer
  kBarrier,         // a barrier is removed
  kShuffle,         // a shuffle's distance is another power of two
  kFloatOperation,  // add becomes subtract, multiply add, maximum minimum
  kInit,            // a constant that a sum of floats begins with is another
  kAtomic,          // an atomic update becomes a load, an operation and a store
  kVectorLane,      // a lane of a vector is another
  kMask,            // a mask has another bit
};
const char* Name(MutationKind kind);  // "index-constant"

struct Mutation {
  MutationKind kind;
  // The instruction, counted over all functions of the module, and which of its variants.
  size_t instruction;
  int variant;
  int line;            // in the text of the kernel
  std::string before;  // the instruction's text
};

// Every mutation of the module, in the order of its instructions.
std::vector<Mutation> MutationsOf(const kernel::KernelIr& ir);

// A copy of the kernel with the mutation. An error where LLVM's verifier refuses it.
llvm::Expected<kernel::KernelIr> Mutate(const kernel::KernelIr& ir, const Mutation& mutation);

}  // namespace affirm::fuzz

#endif  // AFFIRM_FUZZ_GENERATORS_KERNELS_MUTANTS_H_
