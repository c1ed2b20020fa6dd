// The text of attributes of StableHLO, and how HLO writes what is in it.
#ifndef AFFIRM_CORE_STABLEHLO_ATTRIBUTES_H_
#define AFFIRM_CORE_STABLEHLO_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/stablehlo/program.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo::stablehlo {

// The integers in `[0, 1]`, `array<i64: 1, 2>`, `dense<[[1, 0]]> : tensor<1x2xi64>`.
std::vector<int64_t> Integers(llvm::StringRef text);
// The integers of an attribute. Where there is one and `count` are wanted, it is all of them. None
// for an attribute that is missing.
std::vector<int64_t> IntegersOf(const Operation& operation, const std::string& name,
                                size_t count = 1);
std::string InBraces(const std::vector<int64_t>& values);  // "{1,2}"

// The text of an attribute, empty where it is missing.
llvm::StringRef Attribute(const Operation& operation, const std::string& name);
bool IsTrue(const Operation& operation, const std::string& name);
// The value of `name` in `#stablehlo.gather<a = [1], b = 2>`, empty where it is missing.
llvm::StringRef Field(llvm::StringRef text, llvm::StringRef name);
std::string FieldIn(llvm::StringRef text, llvm::StringRef name);  // the integers of that, in braces
// "RFFT" of "#stablehlo<fft_type RFFT>" and of itself.
std::string LastWord(llvm::StringRef text);

// One of the lists of a window, " stride=1x2"; nothing where each is what HLO takes without it.
std::string WindowPart(llvm::StringRef name, const std::vector<int64_t>& values, int64_t usual);
// " pad=1_0x0_0" of pairs, nothing for zeros alone.
std::string WindowPadding(const std::vector<int64_t>& pairs);

}  // namespace affirm::hlo::stablehlo

#endif  // AFFIRM_CORE_STABLEHLO_ATTRIBUTES_H_
