// The text of inline PTX, as statements; inline_ptx.h says what they do.
#ifndef AFFIRM_VERIFY_KERNEL_PTX_TEXT_H_
#define AFFIRM_VERIFY_KERNEL_PTX_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::kernel {

struct PtxOperand {
  enum Kind : uint8_t { kArgument, kImmediate, kVector, kAddress };
  Kind kind = kImmediate;
  int argument = -1;      // $k; the base of an address
  int64_t immediate = 0;  // the offset of an address
  std::vector<PtxOperand> elements;
};

// One statement: `@!$5 ld.global.v4.b32 { $0, $1, $2, $3 }, [ $4 + 16 ];`
struct PtxStatement {
  std::optional<int> predicate;  // an argument
  bool negated = false;
  std::vector<std::string> opcode;  // {"ld", "global", "v4", "b32"}
  std::vector<PtxOperand> operands;
  std::string text;
};

// Reads the statements of an inline assembly string of LLVM. Labels, declarations, braces around
// statements and names of registers are errors that quote the text.
llvm::Expected<std::vector<PtxStatement>> ParsePtx(llvm::StringRef text);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_PTX_TEXT_H_
