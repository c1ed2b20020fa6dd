// JSON from files and attributes. llvm::json reads nested values by recursion, so that a short text
// of brackets could take all of the stack.
#ifndef AFFIRM_CORE_SYMBOLIC_BOUNDED_JSON_H_
#define AFFIRM_CORE_SYMBOLIC_BOUNDED_JSON_H_

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace affirm {

// The value of a JSON text; an error for what is none, and for more than 500 brackets within each
// other.
llvm::Expected<llvm::json::Value> ParseJson(llvm::StringRef text);

}  // namespace affirm

#endif  // AFFIRM_CORE_SYMBOLIC_BOUNDED_JSON_H_
