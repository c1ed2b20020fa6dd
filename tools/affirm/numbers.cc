// Numbers by the decimal reader of LLVM, which refuses what does not fit.
#include "tools/affirm/numbers.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace affirm::cli {
namespace {

std::string Expected(llvm::StringRef text, const std::string& expected) {
  return "'" + text.str() + "', expected " + expected;
}

template <typename T>
std::string Read(llvm::StringRef text, T& value) {
  llvm::StringRef digits = text;
  const bool below_zero = digits.consume_front("-");
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit))
    return Expected(text, "decimal digits");
  if (std::is_unsigned_v<T> && below_zero) return Expected(text, "a number of at least 0");
  if (!text.getAsInteger(10, value)) return "";
  return Expected(
      text, below_zero ? "a number of at least " + std::to_string(std::numeric_limits<T>::min())
                       : "a number of at most " + std::to_string(std::numeric_limits<T>::max()));
}

}  // namespace

std::string ReadNumber(llvm::StringRef text, int64_t& value) { return Read(text, value); }
std::string ReadNumber(llvm::StringRef text, uint64_t& value) { return Read(text, value); }
std::string ReadNumber(llvm::StringRef text, unsigned& value) { return Read(text, value); }

std::string ReadSizes(llvm::StringRef text, std::vector<int64_t>& sizes) {
  sizes.clear();
  if (text.empty()) return "";
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    std::string wrong = Read(part, sizes.emplace_back());
    if (wrong.empty() && sizes.back() < 0) wrong = Expected(part, "a size of at least 0");
    if (wrong.empty()) continue;
    // The text around an empty part says where it is.
    return part == text ? wrong : wrong + " between the commas of '" + text.str() + "'";
  }
  return "";
}

std::string ReadNumber(llvm::StringRef text, double& value) {
  // The reader takes hexadecimal numbers, infinity and NaN as well.
  const bool decimal = text.find_first_not_of("+-.eE0123456789") == llvm::StringRef::npos;
  if (decimal && !text.getAsDouble(value) && std::isfinite(value)) return "";
  return Expected(text, "a decimal number");
}

}  // namespace affirm::cli
