// XLA's short form of operations that have no asynchronous opcode of their own: "custom-call-start"
// is the async-start of a custom-call, and has the attributes of both.
#ifndef AFFIRM_CORE_HLO_ASYNC_OPCODE_H_
#define AFFIRM_CORE_HLO_ASYNC_OPCODE_H_

#include "core/hlo/opcode.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

// Both are kUnknown if the text has another form.
struct AsyncForm {
  Opcode opcode = Opcode::kUnknown;   // async-start
  Opcode wrapped = Opcode::kUnknown;  // custom-call
};
AsyncForm AsyncFormOf(llvm::StringRef opcode_text);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_ASYNC_OPCODE_H_
