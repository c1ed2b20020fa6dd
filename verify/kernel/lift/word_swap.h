// Compare-and-swap loops of a whole word for the sake of a narrow part of it: devices exchange 32
// bits, and an element has 16, 8 or 4 of them.
//
//   %low = and (ptrtoint %p), 3                  ; where the part begins in its word
//   %by = mul (trunc %low), 8
//   %word = gep i8, %p, -%low
//   %others = xor (shl 255, %by), -1
//   loop:
//     %e = phi i32 [ ... ]                       ; what the loop expects
//     %found = trunc (lshr %e, %by) to i8
//     %stored = ...                              ; of %found
//     %new = or (and %e, %others), (shl (zext %stored), %by)
//     cmpxchg ptr %word, i32 %e, i32 %new
//
// is a loop of the i8 at %p, which expects %found and stores %stored: the other bytes of the word
// are what they were when it ends.
#ifndef AFFIRM_VERIFY_KERNEL_LIFT_WORD_SWAP_H_
#define AFFIRM_VERIFY_KERNEL_LIFT_WORD_SWAP_H_

#include <optional>
#include <vector>

#include "llvm/IR/Instructions.h"

namespace affirm::kernel {

// An obligation: a swap of a word reads and writes all of its bytes, of which a plain store of
// another thread may write some.
inline constexpr const char* kSwapsAlone = "words that are swapped are stored to by swaps alone";

struct WordSwap {
  const llvm::Value* address = nullptr;      // of the part
  const llvm::Instruction* found = nullptr;  // what it holds, as the loop expects it
  const llvm::Value* stored = nullptr;       // what it becomes, of the same type
  // What the word is made with, `found` included, and nothing else: it has no meaning beyond that.
  std::vector<const llvm::Instruction*> parts;
};

// How the loop's swap of the word that the phi expects is one of a part of it; nullopt where it is
// none.
std::optional<WordSwap> WordSwapOf(const llvm::PHINode& expected,
                                   const llvm::AtomicCmpXchgInst& swap);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_LIFT_WORD_SWAP_H_
