// How many bits the type index has in the code of a kernel, and why (docs/machine-integers.md).
#ifndef AFFIRM_EMIT_INDEX_WIDTH_CHOICE_H_
#define AFFIRM_EMIT_INDEX_WIDTH_CHOICE_H_

#include <cstdint>
#include <string>

#include "emit/kernel.h"
#include "llvm/Support/Error.h"

namespace affirm::emit {

struct IndexWidthChoice {
  unsigned bits = 64;
  bool proved = false;  // no operation on index values wraps
  // Why 32 bits won't do, with the overflowing index; empty when they do.
  std::string refusal;
  // Operations with nsw or nuw, divisions that became unsigned, and exact casts.
  int64_t no_wrap = 0, unsigned_divisions = 0, exact_casts = 0;
};

// 32 bits where everything is proved at 32 bits in the kernel's code, else 64; with
// `bits` (1 to 64) that width or, below 64 bits, an error that names the index which does not fit.
llvm::Expected<IndexWidthChoice> ChooseIndexWidth(const Kernel& kernel, unsigned bits = 0);

// Declares a width (1 to 64) in the kernel's module. Lowering then takes it, or says which index
// does not fit; without a declaration it chooses as above.
void SetIndexWidth(Kernel& kernel, unsigned bits);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_INDEX_WIDTH_CHOICE_H_
