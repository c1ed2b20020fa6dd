// The reference interpreter: the values of a module, and which elements each result element read.
// Link affirm::verify.
//
//   llvm::Expected<affirm::hlo::Literal> value = affirm::hlo::Interpret(*module.entry, arguments);
#ifndef AFFIRM_INCLUDE_AFFIRM_INTERPRET_H_
#define AFFIRM_INCLUDE_AFFIRM_INTERPRET_H_

#include "verify/reference/compare.h"
#include "verify/reference/interpreter.h"

#endif  // AFFIRM_INCLUDE_AFFIRM_INTERPRET_H_
