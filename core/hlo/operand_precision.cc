#include "core/hlo/operand_precision.h"

#include <string>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

OperandPrecision PrecisionOf(const Instruction& op, int64_t k) {
  const std::string* text = op.attributes.FindExtra("operand_precision");
  if (text == nullptr) return OperandPrecision::kDefault;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(*text).trim(" {}").split(words, ',');
  if (k >= static_cast<int64_t>(words.size())) return OperandPrecision::kDefault;
  const llvm::StringRef word = words[static_cast<size_t>(k)].trim();
  if (word == "highest") return OperandPrecision::kHighest;
  return word == "high" ? OperandPrecision::kHigh : OperandPrecision::kDefault;
}

}  // namespace affirm::hlo
