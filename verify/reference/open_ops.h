// The operations that open_elements.cc knows. Internal to verify/reference.
#ifndef AFFIRM_VERIFY_REFERENCE_OPEN_OPS_H_
#define AFFIRM_VERIFY_REFERENCE_OPEN_OPS_H_

#include "core/hlo/literal.h"
#include "core/hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace affirm::hlo {

// Whether each element of the result is one of the operands', bit for bit.
bool MovesElements(Opcode opcode);

// Operations that may tell of open elements themselves (OpInvocation::NoteOpen).
bool MayNoteOpen(const Instruction& op);

// Whether a computation that it calls sees the bits of NaNs.
bool CallsWhatSees(const Instruction& op);

// Operations whose results read so many elements each that following them takes too long.
bool ReadsTooMuch(const Instruction& op, llvm::ArrayRef<const Literal*> operands);

// The first operand that says how many elements there are; -1 where reads say it all. What an open
// one decides is the whole result.
int64_t FirstDecidingOperand(const Instruction& op);

}  // namespace affirm::hlo

#endif  // AFFIRM_VERIFY_REFERENCE_OPEN_OPS_H_
