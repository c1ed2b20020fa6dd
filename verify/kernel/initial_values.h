// The bytes that LLVM IR puts into global variables.
//
//   @buffer_for_c = constant [8 x i8] c"\00\00\80?\00\00\00@", align 256
//   @buffer_for_d = global [64 x i8] zeroinitializer, align 256
#ifndef AFFIRM_VERIFY_KERNEL_INITIAL_VALUES_H_
#define AFFIRM_VERIFY_KERNEL_INITIAL_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace affirm::kernel {

struct InitialValue {
  std::string name;            // of the variable
  std::vector<uint8_t> bytes;  // of its type, with padding
  bool is_zero = true;         // all bytes
  // Why the variable may hold something else when a program runs: it is no constant, or another
  // module may replace the initializer. Empty: it holds these bytes.
  std::string open;
  bool is_variable = false;  // open, as it is no constant
  std::string unknown;       // why `bytes` are not known, and empty: an address, an undefined value
};

// The variables that the text defines whose names begin with the prefix, in order. An error for a
// text that is no LLVM IR.
llvm::Expected<std::vector<InitialValue>> InitialValuesIn(llvm::StringRef text,
                                                          llvm::StringRef where,
                                                          llvm::StringRef prefix);

}  // namespace affirm::kernel

#endif  // AFFIRM_VERIFY_KERNEL_INITIAL_VALUES_H_
