// The values of attributes that are kept as text (Attributes::extra).
#ifndef AFFIRM_CORE_HLO_ATTRIBUTE_VALUES_H_
#define AFFIRM_CORE_HLO_ATTRIBUTE_VALUES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/hlo/module.h"
#include "llvm/ADT/StringRef.h"

namespace affirm::hlo {

using Ints = std::vector<int64_t>;

// The numbers of "{0,1}" and of "{{0,1},{2,3}}"; nullopt for other text.
std::optional<Ints> ParseInts(llvm::StringRef text);
std::optional<std::vector<Ints>> ParseLists(llvm::StringRef text);

// Each gives nullopt where the attribute is absent and where its text is of another kind.
//
// "7"
std::optional<int64_t> IntegerAttribute(const Attributes& attributes, llvm::StringRef key);
// "true"
std::optional<bool> BoolAttribute(const Attributes& attributes, llvm::StringRef key);
// "{0,1}"
std::optional<Ints> IntsAttribute(const Attributes& attributes, llvm::StringRef key);
// "{{0,1},{2,3}}"
std::optional<std::vector<Ints>> ListsAttribute(const Attributes& attributes, llvm::StringRef key);
// The text; empty where it is absent.
llvm::StringRef WordAttribute(const Attributes& attributes, llvm::StringRef key);

}  // namespace affirm::hlo

#endif  // AFFIRM_CORE_HLO_ATTRIBUTE_VALUES_H_
