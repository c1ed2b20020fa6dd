// Matches compare-and-swap loops on a 32-bit word that update a narrower part of it, since devices
// swap 32 bits and an element may have 16, 8 or 4.
//
//   %low = and (ptrtoint %p), 3                  ; offset of the part in its word
//   %by = mul (trunc %low), 8
//   %word = gep i8, %p, -%low
//   %others = xor (shl 255, %by), -1
//   loop:
//     %e = phi i32 [ ... ]                       ; the expected word
//     %found = trunc (lshr %e, %by) to i8
//     %stored = ...                              ; computed from %found
//     %new = or (and %e, %others), (shl (zext %stored), %by)
//     cmpxchg ptr %word, i32 %e, i32 %new
//
// is a loop on the i8 at %p, which expects %found and stores %stored: the successful swap leaves
// the other bytes of the word unchanged.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_WORD_SWAP_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_WORD_SWAP_H_

#include <optional>
#include <vector>

#include "llvm/IR/Instructions.h"

namespace affirm::kernel {

// An obligation: a swap reads and writes all bytes of a word, so it would race with a plain store
// to any of them.
inline constexpr const char* kSwapsAlone = "words that are swapped are stored to by swaps alone";

struct WordSwap {
  const llvm::Value* address = nullptr;      // address of the part
  const llvm::Instruction* found = nullptr;  // its expected value
  const llvm::Value* stored = nullptr;       // its new value, of the same type
  // The instructions that disassemble and assemble the word, `found` included. They have no other
  // uses.
  std::vector<const llvm::Instruction*> parts;
};

// Matches the loop's swap as one of a part of the word that the phi expects; nullopt otherwise.
std::optional<WordSwap> WordSwapOf(const llvm::PHINode& expected,
                                   const llvm::AtomicCmpXchgInst& swap);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_WORD_SWAP_H_
