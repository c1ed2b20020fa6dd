// Shape inference and the rules that a well-formed module obeys (XLA's operation semantics).
#ifndef AFFIRM_CORE_HLO_VERIFIER_H_
#define AFFIRM_CORE_HLO_VERIFIER_H_

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::hlo {

// The shape that an instruction's operands, attributes and called computations give it. Where they
// leave it open (parameter, constant, custom-call, reshape, ...) this is the written shape, checked
// against them; an instruction without a written shape (kInvalid) is then an error. Layouts are not
// inferred. The message of an error names no source location.
llvm::Expected<Shape> InferShape(const Instruction& instruction);

// Success, or the first violation with its source location; `where` is the name of the text.
llvm::Error Verify(const Module& module, llvm::StringRef where);

// Whether the arguments of each fusion and call have the shapes of the parameters that they bind,
// and states of random numbers the size of their generator's. Verify does not ask that, as XLA's
// reader does not; XLA's compiler refuses such a module. Who goes into callees asks it first.
llvm::Error VerifyArguments(const Module& module, llvm::StringRef where);

// The requirements of execution beyond Verify, which accepts whatever XLA's reader accepts:
// arguments of fusions and calls that have the shapes of the parameters they bind, constants whose
// values were not elided, known opcodes, and no sizes without bounds.
llvm::Error VerifyExecutable(const Module& module, llvm::StringRef where);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_VERIFIER_H_
