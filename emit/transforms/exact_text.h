// `exact` on casts of index as MLIR text spells flags, which the parser of MLIR 22 does not know.
#ifndef AFFIRM_EMIT_TRANSFORMS_EXACT_TEXT_H_
#define AFFIRM_EMIT_TRANSFORMS_EXACT_TEXT_H_

#include <string>

#include "llvm/ADT/StringRef.h"

namespace affirm::emit {

// MLIR text in which the flag of arith.index_cast and arith.index_castui is an attribute, `exact`,
// for ReadExactAttributes (exact_casts.h). Comments and strings stay as they are, and so do lines:
//   %1 = arith.index_cast %0 exact : i8 to index      becomes
//   %1 = arith.index_cast %0 {exact} : i8 to index
std::string ExactAsAttribute(llvm::StringRef text);

}  // namespace affirm::emit

#endif  // AFFIRM_EMIT_TRANSFORMS_EXACT_TEXT_H_
