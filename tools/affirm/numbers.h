// Whole numbers of the command line: decimal digits, and "-" before those below zero. No other
// base, no blanks, nothing that does not fit: what is read is what is written.
//
//   uint64_t seed;
//   std::string wrong = ReadNumber("0x10", seed);  // "'0x10', expected decimal digits"
#ifndef AFFIRM_TOOLS_AFFIRM_NUMBERS_H_
#define AFFIRM_TOOLS_AFFIRM_NUMBERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace affirm::cli {

// Answers the error, which quotes the text and says what is expected; "" once `value` is set.
// Leading zeros are decimal, too: 010 is 10.
std::string ReadNumber(llvm::StringRef text, int64_t& value);
std::string ReadNumber(llvm::StringRef text, uint64_t& value);
std::string ReadNumber(llvm::StringRef text, unsigned& value);
// Numbers of at least 0 with commas between, as 4,8; an empty text has none.
std::string ReadSizes(llvm::StringRef text, std::vector<int64_t>& sizes);
// A finite number, as 60, 0.5 or 1e3.
std::string ReadNumber(llvm::StringRef text, double& value);

}  // namespace affirm::cli

#endif  // AFFIRM_TOOLS_AFFIRM_NUMBERS_H_
