// The parts of a JSON text as they are written: llvm::json keeps neither places nor the digits of
// numbers, and of two members with one name it keeps one.
#ifndef AFFIRM_VERIFY_KERNEL_JSON_PARTS_H_
#define AFFIRM_VERIFY_KERNEL_JSON_PARTS_H_

#include <vector>

#include "llvm/ADT/StringRef.h"

namespace affirm::kernel {

struct JsonMember {
  llvm::StringRef key;    // without its quotes, escapes as they are written
  llvm::StringRef value;  // from its first to its last character
};

// The members of an object, in order; none of any other value. `text` is JSON that was read without
// an error, and the parts point into it.
std::vector<JsonMember> JsonMembers(llvm::StringRef text);

// The elements of an array, likewise.
std::vector<llvm::StringRef> JsonElements(llvm::StringRef text);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_JSON_PARTS_H_
