// Makes LLVM IR text of newer versions readable for the LLVM that we are built with.
#ifndef AFFIRM_VERIFY_KERNEL_NEWER_IR_TEXT_H_
#define AFFIRM_VERIFY_KERNEL_NEWER_IR_TEXT_H_

#include <string>

#include "llvm/ADT/StringRef.h"

namespace affirm::kernel {

// Rewrites float literals that LLVM 22 refuses and newer versions print: f0x3E3504F3 (the bits, of
// the width of the type), +inf, -inf, +qnan, -qnan, +nan(0x..), and decimals that are not exact
// (rounded to nearest in the type that stands before them); and the attribute denormal_fpenv, as
// "denormal-fp-math" and "denormal-fp-math-f32". Lines stay lines. Other text is the same
// afterwards.
//
//   RewriteNewerText("attributes #0 = { denormal_fpenv(preservesign) }")
//   // attributes #0 = { "denormal-fp-math"="preserve-sign" }
std::string RewriteNewerText(llvm::StringRef text);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_NEWER_IR_TEXT_H_
